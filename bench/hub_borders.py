"""How many attempts to cross a border of rights at a hub succeed? None may.

    python -m bench.hub_borders [--list]

A hub with two organisations in which every row carries a mark (`borders/scene.py`); attempts by raw SQL under the
server's own roles on every table (`borders/by_table.py`) and by what somebody thought of (`borders/attempts.json`), and
over HTTP (`borders/over_http.py`). An attempt succeeds if its actor gets to read a mark that they may not see, learns
anything where there is nothing to learn, or leaves a row changed.
"""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory
from uuid import uuid4

from bench.borders.attempt import Outcome, judged, thought_of
from bench.borders.by_table import attempts_by_table
from bench.borders.over_http import judged_over_http
from bench.borders.scene import Scene, marked_hub
from bench.hub_room import Server


def every_outcome(scene: Scene, home: Path) -> list[Outcome]:
    by_sql = [*attempts_by_table(scene), *thought_of()]
    return [*judged(scene, by_sql), *judged_over_http(scene, home)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--list", action="store_true", help="print every attempt")
    options = parser.parse_args()
    with TemporaryDirectory(prefix="afterglow-borders-") as folder:
        server = Server(Path(folder))
        try:
            url = server.database(f"borders_{uuid4().hex[:8]}")
            with marked_hub(url) as scene:
                outcomes = every_outcome(scene, Path(folder))
                tables = len(scene.tables)
        finally:
            server.close()
    if options.list:
        for outcome in outcomes:
            print(f"{outcome.attempt}: {outcome.crossed or outcome.answer}")
    crossed = [outcome for outcome in outcomes if outcome.crossed]
    for outcome in crossed:
        print(f"CROSSED {outcome.attempt}: {outcome.crossed}")
    actors = Counter(outcome.actor for outcome in outcomes)
    print(
        f"{len(outcomes)} attempts on {tables} tables, {len(crossed)} crossed a border"
    )
    print(", ".join(f"{actor} {count}" for actor, count in actors.most_common()))
    if crossed:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
