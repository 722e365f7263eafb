"""What a session is told right after a call went wrong: one line, or nothing. Pure.

A line costs attention in the middle of work, so silence is the rule: nothing where no lesson surely means this failure,
nothing that the error says itself, nothing about code that is simply not finished yet, and nothing twice.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable

from afterglow.context.applies_here import is_said_already, why_not_here
from afterglow.context.hint_text import (
    MAX_HINT_TOKENS,
    text_of_item,
    text_of_state,
)
from afterglow.harvest.failure_kinds import DEVELOPMENT, SETUP
from afterglow.harvest.writing.failure_names import FailureNames, failure_of
from afterglow.harvest.writing.situation import names_linter, words_met
from afterglow.records.context import Hint
from afterglow.records.knowledge import (
    KnowledgeItem,
    lacks_only_a_witness,
    may_be_told,
    waits_for_approval,
)
from afterglow.records.problems import Event

__all__ = ["HINTED_KINDS", "MAX_HINT_TOKENS", "hint", "told_topics", "why_untold"]

# A look at what failed elsewhere ("ci") is no failure of the call: nothing is said to it.
HINTED_KINDS = frozenset({"failed", "hidden", "empty"})


def hint(
    event: Event,
    items: Iterable[KnowledgeItem],
    topics_told: Collection[str],
    count: Callable[[str], int],
) -> Hint | None:
    """The line for one failure. `items` are what is known about its problems, `topics_told` those of hints that
    this session had already; `count` counts tokens."""
    if event.kind not in HINTED_KINDS:
        return None
    if not _problem_of(event).isdisjoint(topics_told):
        return None
    if (explained := _explained(event, count)) is not None:
        return explained
    if event.state and not event.explanation:  # known, and nothing to say about it
        return None
    failure = failure_of(event)
    for item in _fitting_items(event, failure, items):
        if not told_topics(item).isdisjoint(topics_told):
            continue
        if text := text_of_item(item, count):
            topics = told_topics(item) | _problem_of(event)
            return Hint(text, count(text), tuple(sorted(topics)), item.id)
    return None


def told_topics(item: KnowledgeItem) -> set[str]:
    """What has been said when an item was told."""
    return {item.id, *item.topics}


def _explained(event: Event, count: Callable[[str], int]) -> Hint | None:
    """What the session's own state says about the failure: it needs no history, and comes first."""
    text = text_of_state(event, count) if event.explanation else ""
    return Hint(text, count(text), tuple(sorted(_problem_of(event)))) if text else None


def _fitting_items(
    event: Event, failure: FailureNames, items: Iterable[KnowledgeItem]
) -> list[KnowledgeItem]:
    """Those that surely mean this failure and say something about it, the surest first."""
    fitting = [item for item in items if not _objection(item, event, failure)]
    return sorted(fitting, key=lambda item: _unsureness(item, failure))


def _unsureness(
    item: KnowledgeItem, failure: FailureNames
) -> tuple[bool, float, bool, str]:
    """What two sessions show before what one does. A lesson about a problem as a whole was held against all of its
    sessions; what a miner read is about one error."""
    is_written = any(topic.startswith("problem:") for topic in item.topics)
    share = words_met(item.situation, failure)
    return item.status != "active", -share, not is_written, item.id


def _problem_of(event: Event) -> set[str]:
    """By what a session knows that the same has come again: the strongest of its keys, and its error."""
    return {*event.keys[:1], event.fingerprint} - {""}


def why_untold(item: KnowledgeItem, event: Event) -> str:
    """Why nothing of an item is said to a failure, in words; empty where something may be."""
    if event.kind not in HINTED_KINDS:
        return "the call itself did not fail: it shows what failed elsewhere"
    return _objection(item, event, failure_of(event))


def _objection(item: KnowledgeItem, event: Event, failure: FailureNames) -> str:
    if reason := _why_to_nobody(item, event):
        return reason
    if reason := why_not_here(item, failure):
        return reason
    if _is_ordinary_work(event, failure, item):
        return "code that is not finished yet fails its tests: that is ordinary work"
    if is_said_already(item, failure):
        return "the error says it itself"
    return ""


def _why_to_nobody(item: KnowledgeItem, event: Event) -> str:
    """Told is what is active and not past its date; and what one session shows, told as that. Nothing risky that no
    person has approved."""
    if not (item.situation and item.remedy):
        return "it does not say what to do about a failure"
    if item.expires is not None and item.expires < (event.time or 0.0):
        return "it is past its date"
    if may_be_told(item) or lacks_only_a_witness(item):
        return ""
    if waits_for_approval(item):
        return f"it is risky ({item.risk}) and nobody has approved its words"
    return f"it is {item.status}" + (f" ({item.reason})" if item.reason else "")


def _is_ordinary_work(event: Event, failure: FailureNames, item: KnowledgeItem) -> bool:
    """Code that is not finished yet fails its tests and its build; a rule that the lesson names is another matter."""
    texts = [line.text for line in event.lines]
    is_work = any(DEVELOPMENT.search(text) and not SETUP.search(text) for text in texts)
    return is_work and not names_linter(item.situation, failure)
