"""Ray against processes of this machine: how long, whether the same comes out, and what killed workers cost.
`python -m bench.engine --help`.

The same history is scanned and harvested three times into new homes: by local processes, by a Ray cluster on this machine,
and by one whose workers are killed again and again. Every row of the catalogue and of the knowledge store is compared.
Results go to bench/out/engine-*.json.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from contextlib import closing, suppress
from pathlib import Path

from afterglow_demo import write_fleet

OUT = Path(__file__).parent / "out"
NOW = 1_790_000_000.0  # when all of them harvest: what is worth keeping depends on it
KILL_SECONDS = 10.0  # between two kills, on average
# Ray's workers give way to other programs unless told not to; local ones do not.
AS_LOCAL_ONES = {"RAY_worker_niceness": "0"}
# Of each home another: a name of its own, and numbers that grow with the clock.
OF_ITS_OWN = (
    "identity",
    "change",
    "knowledge store",
    "knowledge that problems were held against",
)

ONE_RUN = """
import json, sys, time
from collections import deque
from pathlib import Path
from afterglow.config import Config
from afterglow.flows.harvest import harvest
from afterglow.flows.read import scan
from afterglow.flows.workers import in_use, spread
from afterglow.records.engine import Engine

home, corpus, engine, now = Path(sys.argv[1]), Path(sys.argv[2]), Engine(sys.argv[3]), float(sys.argv[4])
config = Config(home=home, user_home=home)
begun = time.perf_counter()
with in_use(engine):
    list(spread(str, deque([1, 2]), 2, engine=engine))
    started = time.perf_counter()
    scanned = scan(config, [corpus], jobs=2, engine=engine)
    between = time.perf_counter()
    report = harvest(config, jobs=2, engine=engine, now=now)
ended = time.perf_counter()
lost = [reason for _, reason in report.troubles if "workers ended" in reason]
lost += [trouble.path for trouble in scanned.troubles if "workers ended" in trouble.reason]
print(json.dumps({
    "sessions": scanned.sessions, "mined": report.mined, "MB": scanned.bytes / 1e6, "lost": len(lost),
    "start s": started - begun, "scan s": between - started, "harvest s": ended - between, "all s": ended - begun,
    "items": sum(report.statuses.values()),
}))
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sessions", type=int, default=20_000)
    parser.add_argument("--scale", type=float, default=1.0, help="length of its texts")
    parser.add_argument("--corpus", type=Path, help="real sessions instead of a fleet")
    options = parser.parse_args()
    OUT.mkdir(exist_ok=True)
    corpus = options.corpus or fleet(options.sessions, options.scale)
    name = "real" if options.corpus else f"fleet-{options.sessions}"
    folder = Path(tempfile.mkdtemp(prefix="bench-engine-"))
    try:
        results = compare(corpus, folder)
    finally:
        shutil.rmtree(folder)
    (OUT / f"engine-{name}.json").write_text(json.dumps(results, indent=2) + "\n")
    for what, value in results.items():
        print(f"{what:<36}  {value}", flush=True)


def fleet(sessions: int, scale: float) -> Path:
    """Written once and kept."""
    root = OUT / f"fleet-{sessions}-{scale:g}"
    if not (root / "truth.json").exists():
        shutil.rmtree(root, ignore_errors=True)
        write_fleet(root, sessions=sessions, scale=scale, jobs=2)
    return root


def compare(corpus: Path, folder: Path) -> dict[str, object]:
    for path in corpus.rglob("*"):  # so that all read from a warm page cache
        if path.is_file():
            path.read_bytes()
    here = run(corpus, folder / "local", "local")
    by_ray = run(corpus, folder / "ray", "ray")
    killed = run(corpus, folder / "killed", "ray", kill=True)
    reference = content(folder / "local")
    catalog = folder / "local" / "catalog.db"
    knowledge = folder / "local" / "knowledge.db"
    return {
        "local": here,
        "ray": by_ray,
        "ray, workers killed": killed,
        "speed of ray, local = 1": speed(here, by_ray, "scan s", "harvest s"),
        "... with its start": speed(here, by_ray, "all s"),
        "tables that differ, ray": differences(reference, content(folder / "ray")),
        "tables that differ, killed": differences(
            reference, content(folder / "killed")
        ),
        "rows compared": sum(map(len, reference.values())),
        "catalogue MB": round(catalog.stat().st_size / 1e6, 1),
        "knowledge MB": round(knowledge.stat().st_size / 1e6, 1),
    }


def speed(here: dict[str, float], by_ray: dict[str, float], *spans: str) -> float:
    return round(sum(map(here.get, spans)) / sum(map(by_ray.get, spans)), 2)


def run(
    corpus: Path, home: Path, engine: str, *, kill: bool = False
) -> dict[str, float]:
    words = [sys.executable, "-c", ONE_RUN, str(home), str(corpus), engine, str(NOW)]
    process = subprocess.Popen(
        words, stdout=subprocess.PIPE, text=True, env=os.environ | AS_LOCAL_ONES
    )
    kills = 0
    dice = random.Random(20)
    while kill and process.poll() is None:
        with suppress(subprocess.TimeoutExpired):
            process.wait(dice.uniform(0, 2 * KILL_SECONDS))
        kills += _kill_a_worker(process.pid, dice)
    output, _ = process.communicate()
    assert process.returncode == 0, output
    results = json.loads(output.splitlines()[-1])
    if kill:
        results["kills"] = kills
    return {name: round(value, 1) for name, value in results.items()}


def _kill_a_worker(driver: int, dice: random.Random) -> int:
    """One that is at a piece of work, of the cluster that this process started."""
    workers = [process for process in _below(driver) if _is_working(process)]
    if not workers:
        return 0
    with suppress(OSError):
        os.kill(dice.choice(workers), signal.SIGKILL)
        return 1
    return 0


def _below(process: int) -> list[int]:
    tree, waiting = [], [process]
    while waiting:
        parent = waiting.pop()
        for task in Path(f"/proc/{parent}/task").glob("*/children"):
            with suppress(OSError):
                waiting += map(int, task.read_text().split())
        tree.append(parent)
    return tree[1:]


def _is_working(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/cmdline").read_bytes().startswith(b"ray::perform")
    except OSError:
        return False


def content(home: Path) -> dict[str, list[str]]:
    """Every row of both stores, apart from what is of each home another."""
    tables: dict[str, list[str]] = {}
    for name in ("catalog", "knowledge"):
        with closing(sqlite3.connect(home / f"{name}.db")) as db:
            listed = db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
            for (table,) in listed.fetchall():
                tables[f"{name}.{table}"] = sorted(_rows(db, table))
    return tables


def _rows(db: sqlite3.Connection, table: str) -> list[str]:
    columns = [row[1] for row in db.execute(f'PRAGMA table_info("{table}")')]
    chosen = ", ".join(f'"{name}"' for name in columns if name not in OF_ITS_OWN)
    rows = db.execute(f'SELECT {chosen} FROM "{table}"')
    if table != "facts":
        return [repr(row) for row in rows]
    return [repr(row) for row in rows if row[0] not in OF_ITS_OWN]


def differences(one: dict[str, list[str]], two: dict[str, list[str]]) -> list[str]:
    tables = sorted(one.keys() | two.keys())
    return [table for table in tables if one.get(table) != two.get(table)]


if __name__ == "__main__":
    begun = time.perf_counter()
    main()
    print(f"took {time.perf_counter() - begun:.0f} s")
