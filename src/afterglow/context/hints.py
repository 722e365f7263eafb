"""What a session is told right after a call went wrong: one line, or nothing. Pure.

A line costs attention in the middle of work, so silence is the rule: nothing where no lesson surely means this failure,
nothing that the error says itself, nothing about code that is simply not finished yet, and nothing twice.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence

from afterglow.harvest.failure_kinds import DEVELOPMENT, SETUP
from afterglow.harvest.writing.situation import (
    code_in,
    happened_in,
    is_met,
    shared_words,
    telling_words,
)
from afterglow.records.context import Hint
from afterglow.records.knowledge import KnowledgeItem
from afterglow.records.problems import Event
from afterglow.text.clip import printable

MAX_HINT_TOKENS = 60  # a line that is read between two calls, not a page
HINTED_KINDS = frozenset({"failed", "hidden", "ci", "empty"})

_SENTENCE_END = re.compile(r"(?<=[.;])\s+")


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
    explained = _explained(event, count)
    if explained is not None:
        return explained
    for item in _fitting_items(event, items):
        if not told_topics(item).isdisjoint(topics_told):
            continue
        if text := _line(item, count):
            topics = told_topics(item) | _problem_of(event)
            return Hint(text, count(text), tuple(sorted(topics)), item.id)
    return None


def _fitting_items(event: Event, items: Iterable[KnowledgeItem]) -> list[KnowledgeItem]:
    """Those that surely mean this failure and say something about it, the surest first."""
    happened = happened_in(event)
    shares: dict[str, float] = {}
    fitting = []
    for item in filter(_may_be_told, items):
        if not is_met(item.situation, event):
            continue
        shares[item.id] = shared_words(item.situation, happened)
        if not _is_ordinary_work(event, item) and not _is_said_already(event, item):
            fitting.append(item)
    return sorted(
        fitting, key=lambda item: (-shares[item.id], not _is_written(item), item.id)
    )


def _is_written(item: KnowledgeItem) -> bool:
    """About a problem as a whole, and held against all of its sessions; what a miner read is about one error."""
    return any(topic.startswith("problem:") for topic in item.topics)


def told_topics(item: KnowledgeItem) -> set[str]:
    """What has been said when an item was told."""
    return {item.id, *item.topics}


def _explained(event: Event, count: Callable[[str], int]) -> Hint | None:
    """What the session's own state says about the failure."""
    if not event.explanation:
        return None
    text = _told(_situation_of(event), event.explanation, count)
    if count(text) > MAX_HINT_TOKENS:
        return None
    return Hint(text, count(text), tuple(sorted(_problem_of(event))))


def _situation_of(event: Event) -> str:
    """What failed, in the shape of a lesson's situation: a hint is read beside the results of other calls."""
    name = event.program or event.tool
    message = next((line.text for line in event.lines), "")
    return f"`{name}`: '{' '.join(message.split())}'" if message else f"`{name}`"


def _problem_of(event: Event) -> set[str]:
    """By what a session knows that the same has come again: the strongest of its keys, and its error."""
    return {*event.keys[:1], event.fingerprint} - {""}


def _may_be_told(item: KnowledgeItem) -> bool:
    return item.status == "active" and bool(item.situation and item.remedy)


def _is_ordinary_work(event: Event, item: KnowledgeItem) -> bool:
    """Code that is not finished yet fails its tests and its build; a rule that the lesson names is another matter."""
    texts = [line.text for line in event.lines]
    is_work = any(DEVELOPMENT.search(text) and not SETUP.search(text) for text in texts)
    return is_work and not any(rule in item.fact for rule in event.rules)


def _is_said_already(event: Event, item: KnowledgeItem) -> bool:
    """The error names what the remedy names; a remedy without code is compared by all its words."""
    spans = code_in(item.remedy)
    remedy_words = telling_words(" ".join(spans) if spans else item.remedy)
    message_words = telling_words(" ".join(line.text for line in event.lines))
    return remedy_words <= message_words


def _line(item: KnowledgeItem, count: Callable[[str], int]) -> str:
    """The remedy and, as far as there is room, the situation. A remedy is never cut within a sentence."""
    mark = f" [{item.id}]"
    remedy = _fitting(_SENTENCE_END.split(printable(item.remedy)), mark, count)
    return _told(item.situation, remedy + mark, count) if remedy else ""


def _told(situation: str, remedy: str, count: Callable[[str], int]) -> str:
    """Situation and remedy; the situation as far as there is room, or not at all."""
    situation_words = printable(situation).rstrip(". ").split(" ")
    for length in range(len(situation_words), 0, -1):
        beginning = " ".join(situation_words[:length])
        cut = "" if length == len(situation_words) else "…"
        cut += "`" * (beginning.count("`") % 2)  # code that is cut ends there
        text = f"{beginning}{cut} → {remedy}"
        if count(text) <= MAX_HINT_TOKENS:
            return text
    return remedy


def _fitting(sentences: Sequence[str], mark: str, count: Callable[[str], int]) -> str:
    for length in range(len(sentences), 0, -1):
        remedy = " ".join(sentences[:length]).rstrip(".; ")
        if count(f"{remedy}{mark}") <= MAX_HINT_TOKENS:
            return remedy
    return ""
