"""What a rule that a linter keeps finding broken is told as: the message, and the ways that made it content."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import takewhile

from msgspec import Struct

from afterglow.harvest.lint_lines import TYPES
from afterglow.records.knowledge import Finding, Telling

MAX_EXAMPLE_CHARACTERS = 90  # of a change: a longer one is not worth its place
MAX_VAGUE_BEGINNING = 20  # characters that several messages share by chance
# That break a rule. A linter says itself what is wrong, and one run later that is mended: worth a line at every start
# is only what several sessions lost such a run to.
MIN_SESSIONS = 3
MIN_ALIKE = 2  # sessions that answered alike: what one wrote is of its own code
MIN_SHARE = (
    0.5  # of those that got past the rule: a way that fewer took is an exception
)
DIRECT_WITH_REMEDY = 0.8  # how directly: the linter was content afterwards

# A comment that tells a linter to be quiet, in any language.
SUPPRESSING = re.compile(
    r"//\s*nolint\b[^\n]*|#\s*(?:noqa|nosec|(?:type|pyright):\s*ignore|(?:pylint|rubocop):\s*disable)\b[^\n]*"
    r"|#\s*shellcheck disable\b[^\n]*"
    r"|(?://|/\*)\s*(?:eslint-disable|biome-ignore|@ts-(?:expect-error|ignore)|NOLINT|swiftlint:disable|nosemgrep)[^\n]*"
    r"|#!?\[(?:allow|expect)\([^)\n]{0,200}\)\]|@SuppressWarnings\([^)\n]{0,200}\)"
)

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
    if len({finding.first.session for finding in findings}) < MIN_SESSIONS:
        return "few sessions met it"
    comment, change = _shared_comment(slots), _shared_change(slots)
    if TYPES.fullmatch(linter) and not comment:
        return "a type error of ordinary development"
    if change is not None and _is_named(change, slots):
        return "the message names its remedy"
    if not comment and change is None:
        return "no two sessions answered it alike"
    command = Counter(slot["command"] for slot in slots).most_common(1)[0][0]
    situation = f"`{command}` reports {rule}: '{_message(slots)}'"
    remedy = _remedy(comment, change)
    return Telling(
        fact=f"{situation}: {remedy}.",
        category="pitfall",
        situation=situation,
        remedy=remedy,
        directness=DIRECT_WITH_REMEDY,
        domain="lint",
        tags=("lint", linter),
        times=sum(int(slot["seen"]) for slot in slots),
        worked=len(_solved(slots)),
    )


def _remedy(comment: str, change: _Change | None) -> str:
    meant = f"where it is meant so, `{comment}`" if comment else ""
    if change is None:
        return meant
    changed = f"write `{change.came}` for `{change.went}`"
    return f"{changed}; {meant}" if meant else changed


def _solved(slots: Sequence[Slots]) -> list[Slots]:
    """One for each session that made the linter content."""
    return [slot for slot in slots if int(slot["comments"]) or int(slot["edits"])]


def _shared_comment(slots: Sequence[Slots]) -> str:
    """The comment that sessions answer the rule with; empty where most changed their code."""
    solved = _solved(slots)
    comments = Counter(slot["comment"] for slot in solved if slot["comment"])
    is_usual = comments.total() >= max(MIN_ALIKE, MIN_SHARE * len(solved))
    if not is_usual:
        return ""
    comment, times = comments.most_common(1)[0]
    return comment if times >= MIN_ALIKE else ""


def _shared_change(slots: Sequence[Slots]) -> _Change | None:
    """The change of code that most sessions made whose change can be shown."""
    changes = [
        _general(match[1], match[2])
        for slot in _solved(slots)
        if (match := _SHOWN_CHANGE.fullmatch(slot["edit"]))
    ]
    if not changes:
        return None
    shapes = Counter(_with_holes(change) for change in changes)
    shape, times = shapes.most_common(1)[0]
    if times < max(MIN_ALIKE, MIN_SHARE * len(changes)):
        return None
    alike = [change for change in changes if _with_holes(change) == shape]
    shortest = min(alike, key=lambda change: (len(change.came), change))
    is_short = len(shortest.went) + len(shortest.came) <= MAX_EXAMPLE_CHARACTERS
    return shortest if is_short else None


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
