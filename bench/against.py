"""This checkout against an earlier one: the same commands on the same sessions, in turns, as ratios in one run.

    python -m bench.against OTHER/.venv/bin/afterglow SESSIONS...     SESSIONS: folders; the simulated fleet where none

Start-up is the median of several runs, scan and harvest the best of `--rounds`. A ratio above 1 is slower than before.
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
from pathlib import Path

from afterglow_demo import write_fleet

OUT = Path(__file__).parent / "out"
STARTS = ("--help", "warm list", "sessions list", "bootstrap --task tests")
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
        for name in ("scan", "harvest"):
            rows[name] = in_turns(
                programs, name, sessions, options.rounds, Path(folder)
            )
        for words in STARTS:
            rows[words] = starts(programs, words.split(), Path(folder))
    for name, (before, after) in rows.items():
        print(f"{name:24} {before:8.3f} s  {after:8.3f} s  ratio {after / before:5.2f}")
    (OUT / "against.json").write_text(json.dumps(rows, indent=2) + "\n")


def fleet(folder: Path) -> Path:
    write_fleet(folder / "fleet", sessions=FLEET_SESSIONS, seed=7)
    return folder / "fleet"


def seconds(command: list[str], home: Path) -> float:
    environment = {**os.environ, "AFTERGLOW_HOME": str(home), "HOME": str(home)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    begun = time.perf_counter()
    subprocess.run(command, env=environment, capture_output=True, check=True)
    return time.perf_counter() - begun


def in_turns(
    programs: dict[str, list[str]],
    name: str,
    sessions: list[Path],
    rounds: int,
    folder: Path,
) -> tuple[float, float]:
    """The best time of each program, run one after the other with a new home each time."""
    times: dict[str, list[float]] = {which: [] for which in programs}
    for _ in range(rounds):
        for which, program in programs.items():
            home = folder / "home"
            shutil.rmtree(home, ignore_errors=True)
            home.mkdir()
            if name == "harvest":
                seconds([*program, "scan", *map(str, sessions)], home)
            times[which].append(seconds([*program, name, *map(str, sessions)], home))
            if name == "harvest":
                shutil.rmtree(folder / which, ignore_errors=True)
                home.rename(folder / which)
    return min(times["before"]), min(times["after"])


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
