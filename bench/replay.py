"""Replay: how long it takes with and without mining, and what is in view. `python -m bench.replay --help`.

Over real sessions (`--corpus`) or the simulated fleet. `--judge` runs a command on the contexts of each budget, with
FILE in it replaced by the dump: a judge of your own. Results go to bench/out/replay-*.json.
"""

from __future__ import annotations

import argparse
import json
import shlex
import shutil
import subprocess
import tempfile
from pathlib import Path

from bench.measuring import afterglow, command
from bench.scan import fleet

OUT = Path(__file__).parent / "out"
BUDGETS = (250, 500, 600, 1000, 2000, 4000)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--sessions", type=int, default=1000, help="size of the simulated fleet"
    )
    parser.add_argument(
        "--corpus",
        type=Path,
        help="replay these real sessions instead of the simulated fleet",
    )
    parser.add_argument(
        "--judge", help="a command that judges a dump, like 'python judge.py FILE'"
    )
    options = parser.parse_args()
    OUT.mkdir(exist_ok=True)
    found = measure(options.corpus or fleet(options.sessions), options.judge)
    name = "real" if options.corpus else f"fleet-{options.sessions}"
    (OUT / f"replay-{name}.json").write_text(json.dumps(found, indent=2) + "\n")
    for what, value in found.items():
        print(f"{what:<44}  {value}")


def measure(corpus: Path, judge: str | None) -> dict[str, object]:
    home = Path(tempfile.mkdtemp(prefix="bench-replay-"))
    dump = home / "contexts.jsonl"
    command(*afterglow("replay", "--help"), home=home)  # the first run compiles
    first = command(
        *afterglow(
            "replay", str(corpus), "--json", "--output", str(home / "report.json")
        ),
        home=home,
    )
    again = command(
        *afterglow("replay", "--json", "--output", str(home / "report.json")), home=home
    )
    report = json.loads((home / "report.json").read_text())
    found: dict[str, object] = {
        "sessions": report["sessions"],
        "errors": report["errors"],
        "scan, mining and replay, s": round(first.seconds, 1),
        "replay of what is mined, s": round(again.seconds, 1),
        "peak memory, MB": round(max(first.peak_mb, again.peak_mb)),
        "repeats": report["shares"]["in view"]["n"],
        "apart from failing tests and builds": _share(report["apart_from_work"]),
        "placebo": _share(report["placebo"]["in_view"])
        if report["placebo"]["in_view"]
        else report["placebo"]["reason"],
        **{
            f"of repeats: {kind}": _share(share)
            for kind, share in report["shares"].items()
        },
        **{
            f"remedy in view at {one['budget']} tokens": _share(one["in_view"])
            for one in report["curve"]
        },
    }
    for budget in BUDGETS if judge else ():
        command(
            *afterglow("replay", "--budget", str(budget), "--dump", str(dump)),
            home=home,
        )
        words = [
            str(dump) if word == "FILE" else word for word in shlex.split(judge or "")
        ]
        said = subprocess.run(
            words, capture_output=True, text=True, check=True
        ).stdout.strip()
        found[f"judge at {budget} tokens"] = said
    shutil.rmtree(home)
    return found


def _share(rate: dict[str, float]) -> str:
    if not rate["n"]:
        return "nothing to count"
    return f"{rate['value']:.3f} [{rate['low']:.3f}, {rate['high']:.3f}] of {rate['n']}"


if __name__ == "__main__":
    main()
