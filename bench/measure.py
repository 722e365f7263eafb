"""`afterglow measure` over a large catalogue, apart from start-up. `python -m bench.measure --help`.

Asked: under 50 ms on 12,000 sessions with 200,000 messages. Each run opens the stores anew, the best of 25 is kept.
`first` is the run after the catalogue changed, which reads every profile and the failures of every session; `again` any
run after it. Items, deliveries and failures are made up around the errors the fleet really met, so that every reading
and every moment has work to do. Results go to bench/out/measure.json.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import time
from collections import Counter
from pathlib import Path

from afterglow.config import Config
from afterglow.flows.measure import measure
from afterglow.flows.read import scan
from afterglow.measure.page import page
from afterglow.records.delivery import Delivery, Followed, Given
from afterglow.records.knowledge import KnowledgeItem
from afterglow.records.problems import Event, FollowingCall, SessionEvents
from afterglow.records.reading import Glance
from afterglow.store.catalog import Catalog
from afterglow.store.events import packed_events
from afterglow.store.knowledge import Knowledge
from afterglow.store.ledger import Ledger
from afterglow.store.measure_cache import NAME, glances
from afterglow.store.untold_repeats import NAME as UNTOLD
from afterglow_demo import write_fleet
from bench.measuring import afterglow, median_ms

OUT = Path(__file__).parent / "out"
TIMES = 25


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--sessions",
        type=int,
        default=15_300,
        help="of the fleet; a fifth is empty or sub-agents",
    )
    parser.add_argument("--items", type=int, default=1000)
    parser.add_argument("--deliveries", type=int, default=1000)
    options = parser.parse_args()
    found = []
    for deliveries in (0, options.deliveries):
        config = prepared(
            OUT / f"measure-{options.sessions}",
            options.sessions,
            options.items,
            deliveries,
        )
        found.append(timed(config))
        for what, value in found[-1].items():
            sys.stdout.write(f"{what:<40}  {value:>10,}\n")
        sys.stdout.write("\n")
    (OUT / "measure.json").write_text(json.dumps(found, indent=2) + "\n")


def prepared(root: Path, sessions: int, items: int, deliveries: int) -> Config:
    """A scanned fleet with short texts, kept from run to run; items and deliveries anew."""
    home = root / "home"
    config = Config(home=home, user_home=home, cores=2)
    if not config.catalog.exists():
        shutil.rmtree(root, ignore_errors=True)
        write_fleet(root / "fleet", sessions=sessions, scale=0.02, jobs=2)
        scan(config, [root / "fleet"], jobs=2)
    keep_failures(config)
    for path in (*home.glob("knowledge.db*"), *home.glob("ledger.db*")):
        path.unlink()
    with Catalog(config.catalog) as catalog:
        seen = glances(catalog)
    errors = Counter((one.repo, error) for one in seen for error in one.errors)
    made = [
        KnowledgeItem(
            id=f"k{n:07d}", fact=f"lesson {n}", category="pitfall", status="active", repo=repo, domain=f"d{n % 40}",
            fingerprints=(error,), confidence=0.8, first_seen=seen[n].start, last_confirmed=seen[-n].start,
        )
        for n, ((repo, error), _) in enumerate(errors.most_common(items))
    ]  # fmt: skip
    now = seen[-1].start or 0.0
    with Knowledge(config.knowledge) as knowledge:
        knowledge.save(made, by="harvest", now=now)
    with Ledger(config.ledger) as ledger:
        for n, one in enumerate(seen[-deliveries:] if deliveries else []):
            given = tuple(
                Given(
                    item.id, 0.8, n % 3 == 0, n % 2 == 0, n % 4 == 0, n % 4 == 2, item.situation, item.remedy,
                    item.fingerprints,
                )
                for item in (made * 2)[n % len(made) :][:10]
            )  # fmt: skip
            ledger.add(
                Delivery(
                    id=f"ag-{n:010d}",
                    when="failure" if n % 2 else "start",
                    followed=Followed(
                        problem=f"line {next(iter(one.errors), '')}",
                        solved=n % 5 > 0,
                        calls=1 + n % 3,
                    ),
                    time=one.start or now,
                    repo=one.repo,
                    agent=one.agent,
                    state="delivered",
                    session=one.id,
                    items=given,
                )
            )
    return config


def keep_failures(config: Config) -> None:
    """What harvest leaves of each session: its errors as failures, each with a key and a solution."""
    with Catalog(config.catalog) as catalog:
        keys = dict(catalog.rows("SELECT id, key FROM sessions"))
        rows = [(keys[one.id], packed_events(_events(one))) for one in glances(catalog)]
        with catalog.writing() as db:
            db.executemany("INSERT OR REPLACE INTO events VALUES (?, ?, 0)", rows)


def _events(one: Glance) -> SessionEvents:
    remedy = FollowingCall(2, "Bash", "make dock", worked=True)
    return SessionEvents(
        tuple(
            Event(
                kind="failed", session=one.id, agent=one.agent, line=n, result_line=n, call=hash((one.id, n)) & 0xFFFF_FFFF,
                tool="Bash", command="make " * 12, keys=(f"line {error}", f"exact make: {error}"), calls=1 + n % 4,
                remedy=remedy if n % 5 else None, tried=(remedy,) * 3,
            )
            for n, error in enumerate(one.errors)
        )
    )  # fmt: skip


def timed(config: Config) -> dict[str, float]:
    first, again = [], []
    for _ in range(TIMES):
        with Catalog(config.catalog) as catalog, catalog.writing() as db:
            db.execute("DELETE FROM facts WHERE name IN (?, ?)", (NAME, UNTOLD))
        for times in (first, again):
            start = time.perf_counter()
            found = measure(config)
            times.append(1000 * (time.perf_counter() - start))
    start = time.perf_counter()
    page(found)
    drawn = 1000 * (time.perf_counter() - start)
    with Catalog(config.catalog) as catalog:
        messages = catalog.rows(
            "SELECT sum(messages) FROM sessions WHERE NOT empty AND NOT copy AND origin = 'main'"
        )
    return {
        "sessions": found.sessions,
        "messages": messages[0][0],
        "active items": found.items,
        "proved deliveries": found.deliveries,
        "again, best ms (asked: 50)": round(min(again), 1),
        "first after a change, best ms": round(min(first), 1),
        "the page on top, ms": round(drawn, 1),
        "whole command, median ms": round(
            median_ms(*afterglow("measure"), home=config.home), 1
        ),
        "afterglow --help, median ms": round(
            median_ms(*afterglow("--help"), home=config.home), 1
        ),
    }


if __name__ == "__main__":
    main()
