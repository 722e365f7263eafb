"""measure: is it working? Readings over the catalogue, what is kept, and what was delivered."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path

from msgspec.structs import replace

from afterglow.config import Config
from afterglow.errors import UsageError
from afterglow.flows.no_transcripts import check_transcripts
from afterglow.flows.session import settle_deliveries
from afterglow.measure.dashboard import dashboard
from afterglow.measure.readings import (
    NO_DELIVERIES,
    NO_ITEMS,
    NO_SESSIONS,
    Material,
    read_all,
)
from afterglow.records.catalog import HistoryOutline
from afterglow.records.delivery import Delivery
from afterglow.records.knowledge import KnowledgeItem
from afterglow.records.reading import (
    Glance,
    Measured,
    MomentReading,
    Reading,
    UntoldRepeats,
)
from afterglow.records.selection import EVERYTHING, Selection
from afterglow.stats.estimates import weeks
from afterglow.store.catalog import Catalog
from afterglow.store.catalog_summary import history_outline
from afterglow.store.knowledge import Knowledge
from afterglow.store.ledger import Ledger
from afterglow.store.measure_cache import glances
from afterglow.store.snapshots import Snapshots
from afterglow.text.numbers import day

Progress = Callable[[int, int], None]

# Why a hub has no value for what a machine at home would have one.
AT_HUB = {
    NO_SESSIONS: "a hub has no sessions; ask on a machine that has",
    NO_ITEMS: "no active items yet (`afterglow sync` brings what machines learned)",
    NO_DELIVERIES: "no machine has sent yet what it told its sessions",
}


def measure(
    config: Config,
    selection: Selection = EVERYTHING,
    *,
    settle: bool = True,
    now: float | None = None,
    progress: Progress = lambda count, total: None,
) -> Measured:
    """Every reading over what was asked for; where everything was, also what saved snapshots said. Contexts that were
    given out are looked for in the sessions first; without `settle` nothing is, and nothing is written."""
    now = time.time() if now is None else now
    if settle and config.hub is None and config.ledger.exists():
        settle_deliveries(config, now=now, progress=progress)
    material = _material(config, selection, now)
    given_out = _given_out(material.ledger, selection)
    filters = selection.filters()
    readings, troubles = read_all(material), list[str]()
    if config.hub is not None:
        readings = tuple(map(_at_hub, readings))
    elif not filters:
        past, troubles = _snapshots(config).before(day(now))
        readings = tuple(
            replace(reading, past=tuple(past.get(reading.name, ())))
            for reading in readings
        )
    return Measured(
        day=day(now),
        sessions=len(material.sessions),
        items=len(material.items),
        deliveries=len(material.deliveries),
        first_day=day(
            min(
                (
                    reading.start
                    for reading in material.sessions
                    if reading.start is not None
                ),
                default=None,
            )
        ),
        last_day=day(material.end),
        selection=filters,
        readings=readings,
        moments=_moments(config, given_out, material) if given_out else (),
        troubles=tuple(troubles),
    )


def outline(config: Config) -> HistoryOutline:
    """What reports can be about, and how much there is."""
    if not config.catalog.exists():
        return HistoryOutline()
    with Catalog(config.catalog) as catalog:
        return history_outline(catalog)


def _at_hub(reading: Reading) -> Reading:
    reason = AT_HUB.get(reading.reason, reading.reason)
    return replace(reading, reason=reason)


def save(config: Config, measured: Measured) -> Path:
    """Keeps today's readings as a snapshot (a second one replaces the first) and writes the dashboard beside it."""
    check_transcripts(config, "a snapshot")
    if measured.selection:
        narrowed = ", ".join(f"--{name}" for name in measured.selection)
        raise UsageError(
            f"a snapshot is of all sessions: leave out {narrowed}, or leave out --save"
        )
    return _snapshots(config).save(measured, dashboard(measured))


def _snapshots(config: Config) -> Snapshots:
    return Snapshots(config.home / "metrics")


def _material(config: Config, selection: Selection, now: float) -> Material:
    history = _history(config)
    sessions: Sequence[Glance] = history
    if selection.filters():
        sessions = [
            glance
            for glance in history
            if selection.fits(glance.repo, glance.agent, glance.end or glance.start)
        ]
    ledger = _ledger(config)
    delivered = [
        delivery
        for delivery in _given_out(ledger, selection)
        if delivery.state == "delivered" and delivery.when != "compaction"
    ]
    ends = [session.end or session.start or 0.0 for session in sessions]
    if config.hub is not None:
        ends = [delivery.time for delivery in ledger]
    return Material(
        now=now,
        end=max(ends, default=0.0) or None,
        sessions=sessions,
        history=history,
        weeks=weeks(sessions),
        items=_items(config, selection),
        deliveries=delivered,
        ledger=ledger,
    )


def _history(config: Config) -> Sequence[Glance]:
    if config.hub is not None:
        return ()
    with Catalog(config.catalog) as catalog:
        return glances(catalog)


def _given_out(ledger: Sequence[Delivery], selection: Selection) -> list[Delivery]:
    """All lessons that were given out to the sessions asked for, whether or not that is proved; not what a person printed.
    Templates have a record of their own."""
    return [
        delivery
        for delivery in ledger
        if not delivery.is_by_hand
        and not delivery.is_template
        and selection.fits(
            delivery.repo, delivery.agent, delivery.started or delivery.time
        )
    ]


def _moments(
    config: Config, deliveries: Sequence[Delivery], material: Material
) -> tuple[MomentReading, ...]:
    """What came of telling, by the moment, against sessions with the same problems that were told nothing. They are
    looked for only where there is something to compare."""
    from afterglow.measure.moments import moments, sessions_told, told_problems

    problems = told_problems(deliveries)
    untold: tuple[UntoldRepeats, ...] = ()
    if problems and config.hub is None:
        from afterglow.store.untold_repeats import untold_repeats

        sessions = sessions_told(material.ledger, problems, material.items)
        with Catalog(config.catalog) as catalog:
            untold = untold_repeats(catalog, problems, sessions)
    return moments(deliveries, untold)


def _items(config: Config, selection: Selection) -> list[KnowledgeItem]:
    """What holds there: of the repo or agent asked for, or everywhere."""
    if not config.knowledge.exists():
        return []
    with Knowledge(config.knowledge) as knowledge:
        active = knowledge.items(status=("active",))
    return [
        item
        for item in active
        if Selection(
            repo=selection.repo if item.repo else None,
            agent=selection.agent if item.agent else None,
        ).fits(item.repo, item.agent, None)
    ]


def _ledger(config: Config) -> list[Delivery]:
    if not config.ledger.exists():
        return []
    with Ledger(config.ledger) as ledger:
        return ledger.deliveries()
