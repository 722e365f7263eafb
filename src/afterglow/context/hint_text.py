"""The words of a hint: what failed, when it did so before, what worked then. At most 60 tokens.

It states a fact about the past and gives no order. A remedy is never cut within a sentence; the situation gives way.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from afterglow.harvest.writing.failure_names import tokens_of
from afterglow.records.knowledge import KnowledgeItem
from afterglow.records.problems import Event
from afterglow.text.basis import by_person, day
from afterglow.text.clip import printable

MAX_HINT_TOKENS = 60  # a line that is read between two calls, not a page

_SENTENCE_END = re.compile(r"(?<=[.;])\s+")

Count = Callable[[str], int]


def text_of_item(item: KnowledgeItem, count: Count) -> str:
    """What happened before and what worked; nothing where there is no room for a sentence of the remedy."""
    past = f"{_past(item)} the same; what helped{_how_often(item)}{_by_whom(item)}: "
    remedy = _fitting(_SENTENCE_END.split(printable(item.remedy)), past, count)
    return _with_situation(item.situation, past + remedy, count) if remedy else ""


def text_of_state(event: Event, count: Count) -> str:
    """What the session's own state says about a failure."""
    text = _with_situation(_what_failed(event), event.explanation, count)
    return text if count(text) <= MAX_HINT_TOKENS else ""


def _past(item: KnowledgeItem) -> str:
    """When it was met: `once, on 3 Nov,`, `on 3 and 5 Nov`, `in 7 sessions, last on 8 Jul,`."""
    last, first = day(item.last_confirmed), day(item.first_seen)
    if not last:
        return "before"
    if item.source_count <= 1:
        return f"once, on {last},"
    if item.source_count > 2 or not first:
        return f"in {item.source_count} sessions, last on {last},"
    return f"twice on {last}" if first == last else f"on {_both(first, last)}"


def _both(first: str, last: str) -> str:
    day, _, month = first.partition(" ")
    return f"{day if last.endswith(month) else first} and {last}"


def _how_often(item: KnowledgeItem) -> str:
    """Where one session shows it, the line says so."""
    if item.source_count <= 1:
        return " then"
    return "" if item.status == "active" else " once"


def _by_whom(item: KnowledgeItem) -> str:
    who = by_person(item)
    return f" ({who})" if who else ""


def _what_failed(event: Event) -> str:
    """In the shape of a lesson's situation: a hint is read beside the results of other calls. Of several commands in a
    line the one that failed is often not the one the line is known by: a message that names its program is enough."""
    name = event.program or event.tool
    message = _explained_line(event)
    if not message:
        return f"`{name}`"
    speaker, colon, _ = message.partition(":")
    if colon and speaker in event.command.split():
        return f"'{message}'"
    return f"`{name}`: '{message}'"


def _explained_line(event: Event) -> str:
    """Of the telling lines the one that names most of what the explanation does: a call may print several errors."""
    explained = tokens_of(event.explanation)
    lines = (" ".join(line.text.split()) for line in event.lines)
    return max(lines, key=lambda line: len(tokens_of(line) & explained), default="")


def _with_situation(situation: str, rest: str, count: Count) -> str:
    """The situation as far as there is room, or not at all."""
    situation_words = printable(situation).rstrip(". ").split(" ")
    for length in range(len(situation_words), 0, -1):
        beginning = " ".join(situation_words[:length]).rstrip("… ")
        cut = "" if length == len(situation_words) else "…"
        cut += "`" * (beginning.count("`") % 2)  # code that is cut ends there
        text = f"{beginning}{cut} → {rest}"
        if count(text) <= MAX_HINT_TOKENS:
            return text
    return rest


def _fitting(sentences: Sequence[str], past: str, count: Count) -> str:
    for length in range(len(sentences), 0, -1):
        remedy = " ".join(sentences[:length]).rstrip(".; ")
        if count(f"{past}{remedy}") <= MAX_HINT_TOKENS:
            return remedy
    return ""
