"""What comes back within a problem: its events by what they say, or, where all say the same, by what was called.

Families are coarse, so one may hold several causes, each with a remedy of its own. A reader can tell them apart only if
each that comes back is shown.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct

from afterglow.harvest.endings import helping_changes, lines_of, manner_of
from afterglow.harvest.events.claims import coarse, is_summary, is_verdict
from afterglow.harvest.events.keys import makes, without_numbers
from afterglow.harvest.families import (
    ALONE_IN_FRAME,
    COMPANY_OF_FRAME,
    MIN_EVENTS_OF_FRAME,
)
from afterglow.records.problems import Event, TellingLine

MIN_SESSIONS_OF_CAUSE = 2  # that make a cause one that comes back
# Of the words of two calls that said the same, the share by which they were after the same.
SAME_CALL = 0.5
# Of the events of a problem, the share that must have a line for it to tell none of them apart.
ALWAYS_THERE = 0.8
MAX_CALL_CHARACTERS = 300  # of a call whose words are compared

_PLACE = re.compile(
    r"^(?:-->\s*)?[^\s:()]{1,200}(?:(?::<n>){1,2}:?|\(<n>(?:,<n>)?\):)\s+"
)
_WORD = re.compile(r"[A-Za-z_][\w-]+")


class Cause(Struct, frozen=True):
    """Events of a problem that say the same. `key` is the one by which their lines are known: that of the problem, or a
    narrower one."""

    key: str
    name: str
    events: tuple[Event, ...]

    @property
    def sessions(self) -> int:
        return sessions_of(self.events)

    @property
    def says_why(self) -> bool:
        """Whether it is more than that a check or a run failed."""
        return not is_verdict(self.name)

    @property
    def is_lasting(self) -> bool:
        return self.sessions >= MIN_SESSIONS_OF_CAUSE


def causes_of(key: str, events: Sequence[Event]) -> list[Cause]:
    """The causes of a problem, those of most sessions first, what says no more than that something failed last. An
    event that broke two checks of a linter has two."""
    causes = said_causes(key, events)
    if len(causes) == 1 and not key.startswith("rule "):
        causes = list(_by_call(causes[0]))
    return sorted(causes, key=_rank)


def _rank(cause: Cause) -> tuple[bool, int, int]:
    return not cause.says_why, -cause.sessions, -len(cause.events)


def said_causes(key: str, events: Sequence[Event]) -> list[Cause]:
    """The causes that events themselves tell apart: of a linter the checks that it found broken and how that was
    answered; else the line; where that is the same in all, or frames others, what else was said."""
    if key.startswith("rule "):
        return _grouped(
            (name, event) for event in events for name in _rules(key, event)
        )
    by_line = _grouped(((key, cause_of(key, event)), event) for event in events)
    reasons = Reasons(key, events)
    if len(by_line) > 1 and not reasons.differ:
        return by_line
    by_reason = _grouped(((key, reasons.name(event)), event) for event in events)
    is_better = len(by_line) == 1 or _coming_back(by_reason) > _coming_back(by_line)
    return by_reason if is_better else by_line


def _coming_back(causes: Iterable[Cause]) -> int:
    """How many events have a cause that comes back and says why."""
    return sum(
        len(cause.events) for cause in causes if cause.is_lasting and cause.says_why
    )


def _grouped(named: Iterable[tuple[tuple[str, str], Event]]) -> list[Cause]:
    by_name: dict[tuple[str, str], list[Event]] = {}
    for name, event in named:
        by_name.setdefault(name, []).append(event)
    return [Cause(*name, tuple(group)) for name, group in by_name.items()]


class Reasons:
    """What the events of a problem say beside the line they share: the first line that not all of them have too."""

    def __init__(self, key: str, events: Sequence[Event]) -> None:
        self.key = key
        counts = Counter(line for event in events for line in _coarse_lines(event))
        least = ALWAYS_THERE * len(events)
        is_counted = len(events) >= MIN_EVENTS_OF_FRAME
        self.shared = {line for line in counts if is_counted and counts[line] >= least}
        names = [self.name(event) for event in events]
        is_seldom_alone = names.count("") <= ALONE_IN_FRAME * len(names)
        differences = len(set(names) - {""})
        is_shared = all(_has_line(key, event) for event in events)
        # The line frames others: it hardly ever comes alone, and its company changes.
        is_frame = is_seldom_alone and differences >= COMPANY_OF_FRAME * len(names)
        self.differ = is_shared and is_frame

    def name(self, event: Event) -> str:
        line = self.line(event)
        return coarse(line.text) if line else ""

    def line(self, event: Event) -> TellingLine | None:
        further = (line for line in event.lines if not makes(self.key, line))
        telling = (line for line in further if not _says_that_it_failed(line.text))
        return next(
            (line for line in telling if coarse(line.text) not in self.shared), None
        )


def _says_that_it_failed(text: str) -> bool:
    """And nothing more."""
    return is_summary(text) or is_verdict(text)


def _has_line(key: str, event: Event) -> bool:
    return any(makes(key, line) for line in event.lines)


def _coarse_lines(event: Event) -> set[str]:
    return {coarse(line.text) for line in event.lines}


def _rules(key: str, event: Event) -> list[tuple[str, str]]:
    _, _, linter = key.partition(" ")
    rules = [rule for rule in event.rules if f"{rule} ".startswith(f"{linter} ")]
    narrow = [f"rule {rule}" for rule in rules] or [key]
    return [(rule_key, _answer(rule_key, event)) for rule_key in narrow]


def _answer(key: str, event: Event) -> str:
    """How a linter was answered: by other code, or by telling it to be quiet; empty where that is not seen."""
    changes = helping_changes(key, event)
    return manner_of(key, changes[-1]) if changes else ""


def _by_call(cause: Cause) -> Iterator[Cause]:
    """Where all say the same: those whose calls have most words in common."""
    groups: list[tuple[frozenset[str], list[Event]]] = []
    for event in cause.events:
        words = frozenset(_WORD.findall(event.command[:MAX_CALL_CHARACTERS]))
        for first_words, members in groups:
            shared = len(words & first_words)
            if shared >= SAME_CALL * len(words | first_words):
                members.append(event)
                break
        else:
            groups.append((words, [event]))
    for _, members in groups:
        yield Cause(cause.key, cause.name, tuple(members))


def cause_of(key: str, event: Event) -> str:
    """The line that made an event part of a problem, without where it was found and without numbers."""
    lines = lines_of(key, event)
    return _PLACE.sub("", without_numbers(lines[0].text)) if lines else ""


def sessions_of(events: Iterable[Event]) -> int:
    return len({event.session for event in events})
