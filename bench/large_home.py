"""A home at the size of years: simulated sessions that were scanned and harvested, made-up items with evidence in them,
deliveries of the ledger. `python -m bench.large_home DIR [--sessions 20000 --items 100000 --deliveries 30000]`."""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec.structs import replace

from afterglow.config import Config
from afterglow.flows.harvest import harvest
from afterglow.flows.read import scan
from afterglow.records.catalog import Entry
from afterglow.records.delivery import Delivery, Given
from afterglow.records.knowledge import KnowledgeItem
from afterglow.store.catalog import Catalog
from afterglow.store.knowledge import Knowledge
from afterglow.store.ledger import Ledger
from afterglow_demo import write_fleet
from bench.knowledge import Maker

SCALE = 0.05  # of the texts of sessions: their number is what matters here
MINERS = ("recoveries", "changes", "user_rules", "commands", "written")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--sessions", type=int, default=20_000)
    parser.add_argument("--items", type=int, default=100_000)
    parser.add_argument("--deliveries", type=int, default=30_000)
    options = parser.parse_args()
    make_home(
        options.folder,
        sessions=options.sessions,
        items=options.items,
        deliveries=options.deliveries,
    )


def make_home(folder: Path, *, sessions: int, items: int, deliveries: int) -> Config:
    """The home is `folder`/home, the agents' sessions lie in `folder`/agents."""
    home, agents = folder / "home", folder / "agents"
    config = Config(home=home, user_home=folder, cores=2)
    began = time.perf_counter()
    write_fleet(agents, sessions=sessions, scale=SCALE, jobs=2)
    _say(f"{sessions} sessions written", began)
    scan(config, [agents])
    _say("scanned", began)
    harvest(config)
    _say("harvested", began)
    with Catalog(config.catalog) as catalog:
        entries = catalog.entries()
    with Knowledge(config.knowledge) as knowledge:
        knowledge.save(_items(items, entries), by="harvest", now=time.time())
        told = [item.id for item in knowledge.items(status=("active",), limit=2_000)]
    _say(f"{items} items kept", began)
    with Ledger(config.ledger) as ledger:
        for delivery in _deliveries(deliveries, entries, told):
            ledger.add(delivery)
    _say(f"{deliveries} deliveries kept", began)
    return config


def _items(count: int, entries: Sequence[Entry]) -> Iterator[KnowledgeItem]:
    """Made-up facts, in the repositories there are, resting on sessions there are."""
    chance = random.Random(3)
    for made_up in Maker().items(count):
        entry = chance.choice(entries)
        evidence = tuple(
            replace(each, session=entry.id, agent=entry.agent, repo=entry.repo, line=2)
            for each in made_up.evidence
        )
        repo = entry.repo if made_up.repo else ""
        last = entry.end or entry.start
        miner = chance.choice(MINERS)
        yield replace(
            made_up, repo=repo, evidence=evidence, last_confirmed=last, miner=miner
        )


def _deliveries(
    count: int, entries: Sequence[Entry], items: Sequence[str]
) -> Iterator[Delivery]:
    chance = random.Random(4)
    for number in range(count):
        entry = chance.choice(entries)
        lines = tuple(
            Given(id, 0.7, used=chance.choice((None, True, False)))
            for id in chance.sample(items, 8)
        )
        yield Delivery(
            id=f"ag-{number:010x}",
            time=entry.start or 0.0,
            when=chance.choice(("start", "start", "failure")),
            repo=entry.repo,
            agent=entry.agent,
            budget=600,
            tokens=400,
            state="delivered",
            session=entry.id,
            started=entry.start,
            turn=1,
            items=lines,
        )


def _say(words: str, began: float) -> None:
    sys.stdout.write(f"{time.perf_counter() - began:6.0f} s  {words}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
