"""Whether a lesson about a failure has something to say to this call: what it would change is there, it was not done
already, and the error does not say it itself."""

from __future__ import annotations

from afterglow.harvest.writing.failure_names import (
    FailureNames,
    code_in,
    is_above,
    names_any,
    parts_of,
    stand_in,
    stands_in,
    telling_words,
)
from afterglow.harvest.writing.situation import is_situation
from afterglow.records.knowledge import KnowledgeItem


def applies_here(item: KnowledgeItem, failure: FailureNames) -> bool:
    """The failure is the lesson's situation, all of it where one session shows it, and the call was not made as it tells
    already."""
    if not is_situation(item.situation, item.remedy, failure):
        return False
    if item.status != "active" and not _is_all_there(item, failure):
        return False
    return not _was_heeded(item, failure)


def _is_all_there(item: KnowledgeItem, failure: FailureNames) -> bool:
    """All code of the situation stands there: of what one session shows nobody knows yet which part of it matters."""
    happened = failure.call | failure.message
    spans = map(parts_of, code_in(item.situation))
    return all(stand_in(span, happened) or is_above(span, happened) for span in spans)


def is_said_already(item: KnowledgeItem, failure: FailureNames) -> bool:
    """The error names all that the remedy brings to the call; where it brings nothing, the error names what is wrong
    with the call as the lesson does. A remedy without code is compared by its words."""
    spans = code_in(item.remedy)
    if not spans:
        message_words = telling_words(" ".join(failure.lines))
        return telling_words(item.remedy) <= message_words
    parts = [part for code in spans for part in parts_of(code)]
    brought = [part for part in parts if not stands_in(part, failure.call)]
    if brought:
        return stand_in(brought, failure.message)
    return names_any(f"{item.situation} {item.remedy}", failure.named)


def _was_heeded(item: KnowledgeItem, failure: FailureNames) -> bool:
    """All that the remedy brings to the situation stands in the call, and nothing of the call that it speaks of by
    itself: that may be what is to go."""
    before = {part for code in code_in(item.situation) for part in parts_of(code)}
    pieces = [parts_of(code) for code in code_in(item.remedy)]
    brought = {part for parts in pieces for part in parts} - before
    alone = {parts[0] for parts in pieces if len(parts) == 1} & before
    if not brought or any(stands_in(part, failure.call) for part in alone):
        return False
    return stand_in(brought, failure.call)
