"""Pages of `afterglow serve` over a home at the size of years: first and median time, size. `python -m bench.pages DIR`,
where DIR was made by `python -m bench.large_home DIR` (20,000 sessions, 100,000 items). On a machine that does other work
too, `cpu ms` is what an idle one would take, about."""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from pathlib import Path

from starlette.testclient import TestClient

from afterglow.config import Config
from afterglow.flows.harvest import judge_stored_items, problem_page
from afterglow.records.problems import ProblemFilter
from afterglow.store.catalog import Catalog
from afterglow.store.knowledge import Knowledge
from afterglow.web.app import make_app
from afterglow.web.desk import Desk

HOST = "127.0.0.1:8378"
TIMES = 7
HOME_MS, LIST_MS, MAX_KB = 150, 300, 200  # asked for
PATHS = (
    "/",
    "/review",
    "/review?miner=changes",
    "/knowledge",
    "/knowledge?search=build+error",
    "/knowledge?status=candidate",
    "/knowledge/{item}",
    "/sessions",
    "/sessions?failures=yes",
    "/sessions?repo={repo}",
    "/sessions?search=test",
    "/sessions/{session}",
    "/problems",
    "/problems?lesson=without",
    "/problems/{problem}",
    "/preview?repo={repo}",
    "/templates",
    "/memory",
    "/experiments",
    "/experiments/new",
    "/measure",
    "/replay",
    "/profile",
    "/settings",
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", default="", help="paths that start so")
    options = parser.parse_args()
    config = Config(home=options.folder / "home", user_home=options.folder, cores=2)
    judge_stored_items(config)  # as `serve` does when it starts over an older store
    desk = Desk(lambda: config, token="bench-of-pages")
    client = TestClient(make_app(desk, [HOST]), base_url=f"http://{HOST}")
    client.get("/?token=bench-of-pages")
    names = _names(config)
    _out(f"{'page':<34}{'first ms':>10}{'median ms':>11}{'cpu ms':>8}{'KB':>8}  asked")
    for pattern in PATHS:
        path = pattern.format(**names)
        if path.startswith(options.only):
            _out(_line(client, path))


def _names(config: Config) -> dict[str, str]:
    """A session, an item, the dearest problem and the repository that has most sessions."""
    with Catalog(config.catalog) as catalog:
        entry = catalog.entries(newest=1)[0]
        repos = catalog.rows(
            "SELECT repo FROM sessions JOIN places USING (place) GROUP BY repo ORDER BY count(*) DESC LIMIT 1"
        )
    listed = problem_page(config, ProblemFilter(), limit=1).problems
    with Knowledge(config.knowledge) as knowledge:
        item = knowledge.items(status=("active",), limit=1)[0]
    return {
        "session": entry.id,
        "item": item.id,
        "problem": listed[0].id,
        "repo": repos[0][0],
    }


def _line(client: TestClient, path: str) -> str:
    times, worked = [], []
    for _ in range(TIMES):
        began, working = time.perf_counter(), time.process_time()
        answer = client.get(path)
        times.append(1000 * (time.perf_counter() - began))
        worked.append(1000 * (time.process_time() - working))
    size = len(answer.content) / 1000
    most = HOME_MS if path == "/" else LIST_MS
    median = statistics.median(times[1:])
    is_met = answer.status_code == 200 and median < most and size < MAX_KB
    verdict = f"under {most} ms, {MAX_KB} KB: {'yes' if is_met else 'NO'}"
    if answer.status_code != 200:
        verdict += f" (answered {answer.status_code})"
    return f"{path[:33]:<34}{times[0]:>10.0f}{median:>11.0f}{statistics.median(worked[1:]):>8.0f}{size:>8.0f}  {verdict}"


def _out(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
