"""What became of sessions that started with a template: its record, from the ledger and the catalogue."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection

from afterglow.config import Config
from afterglow.errors import StoreError
from afterglow.records.delivery import REPEATED
from afterglow.records.template import TEMPLATE_PREFIX
from afterglow.store.templates.entries import Record
from afterglow.store.templates.folder import Trouble

PATIENCE = 30.0  # seconds a command waits for a ledger that is being rewritten


def record(
    config: Config,
    ids: Collection[str] | None = None,
    *,
    patience: float = PATIENCE,
) -> dict[str, Record]:
    """What the ledger and the catalogue know of templates that were given out. A delivery that no transcript proves is
    a use without an outcome; so is one whose session's outcome is not known. A context that a session was told again
    is no further use."""
    if not config.ledger.exists():
        return {}
    from afterglow.store.ledger import Ledger

    with Ledger(config.ledger, patience=patience) as ledger:
        deliveries = [
            delivery
            for delivery in ledger.led_by(TEMPLATE_PREFIX)
            if REPEATED not in delivery.id
            if ids is None or delivery.items[0].item in ids
        ]
    proved_sessions = {
        delivery.session for delivery in deliveries if delivery.state == "delivered"
    }
    outcomes = _outcomes(config, proved_sessions)
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for delivery in deliveries:
        count = counts[delivery.items[0].item]
        count["uses"] += 1
        if delivery.state != "delivered":
            continue
        count["proved"] += 1
        outcome, read_from = outcomes.get(delivery.session, ("unknown", "none"))
        count[outcome] += 1
        count["guessed"] += read_from == "ending"
    return {id: _record(count) for id, count in counts.items()}


def _record(count: Counter[str]) -> Record:
    return Record(
        uses=count["uses"],
        proved=count["proved"],
        successes=count["success"],
        failures=count["failure"],
        guessed=count["guessed"],
    )


def readable_records(
    config: Config,
    ids: Collection[str] | None = None,
    *,
    patience: float = PATIENCE,
) -> tuple[dict[str, Record], list[Trouble]]:
    """The record, or why it cannot be had: what templates hold can be read without it."""
    try:
        return record(config, ids, patience=patience), []
    except StoreError as error:
        return {}, [Trouble(config.ledger.name, str(error))]


def _outcomes(config: Config, sessions: Collection[str]) -> dict[str, tuple[str, str]]:
    """How sessions ended, and what that was read from."""
    if not sessions or not config.catalog.exists():
        return {}
    from afterglow.store.catalog import Catalog

    with Catalog(config.catalog) as catalog:
        return catalog.outcomes(sessions)
