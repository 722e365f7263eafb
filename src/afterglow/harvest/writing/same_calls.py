"""Whether an item was made of the very calls that something else rests on: then both say one thing."""

from __future__ import annotations

from collections.abc import Container, Iterator

from afterglow.records.knowledge import KnowledgeItem
from afterglow.records.problems import Event

CallPlace = tuple[str, int]  # a session, and a line of it


def places_of(event: Event) -> Iterator[CallPlace]:
    """Where a failure and what ended it stand."""
    lines = (call.line for call in event.following)
    for line in (event.line, event.result_line, *lines):
        yield event.session, line


def rests_on(item: KnowledgeItem, places: Container[CallPlace]) -> bool:
    """Most of its evidence stands there."""
    inside = sum((span.session, span.line) in places for span in item.evidence)
    return 2 * inside > len(item.evidence)
