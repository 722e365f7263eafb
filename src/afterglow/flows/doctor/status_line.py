"""status: the last context given out, how often delivered items were used, and what waits to be harvested."""

from __future__ import annotations

import time

from msgspec import Struct

from afterglow.config import Config
from afterglow.errors import StoreError
from afterglow.flows.harvest import waiting
from afterglow.records.delivery import Delivery

DAYS = 30.0


class Last(Struct, frozen=True):
    """The newest context: how many seconds ago, for which repository and agent, how many items."""

    id: str
    seconds: float
    repo: str
    agent: str
    items: int
    state: str


class Status(Struct, frozen=True, kw_only=True):
    """Of the last `days`: contexts given out and proved to have arrived; items judged in those, and used. `waiting`
    sessions are to be harvested. `trouble` says why the ledger could not be read."""

    days: float = DAYS
    last: Last | None = None
    given: int = 0
    delivered: int = 0
    judged: int = 0
    used: int = 0
    waiting: int = 0
    trouble: str = ""


def status(config: Config, *, now: float | None = None) -> Status:
    now = time.time() if now is None else now
    found: list[Delivery] = []
    trouble = ""
    if config.ledger.exists():
        from afterglow.store.ledger import Ledger

        try:
            with Ledger(config.ledger, patience=0.2) as ledger:
                found = ledger.deliveries(since=now - DAYS * 86400)
        except StoreError as error:
            trouble = str(error)
    used = [
        item.used
        for one in found
        if one.state == "delivered"
        for item in one.items
        if item.used is not None
    ]
    return Status(
        last=_last(found[-1], now) if found else None,
        given=len(found),
        delivered=sum(one.state == "delivered" for one in found),
        judged=len(used),
        used=sum(used),
        waiting=sum(not one.aside for one in waiting(config)),
        trouble=trouble,
    )


def _last(one: Delivery, now: float) -> Last:
    return Last(
        one.id, max(now - one.time, 0.0), one.repo, one.agent, len(one.items), one.state
    )
