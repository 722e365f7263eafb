"""Items and evidence as rows, the words they are found by, and what changed between two states of an item."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from hashlib import blake2b
from typing import Any

import msgspec

from afterglow.errors import StoreError
from afterglow.records.knowledge import Evidence, KnowledgeItem
from afterglow.store.sql_limits import pieces
from afterglow.text.words import words

FIELDS = tuple(name for name in KnowledgeItem.__struct_fields__ if name != "evidence")
SPAN = (
    "session",
    "line",
    "part",
    "start",
    "hash",
)  # what makes two pieces of evidence of an item the same
EVIDENCE = (*SPAN, *(name for name in Evidence.__struct_fields__ if name not in SPAN))
LISTS = ("tags", "related", "fingerprints", "topics")
FLAGS = ("decided", "edited")
LABELS = {"topic": "topics", "fingerprint": "fingerprints", "tag": "tags"}
SCOPE = ("status", "repo", "agent", "category", "miner", "trust")
TOLD = (
    "fact",
    "category",
    "status",
    "repo",
    "agent",
    "key",
    "value",
    "superseded_by",
    "decided",
    "edited",
    "risk",
)
STEP = 0.05  # a confidence that moved less since it was last told is not worth a line of history
TOPIC_MARK = "topic:"

_list = msgspec.json.Decoder(tuple[str, ...])


class PlacedFact(msgspec.Struct, frozen=True):
    """What of an item says whether a topic repeats it."""

    id: str
    fact: str
    topics: tuple[str, ...]
    first_seen: float | None
    decided: bool
    edited: bool


def placed_fact(row: Sequence[Any]) -> PlacedFact:
    id, fact, topics, first_seen, decided, edited = row
    return PlacedFact(
        id, fact, _list.decode(topics), first_seen, bool(decided), bool(edited)
    )


def storable(item: KnowledgeItem) -> KnowledgeItem:
    """Without what a database cannot keep (half characters, NUL) and without evidence that is there twice."""
    if not (item.id and 0 <= item.confidence <= 1):
        raise StoreError(
            f"an item needs an id and a confidence from 0 to 1, not {item.id!r} and {item.confidence}"
        )
    try:
        clean = b"\\u0000" not in msgspec.json.encode(item)
    except UnicodeEncodeError:
        clean = False
    if not clean:
        item = msgspec.convert(_cleaned(msgspec.to_builtins(item)), KnowledgeItem)
    spans: dict[tuple[object, ...], Evidence] = {}
    for evidence in item.evidence:
        spans.setdefault(span_of(evidence), evidence)
    if len(spans) < len(item.evidence):
        item = msgspec.structs.replace(item, evidence=tuple(spans.values()))
    return item


def storable_text(text: str) -> str:
    return (
        text.encode("utf-8", "surrogatepass")
        .decode("utf-8", "replace")
        .replace("\0", "\ufffd")
    )


def _cleaned(value: Any) -> Any:
    if isinstance(value, str):
        return storable_text(value)
    if isinstance(value, dict):
        return {key: _cleaned(part) for key, part in value.items()}
    return (
        [_cleaned(part) for part in value] if isinstance(value, list | tuple) else value
    )


def span_of(evidence: Evidence) -> tuple[str, int, str, int, str]:
    return (
        evidence.session,
        evidence.line,
        evidence.part,
        evidence.start,
        evidence.hash,
    )


def row_of(item: KnowledgeItem) -> tuple[Any, ...]:
    values = (getattr(item, name) for name in FIELDS)
    return tuple(
        msgspec.json.encode(value).decode() if isinstance(value, tuple) else value
        for value in values
    )


def item_of(row: Sequence[Any], evidence: Iterable[Evidence] = ()) -> KnowledgeItem:
    values = dict(zip(FIELDS, row, strict=False))
    for name in LISTS:
        values[name] = _list.decode(values[name])
    for name in FLAGS:
        values[name] = bool(values[name])
    return KnowledgeItem(**values, evidence=tuple(evidence))


def evidence_row(evidence: Evidence) -> tuple[Any, ...]:
    return tuple(getattr(evidence, name) for name in EVIDENCE)


def evidence_of(row: Sequence[Any]) -> Evidence:
    return Evidence(**dict(zip(EVIDENCE, row, strict=True)))


def evidence_by_item(
    rows: Callable[[str, Sequence[Any]], list[Any]], numbers: Sequence[int]
) -> dict[int, list[Evidence]]:
    """Of items by their numbers, in order; `rows` answers a query of the store."""
    evidence: dict[int, list[Evidence]] = {}
    for batch in pieces(numbers):
        query = (
            f"SELECT item, {', '.join(EVIDENCE)} FROM evidence "
            f"WHERE item IN ({', '.join('?' * len(batch))}) ORDER BY item, place"
        )
        for number, *row in rows(query, batch):
            evidence.setdefault(number, []).append(evidence_of(row))
    return evidence


def grouped(rows: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    """Word -> ids, in order."""
    groups: dict[str, list[str]] = {}
    for word, id in sorted(rows):
        groups.setdefault(word, []).append(id)
    return groups


def labels_of(item: KnowledgeItem) -> set[tuple[str, str]]:
    return {
        (kind, word) for kind, field in LABELS.items() for word in getattr(item, field)
    }


def text_of(item: KnowledgeItem) -> tuple[str, str]:
    """What the item is found by: its words, each once, and a word of its own for each filter."""
    texts = (
        item.fact,
        item.situation,
        item.remedy,
        item.domain,
        *item.tags,
        *item.fingerprints,
    )
    scope = [mark_of(name, getattr(item, name)) for name in SCOPE] + [
        mark_of("tag", tag) for tag in item.tags
    ]
    return " ".join(words("\n".join(texts))), " ".join(
        [*scope, *sure_marks(item.confidence)[:1]]
    )


@lru_cache(maxsize=4096)
def mark_of(name: str, value: str) -> str:
    """A filter as one word of the index."""
    return name + blake2b(storable_text(value).encode(), digest_size=6).hexdigest()


def sure_marks(confidence: float) -> list[str]:
    """The mark of an item this sure, then those of all surer ones; in steps of a twentieth."""
    return [f"sure{step}" for step in range(max(0, int(20 * confidence + 1e-6)), 21)]


def fact_mark(fact: str) -> str:
    """What a tombstone remembers of a sentence: not its words, but enough to know it again."""
    plain = " ".join(storable_text(fact).casefold().split())
    return "fact:" + blake2b(plain.encode(), digest_size=16).hexdigest()


def topic_mark(topic: str) -> str:
    """What a tombstone remembers of a topic, which has words of what it is about."""
    mark = blake2b(storable_text(topic).encode(), digest_size=16)
    return TOPIC_MARK + mark.hexdigest()


def changes(
    old: KnowledgeItem, new: KnowledgeItem, noted: float
) -> Iterator[tuple[str, str, str]]:
    """What, before, after: a line of history each. The reason is told where the status changed."""
    for name in TOLD:
        before, after = getattr(old, name), getattr(new, name)
        if before != after:
            yield name, _shown(before), _shown(after)
            if name == "status" and new.reason:
                yield "reason", old.reason, new.reason
    if abs(new.confidence - noted) >= STEP - 1e-9:
        yield "confidence", f"{noted:.2f}", f"{new.confidence:.2f}"
    if {span_of(evidence) for evidence in old.evidence} != {
        span_of(evidence) for evidence in new.evidence
    }:
        yield "evidence", str(len(old.evidence)), str(len(new.evidence))


def _shown(value: object) -> str:
    return ("no", "yes")[value] if isinstance(value, bool) else str(value)
