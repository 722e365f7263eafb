"""Scan, profile, sample and start-up, as ratios in one run. `make bench`, or `python -m bench.scan --help`.

The yardstick is one process that reads the same bytes and counts newlines with `bytes.count`. Everything is run from a
warm page cache, three times, best kept; memory is the sum over all processes. Results go to bench/out/scan.json.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from afterglow.config import Config
from afterglow.store.catalog import Catalog
from afterglow_demo import write_fleet
from bench.measuring import Run, afterglow, command, median_ms
from bench.partial import guess

OUT = Path(__file__).parent / "out"
ASKED = {
    "scan against counting newlines": "0.4 or more (aim 0.6)",
    "peak memory, MB": "under 300",
    "second scan, times faster": "40 or more",
    "sample from the catalogue, s": "under 0.3",
    "afterglow --help, ms": "under 100",
    "sessions list, ms": "under 100",
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--sessions",
        type=int,
        default=26_000,
        help="size of the simulated fleet; 26,000 sessions are about 20,000 files",
    )
    parser.add_argument(
        "--corpus",
        type=Path,
        help="measure these real sessions instead of the simulated fleet",
    )
    options = parser.parse_args()
    OUT.mkdir(exist_ok=True)
    corpus = options.corpus or fleet(options.sessions)
    found = measure(corpus)
    name = "real" if options.corpus else f"fleet-{options.sessions}"
    (OUT / f"scan-{name}.json").write_text(json.dumps(found, indent=2) + "\n")
    width = max(map(len, found))
    for what, value in found.items():
        shown = (
            f"{value:,.3g}"
            if isinstance(value, float) and value < 100
            else f"{value:,.0f}"
            if isinstance(value, float)
            else value
        )
        sys.stdout.write(f"{what:<{width}}  {shown:>12}  {ASKED.get(what, '')}\n")


def fleet(sessions: int) -> Path:
    """The simulated fleet, written once and kept."""
    root = OUT / f"fleet-{sessions}"
    if not (root / "truth.json").exists():
        shutil.rmtree(root, ignore_errors=True)
        write_fleet(root, sessions=sessions, jobs=2)
    return root


def measure(corpus: Path) -> dict[str, object]:
    files = [
        path
        for path in sorted(corpus.rglob("*"))
        if path.is_file() and path.name != "truth.json"
    ]
    total = sum(path.stat().st_size for path in files)
    count_newlines(files)
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        newlines = best(lambda: timed(lambda: count_newlines(files)))
        runs = [first_scan(corpus, home) for _ in range(3)]
        first = min(run.seconds for run in runs)
        again = best(
            lambda: (
                command(*afterglow("scan", str(corpus), "--json"), home=home).seconds
            )
        )
        here = best(lambda: scan_inside(corpus))
        inside = best(lambda: timed(lambda: scan_here(corpus, home)))
        passing = median_ms(sys.executable, "-c", "pass", home=home)
        return {
            "files": len(files),
            "MB": total / 1e6,
            "counting newlines, one process, MB/s": total / newlines / 1e6,
            "scan and profile, two processes, MB/s": total / here / 1e6,
            "scan against counting newlines": newlines / here,
            "the same with the start of the command": newlines / first,
            "peak memory, MB": max(run.peak_mb for run in runs),
            "first scan, s": first,
            "second scan, whole command, s": again,
            "second scan, in process, s": inside,
            "second scan, times faster": first / again,
            "second scan in process, times faster": first / inside,
            "sample from the catalogue, s": best(
                lambda: command(*afterglow("sample"), home=home).seconds
            ),
            "python -c pass, ms": passing,
            "afterglow --help, ms": median_ms(*afterglow("--help"), home=home),
            "sessions list, ms": median_ms(*afterglow("sessions", "list"), home=home),
            **partial(files, home),
        }


def first_scan(corpus: Path, home: Path) -> Run:
    for path in home.iterdir():
        path.unlink() if path.is_file() else shutil.rmtree(path)
    return command(*afterglow("scan", str(corpus), "--json", "--jobs", "2"), home=home)


def scan_inside(corpus: Path) -> float:
    """A first scan timed inside a fresh process, as the yardstick is: without the start of the interpreter."""
    code = (
        "import sys, time; from pathlib import Path\n"
        "from afterglow.config import Config; from afterglow.flows.read.scan_sources import scan\n"
        "home = Path(sys.argv[2]); start = time.perf_counter()\n"
        "scan(Config(home=home, user_home=home), [Path(sys.argv[1])], jobs=2)\n"
        "print(time.perf_counter() - start)"
    )
    with tempfile.TemporaryDirectory() as home:
        return float(
            command(
                sys.executable, "-c", code, str(corpus), home, home=Path(home)
            ).output
        )


def scan_here(corpus: Path, home: Path) -> None:
    from afterglow.flows.read import scan

    scan(Config(home=home, user_home=home), [corpus])


def count_newlines(files: list[Path]) -> int:
    return sum(path.read_bytes().count(b"\n") for path in files)


def partial(files: list[Path], home: Path) -> dict[str, object]:
    """How fast the classic sampler is over the same files, and how often it is wrong about them."""
    with Catalog(home / "catalog.db") as catalog:
        exact = {
            entry.source: entry
            for entry in catalog.entries(all=True)
            if not entry.empty
        }
    lined = [path for path in files if path.suffix == ".jsonl" and str(path) in exact]
    start = time.perf_counter()
    guesses = {str(path): guess(path) for path in lined}
    seconds = time.perf_counter() - start
    wrong = {"message count": 0, "tool count": 0, "outcome": 0}
    for path, found in guesses.items():
        entry = exact[path]
        wrong["message count"] += (
            abs(found.messages - entry.messages) > 0.1 * entry.messages
        )
        wrong["tool count"] += abs(found.calls - entry.calls) > 0.1 * entry.calls
        wrong["outcome"] += found.outcome != entry.outcome
    share = {
        f"partial scanner wrong about the {what}, %": 100 * n / max(len(lined), 1)
        for what, n in wrong.items()
    }
    return {
        "partial scanner, one process, files": len(lined),
        "partial scanner, s": seconds,
        **share,
    }


def timed(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def best(measured: Callable[[], float], times: int = 3) -> float:
    return min(measured() for _ in range(times))


if __name__ == "__main__":
    main()
