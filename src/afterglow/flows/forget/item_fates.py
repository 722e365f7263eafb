"""What becomes of the items that rest on forgotten sessions.

What miners told is told anew from the sessions that remain, or goes. What a writer wrote cannot be told anew without
asking; it stays only if no word of it stands in the forgotten sessions alone. What a person wrote stays.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

import msgspec
from msgspec import Struct

from afterglow.harvest import MINERS
from afterglow.records.knowledge import KnowledgeItem
from afterglow.records.writing import BY_RULES, MINER
from afterglow.store.catalog import Catalog
from afterglow.store.events import events_of, events_of_ids
from afterglow.store.findings import Findings
from afterglow.text.words import words


class ItemFates(Struct, frozen=True):
    """Ids by what becomes of them; see `records.forgetting.Forgetting`."""

    removed: tuple[str, ...] = ()
    retold: tuple[str, ...] = ()
    words_kept: tuple[str, ...] = ()


class SessionWords:
    """The words that forgotten sessions left in the catalogue, and those of any others."""

    def __init__(self, catalog: Catalog, keys: Collection[int]) -> None:
        self._catalog = catalog
        findings = Findings(catalog).of_sessions(keys)
        self._forgotten = {
            *_words_in(findings),
            *_words_in(events for _, events in events_of(catalog, keys)),
        }

    def only_there(self, item: KnowledgeItem, forgotten: Collection[str]) -> set[str]:
        """Words of an item that stand in the forgotten sessions and in no other that it rests on."""
        from_there = [span for span in item.evidence if span.session in forgotten]
        remaining = [span for span in item.evidence if span.session not in forgotten]
        ids = {span.session for span in remaining}
        elsewhere = {
            *_words_in(span.quote for span in remaining),
            *_words_in(events_of_ids(self._catalog, ids)),
        }
        doubtful = self._forgotten | set(_words_in(span.quote for span in from_there))
        parts = (item.fact, item.situation, item.remedy, *item.tags)
        told_words = set(_words_in((*parts, *item.topics, *item.fingerprints)))
        return (told_words & doubtful) - elsewhere


def fates(
    items: Iterable[KnowledgeItem],
    forgotten: Collection[str],
    session_words: SessionWords,
) -> ItemFates:
    removed: list[str] = []
    retold: list[str] = []
    words_kept: list[str] = []
    miners = {*MINERS.names(), BY_RULES}
    for item in items:
        rests_elsewhere = any(span.session not in forgotten for span in item.evidence)
        rests_there = any(span.session in forgotten for span in item.evidence)
        if item.edited or not item.evidence:
            words_kept.append(item.id)
        elif not rests_elsewhere:
            removed.append(item.id)
        elif item.miner in miners:
            retold.append(item.id)
        elif not rests_there or (
            item.miner == MINER and not session_words.only_there(item, forgotten)
        ):
            words_kept.append(item.id)
        else:
            removed.append(item.id)
    return ItemFates(tuple(removed), tuple(retold), tuple(words_kept))


def _words_in(values: Iterable[object]) -> Iterator[str]:
    for value in values:
        for text in _texts(msgspec.to_builtins(value)):
            yield from words(text)


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for part in value.values():
            yield from _texts(part)
    elif isinstance(value, list | tuple):
        for part in value:
            yield from _texts(part)
