"""item_page: all there is to say about one item: why it has its status, what happened to it, to whom it was given and
what became of it, what it replaces and what replaced it, what it is related to."""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import Literal

from msgspec import Struct

from afterglow.config import Config
from afterglow.context import CONFIDENCE, unfit
from afterglow.context.in_words import omission_in_words
from afterglow.flows.knowledge.review import show
from afterglow.flows.told_knowledge import told_knowledge
from afterglow.records.context import LeftOut, Need
from afterglow.records.delivery import Delivery, Given, State
from afterglow.records.knowledge import Change, KnowledgeItem
from afterglow.records.settings import START_TOKENS
from afterglow.store.ledger_pages import LedgerPages

MAX_DELIVERIES = 20  # the latest; counts are of all
MAX_RELATED = 20
# What became of an item that was given. Used and yet the error came: its remedy did not hold. Not seen is not unused.
Became = Literal[
    "used", "ignored", "harmful", "not met", "cannot tell", "no data", "waiting"
]
BECAME_WORDS: dict[Became, str] = {
    "used": "its remedy shows in a later call",
    "ignored": "its situation came up and its remedy does not show",
    "harmful": "it was used and the known error came all the same",
    "not met": "its situation did not come up",
    "cannot tell": "a transcript shows it, and nothing by which to judge",
    "no data": "no transcript shows that it arrived",
    "waiting": "its transcript has not been read yet",
}
JUDGED: tuple[Became, ...] = ("used", "ignored", "harmful")


class ItemDelivery(Struct, frozen=True):
    """One time an item was given: to which session if that is known, and what became of it there."""

    delivery: Delivery
    became: Became


class ItemDeliveries(Struct, frozen=True):
    """How often an item was given, what became of it, and the latest times."""

    total: int = 0
    counts: dict[Became, int] = {}
    latest: tuple[ItemDelivery, ...] = ()

    @property
    def judged(self) -> int:
        """Those of which it can be said whether it was used."""
        return sum(self.counts.get(became, 0) for became in JUDGED)


class ItemPage(Struct, frozen=True, kw_only=True):
    """`untold` is why no session is given it at its start, empty where one is. `problems` are the ids of what it is a
    lesson about."""

    item: KnowledgeItem
    history: tuple[Change, ...]
    replaces: tuple[KnowledgeItem, ...] = ()
    replaced_by: tuple[KnowledgeItem, ...] = ()
    related: tuple[KnowledgeItem, ...] = ()
    problems: tuple[str, ...] = ()
    deliveries: ItemDeliveries = ItemDeliveries()
    untold: str = ""

    @property
    def chain(self) -> tuple[KnowledgeItem, ...]:
        """What replaced what, the oldest first."""
        return *reversed(self.replaces), self.item, *self.replaced_by


def item_page(config: Config, id: str, now: float | None = None) -> ItemPage:
    """By id, or the beginning of one."""
    (stored,) = show(config, [id])
    item = stored.item
    return ItemPage(
        item=item,
        history=stored.history,
        replaces=stored.replaces,
        replaced_by=stored.replaced_by,
        related=tuple(_related(config, item)),
        problems=_problems(item),
        deliveries=item_deliveries(config, item.id),
        untold=_why_untold(item, time.time() if now is None else now),
    )


def item_deliveries(config: Config, id: str) -> ItemDeliveries:
    if not config.ledger.exists():
        return ItemDeliveries()
    with LedgerPages(config.ledger) as ledger:
        judged = [_judged(delivery, id) for delivery in ledger.of_item(id)]
    return ItemDeliveries(
        len(judged), _counted(judged), tuple(reversed(judged[-MAX_DELIVERIES:]))
    )


def _counted(deliveries: Iterable[ItemDelivery]) -> dict[Became, int]:
    counts: dict[Became, int] = dict.fromkeys(BECAME_WORDS, 0)
    for each in deliveries:
        counts[each.became] += 1
    return {became: times for became, times in counts.items() if times}


def _judged(delivery: Delivery, id: str) -> ItemDelivery:
    entry = next(entry for entry in delivery.items if entry.item == id)
    return ItemDelivery(delivery, became(delivery.state, entry))


def became(state: State, entry: Given) -> Became:
    """What became of an item in a delivery of that state."""
    if state != "delivered":
        return "waiting" if state == "waiting" else "no data"
    if entry.used:
        return "harmful" if entry.failed else "used"
    if entry.met is False:
        return "not met"
    return "ignored" if entry.met and entry.used is False else "cannot tell"


def _related(config: Config, item: KnowledgeItem) -> list[KnowledgeItem]:
    """Those that it names, and those about the same error that hold in its place."""
    with told_knowledge(config) as knowledge:
        by_error = knowledge.of_fingerprints(item.fingerprints)
        ids = {*item.related, *(id for ids in by_error.values() for id in ids)}
        items = knowledge.find(ids - {item.id}).values()
    here = [
        each
        for each in items
        if each.id in item.related or each.repo in {item.repo, ""}
    ]
    return sorted(here, key=_strength)[:MAX_RELATED]


def _strength(item: KnowledgeItem) -> tuple[bool, float, str]:
    return item.status != "active", -item.confidence, item.id


def _problems(item: KnowledgeItem) -> tuple[str, ...]:
    topics = (topic.partition(":") for topic in item.topics)
    return tuple(id for kind, _, id in topics if kind == "problem")


def _why_untold(item: KnowledgeItem, now: float) -> str:
    """To a session of its own place."""
    need = Need(now=now, repo=item.repo, agent=item.agent)
    why, detail = unfit(item, need, CONFIDENCE)
    if why is None:
        return ""
    omission = LeftOut(item.id, why, detail)
    return omission_in_words(
        omission, item, budget=START_TOKENS, min_confidence=CONFIDENCE
    )
