"""Harvest: speed with all screens, memory, and what comes out. `python -m bench.harvest --help`.

Mining and redaction are timed on one core and on all, over real sessions (`--corpus`) or the simulated fleet; a second
harvest of the same sessions shows what an unchanged history costs. Results go to bench/out/harvest-*.json.
"""

from __future__ import annotations

import argparse
import json
import shutil
import tempfile
import time
from pathlib import Path

from bench.measuring import afterglow, command
from bench.scan import fleet

OUT = Path(__file__).parent / "out"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--sessions", type=int, default=3000, help="size of the simulated fleet"
    )
    parser.add_argument(
        "--corpus",
        type=Path,
        help="harvest these real sessions instead of the simulated fleet",
    )
    options = parser.parse_args()
    OUT.mkdir(exist_ok=True)
    corpus = options.corpus or fleet(options.sessions)
    found = measure(corpus)
    name = "real" if options.corpus else f"fleet-{options.sessions}"
    (OUT / f"harvest-{name}.json").write_text(json.dumps(found, indent=2) + "\n")
    for what, value in found.items():
        print(f"{what:<40}  {value}")


def measure(corpus: Path) -> dict[str, object]:
    found: dict[str, object] = {}
    for jobs in (1, 2):
        home = Path(tempfile.mkdtemp(prefix="bench-harvest-"))
        command(*afterglow("scan", str(corpus), "--json"), home=home)
        command(*afterglow("knowledge", "stats"), home=home)  # the first run compiles
        run = command(*afterglow("harvest", "--jobs", str(jobs), "--json"), home=home)
        report = json.loads(run.output)
        rate = report["bytes"] / 1e6 / run.seconds
        found[f"whole command, {jobs} process(es), MB/s"] = round(rate, 1)
        found[f"peak memory, {jobs} process(es), MB"] = round(run.peak_mb)
        if jobs == 1:
            found["MB of transcript"] = round(report["bytes"] / 1e6, 1)
            found["sessions mined"] = report["mined"]
            found["items by status"] = report["statuses"]
            found["findings by miner"] = {
                miner["miner"]: miner["findings"] for miner in report["miners"]
            }
            start = time.perf_counter()
            command(*afterglow("harvest", "--json"), home=home)
            found["second harvest, s"] = round(time.perf_counter() - start, 2)
        shutil.rmtree(home)
    return found


if __name__ == "__main__":
    main()
