"""A rule of a linter that most sessions answered with a comment that names it: `//nolint:nilerr // <reason>`.

Which way of answering a rule a project accepts, its own sessions say: told only where most that got past it did so.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from afterglow.harvest.events.claims import LINE_END, is_telling
from afterglow.harvest.writing.rules.general_form import (
    as_code,
    general_message,
)
from afterglow.harvest.writing.rules.lesson import RuleLesson
from afterglow.harvest.writing.rules.moves import names
from afterglow.records.problems import Event, Problem

MIN_SESSIONS = 3  # that wrote the same comment: fewer a linter teaches by itself

# How comments begin, in the languages there are.
_COMMENT = r"(?://|#|--|/\*|<!--|;|%)"


class Comment(NamedTuple):
    """Up to the rule, and what stands behind it."""

    directive: str
    behind: str


def lessons(problem: Problem) -> Iterator[RuleLesson]:
    kind, _, rule = problem.key.partition(" ")
    if kind != "rule":
        return
    solved = [event for event in problem.events if event.remedy is not None]
    comments = {
        event.session: comment
        for event in solved
        if (comment := _comment(event, rule)) is not None
    }
    directives = Counter(item.directive for item in comments.values())
    for directive, count in directives.most_common(1):
        sessions = {event.session for event in solved}
        if count >= MIN_SESSIONS and 2 * len(comments) > len(sessions):
            yield _lesson(rule, directive, comments, solved)


def _comment(event: Event, rule: str) -> Comment | None:
    """The comment that names the rule in what was added on the way."""
    pattern = re.compile(
        rf"({_COMMENT}[^\n]*?(?<![\w-]){re.escape(rule)}(?![\w-])[\])]?)(.*)"
    )
    for call in event.tried:
        for line in call.command.replace(f" {LINE_END} ", "\n").splitlines():
            match = pattern.search(line) if line.startswith("+ ") else None
            if match:
                return Comment(match[1].strip(), match[2].strip())
    return None


def _lesson(
    rule: str,
    directive: str,
    comments: Mapping[str, Comment],
    events: Sequence[Event],
) -> RuleLesson:
    behind = [item.behind for item in comments.values() if item.directive == directive]
    reasons = Counter(text.split(" ")[0] for text in behind if text)
    sign, count = reasons.most_common(1)[0] if reasons else ("", 0)
    reason = f" {sign} <reason>" if 2 * count > len(behind) else ""
    message = _message(rule, events)
    return RuleLesson(
        situation=f"{_program(events)} reports {as_code(rule)}{message}",
        remedy=f"where it is meant so, say it on that line: {as_code(directive + reason)}",
        events=tuple(event for event in events if event.session in comments),
    )


def _program(events: Sequence[Event]) -> str:
    programs = Counter(event.program for event in events)
    return as_code(programs.most_common(1)[0][0])


def _message(rule: str, events: Sequence[Event]) -> str:
    """What all its reports say beside its name."""
    naming = (
        [line.text for line in event.lines if names(line.text, rule)]
        for event in events
    )
    texts = [lines[0] for lines in naming if lines]
    message = general_message(texts) if texts else ""
    says_more = is_telling(message.replace(rule, ""))
    return f": {message}" if says_more else ""
