"""Whether a lesson about a failure has something to say to this call: what it would change is there, it was not done
already, and the error does not say it itself."""

from __future__ import annotations

from itertools import chain

from afterglow.harvest.writing.brought import brought
from afterglow.harvest.writing.failure_names import (
    FailureNames,
    names_any,
    spans_of,
    stand_in,
    stands_in,
    telling_words,
)
from afterglow.harvest.writing.situation import is_situation, is_there
from afterglow.records.knowledge import KnowledgeItem

ANOTHER_SITUATION = "its situation is another one"
HALF_THE_SITUATION = "one session shows it, and not all of its situation is here"
HEEDED = "the call was already made as it says"


def why_not_here(item: KnowledgeItem, failure: FailureNames) -> str:
    """Empty where the failure is the lesson's situation, all of it where one session shows it, and the call was not made
    as it tells already."""
    if not is_situation(item.situation, item.remedy, failure):
        return ANOTHER_SITUATION
    if item.status != "active" and not _is_all_there(item, failure):
        return HALF_THE_SITUATION
    return HEEDED if _was_heeded(item, failure) else ""


def _is_all_there(item: KnowledgeItem, failure: FailureNames) -> bool:
    """All code of the situation stands there: of what one session shows nobody knows yet which part of it matters."""
    return all(is_there(span, failure) for span in spans_of(item.situation))


def is_said_already(item: KnowledgeItem, failure: FailureNames) -> bool:
    """The error names all that the remedy brings to the call; where it brings nothing, the error names what is wrong
    with the call as the lesson does. A remedy without code is compared by its words."""
    if not spans_of(item.remedy):
        message_words = telling_words(" ".join(failure.lines))
        return telling_words(item.remedy) <= message_words
    if new_parts := brought(item.remedy, failure.call):
        return stand_in(new_parts, failure.message)
    return names_any(f"{item.situation} {item.remedy}", failure.named)


def _was_heeded(item: KnowledgeItem, failure: FailureNames) -> bool:
    """All that the remedy brings to the situation stands in the call, and nothing of the call that it speaks of by
    itself: that may be what is to go."""
    before = set(chain.from_iterable(spans_of(item.situation)))
    after = spans_of(item.remedy)
    new_parts = set(chain.from_iterable(after)) - before
    if not new_parts or not stand_in(new_parts, failure.call):
        return False
    spoken_of = [span[0] for span in after if len(span) == 1]
    to_go = before.intersection(spoken_of)
    return not any(stands_in(part, failure.call) for part in to_go)
