"""Taking words out of a knowledge store for good. Unlike `bury`, nothing stays to keep an item from coming back."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from afterglow.store.knowledge import Knowledge
from afterglow.store.knowledge_rows import storable_text
from afterglow.store.knowledge_writes import BURY, blanked_past, erasure


def erase_items(knowledge: Knowledge, ids: Iterable[str]) -> list[str]:
    """Items go with their evidence and history; which there were."""
    with knowledge.transaction():
        numbered = knowledge.numbered(ids)
        for number, item in numbered:
            knowledge.run(erasure(number, item))
    return [item.id for _, item in numbered]


def keep_out_of_folders(knowledge: Knowledge, ids: Iterable[str]) -> None:
    """Those of the ids that are no items any more: shared folders that still have them do not bring them back. Sessions
    may teach the same again, under the same id."""
    with knowledge.transaction():
        listed = set(ids)
        rows = [(id, id) for id in sorted(listed - knowledge.find(listed).keys())]
        knowledge.run([(BURY, rows)])


def drop_evidence(
    knowledge: Knowledge, ids: Iterable[str], sessions: Collection[str]
) -> None:
    """Items lose what they have from these sessions, and what their past says in words: then no decision about them can
    be undone any more."""
    names = sorted(map(storable_text, sessions))
    with knowledge.transaction():
        for number, item in knowledge.numbered(ids):
            rows = [(number, name) for name in names]
            delete = "DELETE FROM evidence WHERE item = ? AND session = ?"
            knowledge.run([(delete, rows), *blanked_past(item.id)])


def drop_facts(knowledge: Knowledge, names: Iterable[str]) -> None:
    rows = [(storable_text(name),) for name in names]
    knowledge.run([("DELETE FROM facts WHERE name = ?", rows)])
