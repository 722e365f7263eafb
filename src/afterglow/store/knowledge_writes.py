"""What changes in the tables when an item is saved or deleted: items in, statements with their rows out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from afterglow.records.knowledge import KnowledgeItem
from afterglow.store.knowledge_rows import (
    EVIDENCE,
    FIELDS,
    SPAN,
    STEP,
    changes,
    evidence_row,
    fact_mark,
    labels_of,
    row_of,
    span_of,
    text_of,
    topic_mark,
)

Rows = list[tuple[Any, ...]]
Statement = tuple[str, Rows]

_COLUMNS = ("noted", "change", *FIELDS)
_QUOTED = ", ".join(f'"{name}"' for name in _COLUMNS)
_ANEW = ", ".join(f'"{name}" = ?' for name in _COLUMNS)
_ADD_ITEM = f"INSERT INTO items ({_QUOTED}, n) VALUES (?{', ?' * len(_COLUMNS)})"
_CHANGE_ITEM = f"UPDATE items SET {_ANEW} WHERE n = ?"
_SAVE_EVIDENCE = (
    f"INSERT INTO evidence (item, place, {', '.join(EVIDENCE)}) "
    f"VALUES (?, ?{', ?' * len(EVIDENCE)})"
)
_DROP_EVIDENCE = f"DELETE FROM evidence WHERE item = ? AND {' AND '.join(f'{name} = ?' for name in SPAN)}"
_SAVE_LABEL = (
    "INSERT INTO labels (kind, word, item) VALUES (?, ?, ?) ON CONFLICT DO NOTHING"
)
_DROP_LABEL = "DELETE FROM labels WHERE kind = ? AND word = ? AND item = ?"
_DROP_TEXT = "DELETE FROM texts WHERE rowid = ?"
_SAVE_TEXT = "INSERT INTO texts (rowid, words, scope) VALUES (?, ?, ?)"
_DROP_TOMBSTONE = "DELETE FROM tombstones WHERE item = ?"
_SAVE_TOMBSTONE = (
    'INSERT INTO tombstones (item, n, change, topics, fact, why, "by", time) '
    "VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
)
BURY = "INSERT INTO buried (name, item) VALUES (?, ?) ON CONFLICT DO NOTHING"
# Of the history of what was deleted only that something changed, and when, stays.
_FORGET_WORDS = (
    "UPDATE history SET before = '', after = '' "
    "WHERE item = ? AND what NOT IN ('status', 'category', 'confidence', 'evidence')"
)

_FORGET_STATES = "UPDATE decided_items SET before = '', after = '' WHERE item = ?"


class Saving:
    """Gathers the rows of many items, so that each table is written once."""

    def __init__(self, *, change: int, by: str, now: float) -> None:
        self._change, self._by, self._now = change, by, now
        self.history: Rows = []
        self._rows: dict[str, Rows] = {
            statement: []
            for statement in (
                _ADD_ITEM,
                _CHANGE_ITEM,
                _DROP_EVIDENCE,
                _SAVE_EVIDENCE,
                _DROP_LABEL,
                _SAVE_LABEL,
                _DROP_TEXT,
                _SAVE_TEXT,
            )
        }

    @property
    def items(self) -> int:
        return len(self._rows[_ADD_ITEM]) + len(self._rows[_CHANGE_ITEM])

    def statements(self) -> Iterator[Statement]:
        """In an order that may be kept: what goes before what comes."""
        for statement, rows in self._rows.items():
            yield statement, sorted(rows) if statement is _SAVE_LABEL else rows

    def create(self, number: int, item: KnowledgeItem) -> None:
        self._tell(item, [("created", "", item.fact)])
        self._keep(number, item.confidence, None, item)

    def update(
        self, number: int, noted: float, old: KnowledgeItem, new: KnowledgeItem
    ) -> None:
        """`noted` is the confidence that history last told."""
        self._tell(new, list(changes(old, new, noted)))
        moved = abs(new.confidence - noted) >= STEP - 1e-9
        self._keep(number, new.confidence if moved else noted, old, new)

    def _tell(self, item: KnowledgeItem, lines: list[tuple[str, str, str]]) -> None:
        self.history += [(item.id, self._now, self._by, *line) for line in lines]

    def _keep(
        self, number: int, noted: float, old: KnowledgeItem | None, new: KnowledgeItem
    ) -> None:
        save = _ADD_ITEM if old is None else _CHANGE_ITEM
        self._rows[save].append((noted, self._change, *row_of(new), number))
        if old is None or text_of(old) != text_of(new):
            self._rows[_DROP_TEXT] += [] if old is None else [(number,)]
            self._rows[_SAVE_TEXT].append((number, *text_of(new)))
        self._keep_evidence(number, old, new)
        self._keep_labels(number, old, new)

    def _keep_evidence(
        self, number: int, old: KnowledgeItem | None, new: KnowledgeItem
    ) -> None:
        before = _places(old) if old else {}
        after = _places(new)
        changed = {span for span in after if before.get(span) != after[span]}
        lost = (before.keys() - after.keys()) | (before.keys() & changed)
        self._rows[_DROP_EVIDENCE] += [(number, *span) for span in lost]
        self._rows[_SAVE_EVIDENCE] += [
            (number, place, *evidence_row(evidence))
            for span, (place, evidence) in after.items()
            if span in changed
        ]

    def _keep_labels(
        self, number: int, old: KnowledgeItem | None, new: KnowledgeItem
    ) -> None:
        before, after = labels_of(old) if old else set(), labels_of(new)
        self._rows[_DROP_LABEL] += [(*label, number) for label in before - after]
        self._rows[_SAVE_LABEL] += [(*label, number) for label in after - before]


def _places(item: KnowledgeItem) -> dict[Any, Any]:
    """Where in its list each piece of evidence stands."""
    return {
        span_of(evidence): (place, evidence)
        for place, evidence in enumerate(item.evidence)
    }


def burial(
    number: int, item: KnowledgeItem, *, change: int, by: str, why: str, now: float
) -> Iterator[Statement]:
    """The item goes with its words and evidence; a tombstone stays, by which it is known again."""
    from afterglow.harvest.rejections import marks_of  # nobody deletes at a start

    mark, topics = fact_mark(item.fact), sorted(map(topic_mark, item.topics))
    listed = msgspec.json.encode(topics).decode()
    yield _DROP_TOMBSTONE, [(item.id,)]
    yield _SAVE_TOMBSTONE, [(item.id, number, change, listed, mark, why, by, now)]
    names = sorted({item.id, mark, *topics, *marks_of(item)})
    yield BURY, [(name, item.id) for name in names]
    yield from blanked_past(item.id)
    yield from _removal(number, item)


def blanked_past(item: str) -> Iterator[Statement]:
    """Of what an item said before, in its history and where it was decided about, no words stay."""
    yield _FORGET_WORDS, [(item,)]
    yield _FORGET_STATES, [(item,)]


def erasure(number: int, item: KnowledgeItem) -> Iterator[Statement]:
    """The item goes without a trace: it may come back from other sessions."""
    yield from _removal(number, item)
    yield "DELETE FROM history WHERE item = ?", [(item.id,)]
    yield "DELETE FROM decided_items WHERE item = ?", [(item.id,)]


def _removal(number: int, item: KnowledgeItem) -> Iterator[Statement]:
    yield _DROP_LABEL, [(*label, number) for label in labels_of(item)]
    for table, column in (("evidence", "item"), ("texts", "rowid"), ("items", "n")):
        yield f"DELETE FROM {table} WHERE {column} = ?", [(number,)]
