"""What people decided, newest first, with the items as they were before and after: so that it can be undone.

The states are kept without evidence, which no decision changes. Where an item is forgotten or deleted they go with it:
see `knowledge_erasing`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from afterglow.records.hub import HubPlace
from afterglow.records.knowledge import Change, KnowledgeItem
from afterglow.store.knowledge import Knowledge, Step
from afterglow.store.knowledge_rows import storable_text
from afterglow.store.knowledge_writes import Statement

MAX_DECISIONS = 1000  # that can be undone: weeks of review, a few megabytes
VERDICTS = ("approved", "rejected", "retired")  # what empties the queue

_ADD_ITEM = (
    "INSERT INTO decided_items (decision, item, place, named, before, after) "
    "VALUES (?, ?, ?, ?, ?, ?)"
)

_encode = msgspec.json.Encoder().encode
_item = msgspec.json.Decoder(KnowledgeItem)


class DecidedItem(Struct, frozen=True):
    """An item of a decision. `before` is none for what was new then; both are none where its words were deleted since.
    `is_named`: the person named it; others changed because of that."""

    id: str
    is_named: bool
    before: KnowledgeItem | None
    after: KnowledgeItem | None


class RecordedDecision(Struct, frozen=True):
    """One decision of a person: approved, rejected, retired, edited, moved, added, deleted or undone. `undoes` and
    `undone_by` are numbers of other decisions, 0 for none."""

    number: int
    time: float
    by: str
    what: str
    undoes: int
    undone_by: int
    items: tuple[DecidedItem, ...]

    @property
    def stands(self) -> bool:
        """It can be undone: nobody did, and it is no undo itself."""
        return not self.undone_by and not self.undoes and self.what != "deleted"


def record_decision(
    knowledge: Knowledge,
    steps: Sequence[Step],
    named: Collection[str],
    *,
    what: str,
    by: str,
    now: float,
    undoes: int = 0,
) -> int:
    """Its number; 0 where nothing changed. Inside the transaction that changed the items."""
    first: dict[str, KnowledgeItem | None] = {}
    last: dict[str, KnowledgeItem] = {}
    for before, after in steps:
        first.setdefault(after.id, before)
        last[after.id] = after
    changed = [id for id in last if first[id] != last[id]]
    if not changed:
        return 0
    number = _add(knowledge, what, by, now, undoes)
    rows = [
        (number, id, place, id in named, _text(first[id]), _text(last[id]))
        for place, id in enumerate(changed)
    ]
    statements: list[Statement] = [(_ADD_ITEM, rows)]
    if not isinstance(knowledge.place, HubPlace):
        statements += _forgetting(number - MAX_DECISIONS)
    if undoes:
        statements += _undoing(knowledge, number, undoes)
    knowledge.run(statements)
    return number


def _forgetting(last: int) -> list[Statement]:
    """Decisions up to that one. A hub keeps all: people ask later who decided what."""
    return [
        ("DELETE FROM decided_items WHERE decision <= ?", [(last,)]),
        ("DELETE FROM decisions WHERE n <= ?", [(last,)]),
    ]


def record_deletion(
    knowledge: Knowledge, ids: Iterable[str], *, by: str, now: float
) -> int:
    """What was deleted cannot be put back; that it was decided is remembered, without a word of it."""
    with knowledge.transaction():
        number = _add(knowledge, "deleted", by, now, 0)
        rows = [(number, id, place, True, "", "") for place, id in enumerate(ids)]
        knowledge.run([(_ADD_ITEM, rows)])
    return number


def _add(knowledge: Knowledge, what: str, by: str, now: float, undoes: int) -> int:
    row = (now, storable_text(by), what, undoes)
    insert = (
        'INSERT INTO decisions (time, "by", what, undoes, undone_by) '
        "VALUES (?, ?, ?, ?, 0) RETURNING n"
    )
    return int(knowledge.rows(insert, row)[0][0])


def _undoing(knowledge: Knowledge, number: int, undone: int) -> list[Statement]:
    """What was undone says so; what an undo had undone that is undone now, stands again."""
    mark = "UPDATE decisions SET undone_by = ? WHERE n = ?"
    rows = knowledge.rows("SELECT undoes FROM decisions WHERE n = ?", [undone])
    redone = rows[0][0] if rows else 0
    return [(mark, [(number, undone), *([(0, redone)] if redone else [])])]


def decision(knowledge: Knowledge, number: int) -> RecordedDecision | None:
    rows = _decisions(knowledge, "WHERE n = ?", [number], 1)
    return rows[0] if rows else None


def latest_decisions(
    knowledge: Knowledge, limit: int, *, before: int = 0, standing: bool = False
) -> list[RecordedDecision]:
    """The newest first: those with a smaller number than `before`, of which only those that can be undone."""
    clauses = ["TRUE"]
    values: list[Any] = []
    if before:
        clauses.append("n < ?")
        values.append(before)
    if standing:
        clauses.append(
            "undoes = 0 AND undone_by = 0 "
            "AND n IN (SELECT decision FROM decided_items WHERE decision = n)"
        )
    return _decisions(knowledge, f"WHERE {' AND '.join(clauses)}", values, limit)


def _decisions(
    knowledge: Knowledge, where: str, values: Sequence[Any], limit: int
) -> list[RecordedDecision]:
    query = (
        'SELECT n, time, "by", what, undoes, undone_by FROM decisions '
        f"{where} ORDER BY n DESC LIMIT ?"
    )
    rows = knowledge.rows(query, [*values, limit])
    return [
        RecordedDecision(
            number, time, by, what, undoes, undone_by, _items(knowledge, number)
        )
        for number, time, by, what, undoes, undone_by in rows
    ]


def _items(knowledge: Knowledge, number: int) -> tuple[DecidedItem, ...]:
    query = (
        "SELECT item, named, before, after FROM decided_items "
        "WHERE decision = ? ORDER BY place"
    )
    return tuple(
        DecidedItem(id, bool(named), _read(before), _read(after))
        for id, named, before, after in knowledge.rows(query, [number])
    )


def decided_since(knowledge: Knowledge, time: float) -> int:
    """How many items people approved, rejected or retired since then, what was undone not counted."""
    marks = ", ".join("?" * len(VERDICTS))
    query = (
        "SELECT count(DISTINCT item) FROM decisions JOIN decided_items ON decision = n "
        f"WHERE time >= ? AND undone_by = 0 AND named <> 0 AND what IN ({marks})"
    )
    return int(knowledge.rows(query, [time, *VERDICTS])[0][0])


def note_history(knowledge: Knowledge, changes: Iterable[Change]) -> None:
    """Lines that no field of an item shows."""
    insert = (
        'INSERT INTO history (item, time, "by", what, before, after) '
        "VALUES (?, ?, ?, ?, ?, ?)"
    )
    knowledge.run([(insert, [msgspec.structs.astuple(change) for change in changes])])


def _text(item: KnowledgeItem | None) -> str:
    return "" if item is None else _encode(replace(item, evidence=())).decode()


def _read(text: str) -> KnowledgeItem | None:
    return _item.decode(text) if text else None
