"""What a knowledge store answers with, besides items: how well an item fits a question, and how much there is."""

from __future__ import annotations

from msgspec import Struct

from afterglow.records.knowledge import KnowledgeItem


class Hit(Struct, frozen=True):
    """An item that was found; a higher score is a better match, between answers to one question only."""

    item: KnowledgeItem
    score: float


class Counts(Struct, frozen=True):
    """How much there is, and of what."""

    items: int
    evidence: int
    buried: int
    status: dict[str, int]
    category: dict[str, int]
    repo: dict[str, int]
    miner: dict[str, int]
    trust: dict[str, int]
