"""What it takes to keep one knowledge store made of another: which of its items changed, which are there, what it notes of
repositories."""

from __future__ import annotations

from collections.abc import Collection

from afterglow.store.knowledge import NOISE, SESSIONS, Knowledge
from afterglow.store.knowledge_erasing import erase_items
from afterglow.store.knowledge_risk import PACKAGES

OF_REPOSITORIES = (SESSIONS, NOISE, PACKAGES)  # beginnings of facts


def changed_ids(knowledge: Knowledge, after: int) -> list[str]:
    """Of items that changed since that number."""
    query = "SELECT id FROM items WHERE change > ? ORDER BY id"
    return [id for (id,) in knowledge.rows(query, [after])]


def all_ids(knowledge: Knowledge) -> set[str]:
    return {id for (id,) in knowledge.rows("SELECT id FROM items")}


def keep_only(knowledge: Knowledge, ids: Collection[str]) -> int:
    """Takes out what is none of these; how many there were."""
    return len(erase_items(knowledge, all_ids(knowledge) - set(ids)))


def copy_facts(source: Knowledge, to: Knowledge) -> None:
    """What one store notes of repositories, the other notes too."""
    query = "SELECT name, value FROM facts"
    before = dict(to.rows(query))
    for name, value in source.rows(query):
        if name.startswith(OF_REPOSITORIES) and before.get(name) != value:
            to.set_fact(name, value)
