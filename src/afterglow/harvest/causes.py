"""What comes back within a problem: its events by what they say, or, where all say the same, by what was called.

Families are coarse, so one may hold several causes, each with a remedy of its own. A reader can tell them apart only if
each that comes back is shown.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct

from afterglow.harvest.endings import helping_changes, lines_of, manner_of
from afterglow.harvest.events.claims import is_verdict
from afterglow.harvest.events.keys import without_numbers
from afterglow.harvest.families import company_of, is_coarse
from afterglow.records.problems import Event

MIN_SESSIONS_OF_CAUSE = 2  # that make a cause one that comes back
# Of the words of two calls that said the same, the share by which they were after the same.
SAME_CALL = 0.5
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
    """The causes that events themselves tell apart."""
    by_name: dict[tuple[str, str], list[Event]] = {}
    is_frame = key.startswith("line ") and is_coarse(key, events)
    for event in events:
        for name in _names(key, event, is_frame):
            by_name.setdefault(name, []).append(event)
    return [Cause(*name, tuple(group)) for name, group in by_name.items()]


def _names(key: str, event: Event, is_frame: bool) -> list[tuple[str, str]]:
    """Of a linter the checks it found broken and how that was answered, else the telling line."""
    kind, _, rest = key.partition(" ")
    if kind == "rule":
        rules = [rule for rule in event.rules if f"{rule} ".startswith(f"{rest} ")]
        narrow = [f"rule {rule}" for rule in rules] or [key]
        return [(rule_key, _answer(rule_key, event)) for rule_key in narrow]
    return [(key, company_of(key, event) if is_frame else cause_of(key, event))]


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
