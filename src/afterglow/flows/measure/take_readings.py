"""measure: is it working? Readings over the catalogue, what is kept, and what was delivered."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

from msgspec.structs import replace

from afterglow.config import Config
from afterglow.errors import UsageError
from afterglow.flows.session import settle_deliveries
from afterglow.measure.dashboard import dashboard
from afterglow.measure.readings import Material, read_all
from afterglow.records.delivery import Delivery
from afterglow.records.knowledge import KnowledgeItem
from afterglow.records.reading import Glance, Measured
from afterglow.stats.estimates import weeks
from afterglow.store.catalog import Catalog
from afterglow.store.knowledge import Knowledge
from afterglow.store.ledger import Ledger
from afterglow.store.measure_cache import glances
from afterglow.store.snapshots import Snapshots
from afterglow.text.numbers import day


def measure(
    config: Config,
    *,
    repo: str | None = None,
    agent: str | None = None,
    since: float | None = None,
    now: float | None = None,
) -> Measured:
    """Every reading over what was asked for; where everything was, also what saved snapshots said. Contexts that were
    given out are looked for in the sessions first."""
    now = time.time() if now is None else now
    if config.ledger.exists():
        settle_deliveries(config, now=now)
    material = _material(config, repo, agent, since, now)
    asked = {"repo": repo, "agent": agent, "since": day(since)}
    selection = {name: value for name, value in asked.items() if value}
    readings, troubles = read_all(material), list[str]()
    if not selection:
        past, troubles = _snapshots(config).before(day(now))
        readings = tuple(
            replace(one, past=tuple(past.get(one.name, ()))) for one in readings
        )
    return Measured(
        day=day(now),
        sessions=len(material.sessions),
        items=len(material.items),
        deliveries=len(material.deliveries),
        first_day=day(
            min(
                (one.start for one in material.sessions if one.start is not None),
                default=None,
            )
        ),
        last_day=day(material.end),
        selection=selection,
        readings=readings,
        troubles=tuple(troubles),
    )


def save(config: Config, measured: Measured) -> Path:
    """Keeps today's readings as a snapshot (a second one replaces the first) and writes the dashboard beside it."""
    if measured.selection:
        narrowed = ", ".join(f"--{name}" for name in measured.selection)
        raise UsageError(
            f"a snapshot is of all sessions: leave out {narrowed}, or leave out --save"
        )
    return _snapshots(config).save(measured, dashboard(measured))


def _snapshots(config: Config) -> Snapshots:
    return Snapshots(config.home / "metrics")


def _material(
    config: Config, repo: str | None, agent: str | None, since: float | None, now: float
) -> Material:
    with Catalog(config.catalog) as catalog:
        history = glances(catalog)
    ledger = _ledger(config)
    sessions: Sequence[Glance] = history
    if repo or agent or since is not None:
        sessions = [
            one
            for one in history
            if _fits(one.repo, one.agent, one.end or one.start, repo, agent, since)
        ]
    delivered = [
        one
        for one in ledger
        if one.state == "delivered"
        and _fits(one.repo, one.agent, one.started or one.time, repo, agent, since)
    ]
    return Material(
        now=now,
        end=max((one.end or one.start or 0.0 for one in sessions), default=0.0) or None,
        sessions=sessions,
        history=history,
        weeks=weeks(sessions),
        items=_items(config, repo, agent),
        deliveries=delivered,
        ledger=ledger,
    )


def _items(config: Config, repo: str | None, agent: str | None) -> list[KnowledgeItem]:
    """What holds there: of the repo or agent asked for, or everywhere."""
    if not config.knowledge.exists():
        return []
    with Knowledge(config.knowledge) as knowledge:
        active = knowledge.items(status=("active",))
    return [
        item
        for item in active
        if _fits(
            item.repo, item.agent, None, item.repo and repo, item.agent and agent, None
        )
    ]


def _ledger(config: Config) -> list[Delivery]:
    if not config.ledger.exists():
        return []
    with Ledger(config.ledger) as ledger:
        return ledger.deliveries()


def _fits(
    its_repo: str,
    its_agent: str,
    time: float | None,
    repo: str | None,
    agent: str | None,
    since: float | None,
) -> bool:
    """As the catalogue sees it: a repo is asked for by its whole name, or by the name without its owner."""
    if repo and repo not in (its_repo, its_repo.partition("/")[2]):
        return False
    if agent and agent != its_agent:
        return False
    return since is None or (time is not None and time >= since)
