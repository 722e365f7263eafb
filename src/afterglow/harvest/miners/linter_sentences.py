"""What a rule that a linter keeps finding broken is told as: the message, and the ways that made it content."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import takewhile

from msgspec import Struct

from afterglow.harvest.lint_lines import TYPES
from afterglow.harvest.quotable import linter_report_in
from afterglow.records.knowledge import LINT, Finding, Telling

MAX_EXAMPLE_CHARACTERS = 90  # of a change: a longer one is not worth its place
MAX_VAGUE_BEGINNING = 20  # characters that several messages share by chance
MIN_SESSIONS = 2  # that changed their code alike: what one wrote is of its own code
MIN_SHARE = (
    0.5  # of those that got past the rule: a way that fewer took is an exception
)
# How directly: the linter was content afterwards. Below what makes one session enough.
DIRECT_WITH_REMEDY = 0.75

_SHOWN_CHANGE = re.compile(r"`([^`]+)` → `([^`]+)`")
_WORD = re.compile(r"\w+")
_TEXT = re.compile(r'"[^"]*"')
_FORMAT = re.compile(r"%[a-z]|\{\w*\}")

Slots = dict[str, str]


class _Change(Struct, frozen=True):
    """A change of code as sessions can share it: names of one place and words of one message left out."""

    went: str
    came: str


def tell(findings: Sequence[Finding]) -> Telling | str:
    slots = [finding.slots for finding in findings]
    rule = slots[0]["rule"]
    linter = rule.split(" ")[0]
    comment, change = _usual_comment(slots), _shared_change(slots)
    if TYPES.fullmatch(linter) and not comment:
        return "a type error of ordinary development"
    if change is not None and _is_named(change, slots):
        return "the message names its remedy"
    if not comment and change is None:
        return "no two sessions answered it alike"
    message = linter_report_in(_message(slots))
    if not message:
        return "the message is no report of a program"
    command = Counter(slot["command"] for slot in slots).most_common(1)[0][0]
    situation = f"`{command}` reports {rule}: '{message}'"
    remedy = _remedy(comment, change, is_exception=not _is_usual(slots))
    return Telling(
        fact=f"{situation}: {remedy}.",
        category="pitfall",
        situation=situation,
        remedy=remedy,
        directness=DIRECT_WITH_REMEDY,
        domain="lint",
        tags=(LINT, linter),
        rests_on=tuple(
            place for place, slot in enumerate(slots) if _shows(slot, comment, change)
        ),
        times=sum(int(slot["seen"]) for slot in slots),
        worked=len(_solved(slots)),
    )


def _shows(slot: Slots, comment: str, change: _Change | None) -> bool:
    """The session answered the rule as it is told."""
    if comment and slot["comment"]:
        return True
    own_change = _change_in(slot)
    return (
        change is not None and own_change is not None and _is_alike(own_change, change)
    )


def _is_alike(first: _Change, second: _Change) -> bool:
    return _with_holes(first) == _with_holes(second)


def _remedy(comment: str, change: _Change | None, *, is_exception: bool) -> str:
    """What sessions did. Where most changed their code each in its own way, that is said too."""
    parts = []
    if change is not None:
        parts.append(f"write `{change.came}` for `{change.went}`")
    elif is_exception:
        parts.append("most changed the code")
    if comment:
        parts.append(f"where it is meant so, `{comment}`")
    return "; ".join(parts)


def _solved(slots: Sequence[Slots]) -> list[Slots]:
    """One for each session that made the linter content."""
    return [slot for slot in slots if int(slot["comments"]) or int(slot["edits"])]


def _usual_comment(slots: Sequence[Slots]) -> str:
    """The comment that sessions answer the rule with, if they do."""
    comments = Counter(slot["comment"] for slot in slots if slot["comment"])
    return comments.most_common(1)[0][0] if comments else ""


def _is_usual(slots: Sequence[Slots]) -> bool:
    """Most that got past the rule wrote a comment."""
    solved = _solved(slots)
    commented = sum(bool(slot["comment"]) for slot in solved)
    return commented >= MIN_SHARE * len(solved)


def _shared_change(slots: Sequence[Slots]) -> _Change | None:
    """The change of code that most sessions made whose change can be shown."""
    changes = [change for slot in slots if (change := _change_in(slot)) is not None]
    if not changes:
        return None
    shapes = Counter(_with_holes(change) for change in changes)
    shape, times = shapes.most_common(1)[0]
    if times < max(MIN_SESSIONS, MIN_SHARE * len(changes)):
        return None
    alike = [change for change in changes if _with_holes(change) == shape]
    shortest = min(alike, key=lambda change: (len(change.came), change))
    is_short = len(shortest.went) + len(shortest.came) <= MAX_EXAMPLE_CHARACTERS
    return shortest if is_short else None


def _change_in(slot: Slots) -> _Change | None:
    """The change of a session, where it can be shown."""
    match = _SHOWN_CHANGE.fullmatch(slot["edit"])
    return _general(match[1], match[2]) if match else None


def _general(went: str, came: str) -> _Change:
    """Of texts in the code only what is filled in: `"no tide: %w"` is `"…%w"`."""
    return _Change(_TEXT.sub(_open_text, went), _TEXT.sub(_open_text, came))


def _open_text(match: re.Match[str]) -> str:
    return f'"…{" ".join(_FORMAT.findall(match[0]))}"'


def _with_holes(change: _Change) -> _Change:
    """A single name that is wrapped may be any: `err` and `tideErr` go the same way."""
    if not _WORD.fullmatch(change.went):
        return change
    name = re.compile(rf"\b{re.escape(change.went)}\b")
    came = name.sub("<name>", change.came)
    return _Change("<name>", came) if came != change.came else change


def _is_named(change: _Change, slots: Sequence[Slots]) -> bool:
    """The linter's own messages have the name that came, the longest of the new words: nobody needs to be told."""
    words = {*_WORD.findall(change.came)} - {*_WORD.findall(change.went)}
    name = max(words, key=len, default="")
    return all(name in _WORD.findall(slot["message"]) for slot in slots)


def _message(slots: Sequence[Slots]) -> str:
    """The words when they are always the same, else their shape, or what all shapes begin with."""
    shapes = Counter(slot["shape"] for slot in slots)
    shape, count = shapes.most_common(1)[0]
    messages = {slot["message"] for slot in slots}
    words = shape
    if len(shapes) == 1 and len(messages) == 1:
        words = messages.pop()
    beginning = _common_beginning(list(shapes))
    if len(shapes) > count == 1 and len(beginning) > MAX_VAGUE_BEGINNING:
        words = beginning.rstrip(" :,(") + "…"
    return words.replace("`", "'")


def _common_beginning(texts: Sequence[str]) -> str:
    columns = zip(*(text.split(" ") for text in texts), strict=False)
    alike = takewhile(lambda words: len(set(words)) == 1, columns)
    return " ".join(words[0] for words in alike)
