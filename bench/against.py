"""This checkout against an earlier one: the same commands on the same sessions, in turns, as ratios in one run.

    python -m bench.against OTHER/.venv/bin/afterglow SESSIONS...     SESSIONS: folders; the simulated fleet where none

Start-up is the median of several runs, scan, harvest and problems the best of `--rounds`. A ratio above 1 is slower than
before. The last row is all three together, as a share of the speed at which one process counts newlines in the same bytes.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from afterglow_demo import write_fleet

OUT = Path(__file__).parent / "out"
STARTS = ("--help", "warm list", "sessions list", "bootstrap --task tests")
STEPS = ("scan", "harvest", "problems")
START_RUNS = 9
FLEET_SESSIONS = 2000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("other", type=Path, help="the earlier program")
    parser.add_argument("sessions", type=Path, nargs="*")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    programs = {
        "before": [str(options.other)],
        "after": [str(Path(sys.executable).with_name("afterglow"))],
    }
    OUT.mkdir(exist_ok=True)
    rows = {}
    with tempfile.TemporaryDirectory() as folder:
        sessions = options.sessions or [fleet(Path(folder))]
        rows |= in_turns(programs, sessions, options.rounds, Path(folder))
        newlines = best_of(options.rounds, lambda: count_newlines(sessions))
        for words in STARTS:
            rows[words] = starts(programs, words.split(), Path(folder))
    for name, (before, after) in rows.items():
        ratio = f"ratio {after / before:5.2f}" if before else "no such command before"
        print(f"{name:24} {before:8.3f} s  {after:8.3f} s  {ratio}")
    whole = [sum(rows[name][which] for name in STEPS) for which in (0, 1)]
    print(
        f"{' + '.join(STEPS)}: {newlines / whole[0]:.4f} of counting newlines before, {newlines / whole[1]:.4f} after"
        f" (one process counts them in {newlines:.3f} s); ratio {whole[1] / whole[0]:.2f}"
    )
    rows["counting newlines"] = (newlines, newlines)
    (OUT / "against.json").write_text(json.dumps(rows, indent=2) + "\n")


def fleet(folder: Path) -> Path:
    write_fleet(folder / "fleet", sessions=FLEET_SESSIONS, seed=7)
    return folder / "fleet"


def seconds(command: list[str], home: Path) -> float:
    """Of a command; none at all where the program does not know it."""
    environment = {**os.environ, "AFTERGLOW_HOME": str(home), "HOME": str(home)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    begun = time.perf_counter()
    done = subprocess.run(command, env=environment, capture_output=True, check=False)
    taken = time.perf_counter() - begun
    if b"No such command" in done.stderr:
        return 0.0
    done.check_returncode()
    return taken


def in_turns(
    programs: dict[str, list[str]], sessions: list[Path], rounds: int, folder: Path
) -> dict[str, tuple[float, float]]:
    """The best time of each step of each program, run one after the other with a new home each round."""
    times: dict[tuple[str, str], list[float]] = {}
    places = [str(path) for path in sessions]
    for _ in range(rounds):
        for which, program in programs.items():
            home = folder / which
            shutil.rmtree(home, ignore_errors=True)
            home.mkdir()
            for name in STEPS:
                words = [] if name == "problems" else places
                taken = seconds([*program, name, *words], home)
                times.setdefault((name, which), []).append(taken)
    return {
        name: (min(times[name, "before"]), min(times[name, "after"])) for name in STEPS
    }


def best_of(rounds: int, work: Callable[[], object]) -> float:
    taken = []
    for _ in range(rounds):
        begun = time.perf_counter()
        work()
        taken.append(time.perf_counter() - begun)
    return min(taken)


def count_newlines(sessions: list[Path]) -> int:
    files = (path for folder in sessions for path in folder.rglob("*"))
    return sum(path.read_bytes().count(b"\n") for path in files if path.is_file())


def starts(
    programs: dict[str, list[str]], words: list[str], folder: Path
) -> tuple[float, float]:
    times = {
        which: [seconds([*program, *words], folder / which) for _ in range(START_RUNS)]
        for which, program in programs.items()
    }
    return statistics.median(times["before"]), statistics.median(times["after"])


if __name__ == "__main__":
    main()
