"""Noting every context that is given out. It is done while a session waits to start; `prove_deliveries` later finds
it in transcripts and judges what it did."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b

from afterglow.config import Config
from afterglow.records.context import Context, Need
from afterglow.records.delivery import Delivery, Given
from afterglow.records.knowledge import KnowledgeItem
from afterglow.store.ledger import Ledger

# seconds that a session which is about to start waits for another writer: hooks have 0.8 in all
DELIVERY_PATIENCE = 0.3


def record_delivery(
    config: Config,
    context: Context,
    need: Need,
    items: Sequence[KnowledgeItem],
    *,
    session: str = "",
) -> Delivery:
    """Notes a context that is given out, to which `session` if that is known, and what is needed to judge its items
    later. An empty one leaves no trace in a transcript, so nothing is noted. Raises `StoreError` where it cannot be
    kept."""
    by_id = {item.id: item for item in items}
    delivered = [by_id[line.item] for line in context.shown if line.item in by_id]
    delivery = Delivery(
        id=context.id,
        time=need.now,
        repo=need.repo,
        agent=need.agent,
        task=_hash(need.task),
        budget=context.budget,
        tokens=context.tokens,
        session=session,
        items=tuple(_judgeable(item) for item in delivered),
    )
    if context.text:
        with Ledger(config.ledger, patience=DELIVERY_PATIENCE) as ledger:
            ledger.add(delivery)
    return delivery


def _judgeable(item: KnowledgeItem) -> Given:
    """What is needed to see later whether the item was used: a fact without a situation is its own remedy."""
    return Given(
        item.id,
        item.confidence,
        situation=item.situation,
        remedy=item.remedy or ("" if item.situation else item.fact),
        fingerprints=item.fingerprints,
    )


def _hash(task: str) -> str:
    if not task:
        return ""
    text = task.encode("utf-8", "surrogatepass")
    return blake2b(text, digest_size=8).hexdigest()
