"""status: the last context given out, how often delivered items were used, what waits to be harvested, and what writing
lessons cost."""

from __future__ import annotations

import time

from msgspec import Struct

from afterglow.config import Config
from afterglow.errors import StoreError
from afterglow.flows.doctor.agent_moments import AgentMoments, last_moments
from afterglow.flows.harvest import last_writing, lessons_written, waiting
from afterglow.records.delivery import Delivery
from afterglow.records.writing import PURPOSE

DAYS = 30.0  # a month: long enough for a number that means something
LEDGER_SECONDS = 0.2  # for a ledger in use: a status line must not hold up a prompt


class Last(Struct, frozen=True):
    """What was told last: how many seconds ago, at which moment, for which repository and agent, how many items."""

    id: str
    seconds: float
    repo: str
    agent: str
    items: int
    state: str
    when: str = "start"


class WritingStatus(Struct, frozen=True, kw_only=True):
    """What writing lessons cost and brought, today and in the last seven days (UTC). `trouble` says why the writer did
    not answer when it was last asked in the background."""

    by: str = ""
    tokens_today: int = 0
    tokens_week: int = 0
    lessons_today: int = 0
    lessons_week: int = 0
    trouble: str = ""


class HubStatus(Struct, frozen=True, kw_only=True):
    """The hub that was joined: how many seconds ago it was last reached, none for never, and what went wrong since."""

    url: str
    seconds: float | None = None
    trouble: str = ""


class Status(Struct, frozen=True, kw_only=True):
    """Of the last `days`: contexts given out to agents and proved to have arrived; items judged in those, and used. `waiting`
    sessions are to be harvested. `agents` says of each when it was last told something, and when a hook of it last
    failed. `writing` is empty where nobody writes, `hub` where none was joined. `private_folders` are told nothing.
    `trouble` says why the ledger could not be read."""

    days: float = DAYS
    last: Last | None = None
    given: int = 0
    delivered: int = 0
    judged: int = 0
    used: int = 0
    waiting: int = 0
    agents: tuple[AgentMoments, ...] = ()
    writing: WritingStatus | None = None
    hub: HubStatus | None = None
    private_folders: int = 0
    trouble: str = ""


def status(config: Config, *, now: float | None = None) -> Status:
    now = time.time() if now is None else now
    deliveries: list[Delivery] = []
    trouble = ""
    if config.ledger.exists():
        from afterglow.store.ledger import Ledger

        try:
            with Ledger(config.ledger, patience=LEDGER_SECONDS) as ledger:
                deliveries = [
                    delivery
                    for delivery in ledger.deliveries(since=now - DAYS * 86400)
                    if not delivery.is_by_hand
                ]
        except StoreError as error:
            trouble = str(error)
    delivered = [delivery for delivery in deliveries if delivery.state == "delivered"]
    judged = [
        item.used
        for delivery in delivered
        for item in delivery.items
        if item.used is not None
    ]
    return Status(
        last=_last(deliveries[-1], now) if deliveries else None,
        given=len(deliveries),
        delivered=len(delivered),
        judged=len(judged),
        used=sum(judged),
        waiting=sum(not entry.aside for entry in waiting(config)),
        agents=tuple(last_moments(config)),
        writing=_writing(config, now),
        hub=_hub(config, now),
        private_folders=_private_folders(config),
        trouble=trouble,
    )


def _hub(config: Config, now: float) -> HubStatus | None:
    if not config.membership.exists():
        return None
    from afterglow.flows.hub import joined_hub

    try:
        hub = joined_hub(config)
    except StoreError as error:
        return HubStatus(url="", trouble=str(error))
    seconds = max(now - hub.time, 0.0) if hub.time else None
    return HubStatus(url=hub.url, seconds=seconds, trouble=hub.trouble)


def _private_folders(config: Config) -> int:
    from afterglow.store.private_folders import PrivateFolders

    try:
        listed = PrivateFolders(config.home).listed()
    except StoreError:  # doctor says what is wrong with the list
        return 0
    return sum(folder.until is None for folder in listed)


def _writing(config: Config, now: float) -> WritingStatus | None:
    if not config.write.agreed and not config.answers.exists():
        return None
    from afterglow.store.spending import Spending, day_of

    week = now - 6 * 86_400
    spending = Spending(config.spending, patience=LEDGER_SECONDS)
    last = last_writing(config)
    return WritingStatus(
        by=config.write.writer if config.write.agreed else "",
        tokens_today=spending.tokens(PURPOSE, day_of(now)),
        tokens_week=spending.tokens(PURPOSE, day_of(week)),
        lessons_today=lessons_written(config, _midnight(now)),
        lessons_week=lessons_written(config, _midnight(week)),
        trouble=last.trouble if last is not None else "",
    )


def _midnight(when: float) -> float:
    return when - when % 86_400


def _last(delivery: Delivery, now: float) -> Last:
    return Last(
        id=delivery.id,
        seconds=max(now - delivery.time, 0.0),
        repo=delivery.repo,
        agent=delivery.agent,
        items=len(delivery.items),
        state=delivery.state,
        when=delivery.when,
    )
