"""What a good session knew of its repository: what harvest learned there that is neither an error nor a person's rule,
which a template says in places of their own."""

from __future__ import annotations

from collections.abc import Iterable

from afterglow.harvest.screen import danger
from afterglow.records.knowledge import KnowledgeItem, may_be_told
from afterglow.warm.extract.risky import is_risky
from afterglow.warm.extract.user_style import STATING_MINER

CATEGORIES = frozenset({"fact", "pattern"})
MAX_CHARACTERS = 600  # of all sentences together: as much as instructions may take
MAX_SENTENCE_CHARACTERS = 240  # longer is an explanation


def learned(items: Iterable[KnowledgeItem]) -> list[str]:
    """The surest first, not yet redacted."""
    sentences: list[str] = []
    room = MAX_CHARACTERS
    for item in sorted(filter(_is_of_the_work, items), key=_by_support):
        sentence = " ".join(item.fact.split())
        fits = len(sentence) <= min(room, MAX_SENTENCE_CHARACTERS)
        if fits and not danger(sentence, item.trust) and not is_risky(sentence):
            sentences.append(sentence)
            room -= len(sentence) + 1
    return sentences


def _is_of_the_work(item: KnowledgeItem) -> bool:
    is_rule = item.miner == STATING_MINER
    return item.category in CATEGORIES and may_be_told(item) and not is_rule


def _by_support(item: KnowledgeItem) -> tuple[float, str]:
    return -item.confidence * max(item.source_count, 1), item.id
