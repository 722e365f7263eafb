"""Bootstrap: how long a context takes with many items, in process and as a command. `python -m bench.bootstrap`.

Items are those of `bench.knowledge`; the repository asked for is the largest. Medians of 50 calls with different tasks;
the command is started cold each time. Results go to bench/out/bootstrap.json.
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import tempfile
import time
from pathlib import Path

import msgspec

from afterglow.config import Config
from afterglow.flows.session import bootstrap
from afterglow.store.knowledge import SESSIONS, Knowledge
from bench.knowledge import Maker
from bench.measuring import afterglow, median_ms

OUT = Path(__file__).parent / "out"
REPO = "acme/repo-399"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="*", default=[10_000, 100_000])
    options = parser.parse_args()
    OUT.mkdir(exist_ok=True)
    found = {size: measure(size) for size in options.sizes}
    (OUT / "bootstrap.json").write_text(json.dumps(found, indent=2) + "\n")
    for size, numbers in found.items():
        print(
            f"{size:,} items:",
            ", ".join(f"{name} {value}" for name, value in numbers.items()),
        )


def measure(size: int) -> dict[str, float]:
    home = Path(tempfile.mkdtemp(prefix="bench-bootstrap-"))
    maker = Maker()
    config = Config(home=home, user_home=home)
    with Knowledge(config.knowledge) as knowledge:
        for start in range(0, size, 20_000):
            knowledge.save(
                maker.items(min(20_000, size - start), start),
                by="import",
                now=time.time(),
            )
        knowledge.set_fact(SESSIONS, msgspec.json.encode({REPO: 500}).decode())
    taken = []
    for _ in range(51):
        task = " ".join(maker.some(12))
        start_ = time.perf_counter()
        bootstrap(config, cwd=home, repo=REPO, agent="claude-code", task=task)
        taken.append(1000 * (time.perf_counter() - start_))
    words = afterglow(
        "bootstrap",
        "--repo",
        REPO,
        "--task",
        "fix the build before the branch is merged",
    )
    cold = median_ms(*words, home=home)
    shutil.rmtree(home)
    return {
        "in process, median ms": round(statistics.median(taken[1:]), 2),
        "whole command, median ms": round(cold, 1),
    }


if __name__ == "__main__":
    main()
