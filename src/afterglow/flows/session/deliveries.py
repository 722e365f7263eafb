"""Noting every context that is given out. It is done while a session waits to start; `prove_deliveries` later finds
it in transcripts and judges what it did."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable, Sequence
from hashlib import blake2b

from msgspec.structs import replace

from afterglow.config import Config
from afterglow.records.context import Context, Need
from afterglow.records.delivery import REPEATED, Delivery, Given, When
from afterglow.records.knowledge import KnowledgeItem
from afterglow.store.ledger import Ledger
from afterglow.text.word_marks import words_mark

# seconds that a session which is about to start waits for another writer: hooks have 0.8 in all
DELIVERY_PATIENCE = 0.3


def record_delivery(
    config: Config,
    context: Context,
    need: Need,
    items: Sequence[KnowledgeItem],
    *,
    session: str = "",
    when: When = "start",
    topics: Collection[str] = (),
    call: str = "",
    placebo: bool = False,
) -> Delivery:
    """Notes a context that is given out, to which `session` if that is known, and what is needed to judge its items
    later. An empty one leaves no trace in a transcript, so nothing is noted. Of a hint, `topics` are what it says and
    `call` is the agent's id of the call that failed. Raises `StoreError` where it cannot be kept."""
    by_id = {item.id: item for item in items}
    delivered = [by_id[line.item] for line in context.shown if line.item in by_id]
    delivery = Delivery(
        id=context.id,
        time=need.now,
        when=when,
        repo=need.repo,
        agent=need.agent,
        task=_hash(need.task),
        budget=context.budget,
        tokens=context.tokens,
        session=session,
        placebo=placebo,
        call=call,
        words="" if context.id in context.text else words_mark(context.text),
        topics=tuple(map(_hash, sorted(topics))),
        items=tuple(_judgeable(item) for item in delivered),
    )
    if context.text:
        with Ledger(config.ledger, patience=DELIVERY_PATIENCE) as ledger:
            ledger.add(delivery)
    return delivery


def record_repeat(
    config: Config,
    delivery: Delivery,
    items: Collection[str],
    *,
    when: When = "compaction",
    now: float | None = None,
) -> Delivery:
    """Notes that a session is told a context again, with those of its items that still hold. However often, it is noted
    once: what is told a third time says no more about the moment than what is told twice."""
    repeat = replace(
        delivery,
        id=f"{delivery.text_id}{REPEATED}{when}",
        time=time.time() if now is None else now,
        when=when,
        state="waiting",
        started=None,
        turn=None,
        followed=None,
        items=tuple(
            replace(item, used=None, met=None, mattered=None, failed=None)
            for item in delivery.items
            if item.item in items
        ),
    )
    with Ledger(config.ledger, patience=DELIVERY_PATIENCE) as ledger:
        ledger.add(repeat)
    return repeat


def topics_told(deliveries: Iterable[Delivery], topics: Iterable[str]) -> set[str]:
    """Which of these topics a session was given a hint about. The ledger has their marks, not the topics."""
    marks = {mark for delivery in deliveries for mark in delivery.topics}
    return {topic for topic in topics if _hash(topic) in marks}


def _judgeable(item: KnowledgeItem) -> Given:
    """What is needed to see later whether the item was used: a fact without a situation is its own remedy."""
    return Given(
        item.id,
        item.confidence,
        situation=item.situation,
        remedy=item.remedy or ("" if item.situation else item.fact),
        fingerprints=item.fingerprints,
    )


def _hash(text: str) -> str:
    if not text:
        return ""
    encoded = text.encode("utf-8", "surrogatepass")
    return blake2b(encoded, digest_size=8).hexdigest()
