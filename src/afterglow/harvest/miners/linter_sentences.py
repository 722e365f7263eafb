"""What a rule that a linter keeps finding broken is told as: the message, and the ways that made it content."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import takewhile

from msgspec import Struct

from afterglow.harvest.lint_lines import TYPES
from afterglow.records.knowledge import Finding, Telling

MAX_EXAMPLE_CHARACTERS = 70  # a longer example is not worth its place in a context
MAX_EXAMPLE_LINES = 2  # on which a comment stands
MAX_VAGUE_BEGINNING = 20  # characters that several messages share by chance
MIN_SESSIONS = 2  # that break a rule: once is an oversight
DIRECT_WITH_REMEDY = 0.8  # how directly: the linter was content afterwards

# A comment that tells a linter to be quiet, in any language.
SUPPRESSING = re.compile(
    r"//\s*nolint\b[^\n]*|#\s*(?:noqa|nosec|(?:type|pyright):\s*ignore|(?:pylint|rubocop):\s*disable)\b[^\n]*"
    r"|#\s*shellcheck disable\b[^\n]*"
    r"|(?://|/\*)\s*(?:eslint-disable|biome-ignore|@ts-(?:expect-error|ignore)|NOLINT|swiftlint:disable|nosemgrep)[^\n]*"
    r"|#!?\[(?:allow|expect)\([^)\n]{0,200}\)\]|@SuppressWarnings\([^)\n]{0,200}\)"
)

_CHANGE, _CHANGED = "change the code", "changing the code"

Slots = dict[str, str]


class _Way(Struct, frozen=True):
    """One way that made a linter content: how often, in a sentence, and in few words."""

    times: int
    words: str
    terse: str


def tell(findings: Sequence[Finding]) -> Telling | str:
    slots = [finding.slots for finding in findings]
    rule = slots[0]["rule"]
    linter = rule.split(" ")[0]
    sessions = len({finding.first.session for finding in findings})
    times, comments, edits = (_sum(slots, key) for key in ("seen", "comments", "edits"))
    if sessions < MIN_SESSIONS:
        return "seen in one session"
    if TYPES.fullmatch(linter) and not comments:
        return "a type error of ordinary development"
    ways = _ways(slots, comments, edits)
    if not ways:
        return "nobody could use what helped"
    command = Counter(slot["command"] for slot in slots).most_common(1)[0][0]
    situation = f"`{command}` reports {rule}: '{_message(slots)}'"
    return Telling(
        fact=f"{situation}; fixed by {'; or by '.join(way.words for way in ways)}.",
        category="pitfall",
        situation=situation,
        remedy=", or ".join(way.terse for way in ways),
        directness=DIRECT_WITH_REMEDY,
        domain="lint",
        tags=("lint", linter),
        times=times,
        worked=min(comments + edits, times),
    )


def _sum(slots: Sequence[Slots], key: str) -> int:
    return sum(int(slot[key]) for slot in slots)


def _ways(slots: Sequence[Slots], comments: int, edits: int) -> list[_Way]:
    """What made the linter content, most used first; nothing where it was only changes that cannot be shown."""
    ways = [_by_comment(slots, comments), _by_edit(slots, edits)]
    used = [way for way in ways if way.times]
    if all(way.terse == _CHANGE for way in used):
        return []
    return sorted(used, key=lambda way: -way.times)


def _by_comment(slots: Sequence[Slots], times: int) -> _Way:
    comment = _comment_of(slots)
    flagged = (slot["flagged"] for slot in slots if slot["flagged"])
    lines = sorted((line for line in flagged if not SUPPRESSING.search(line)), key=len)
    # Of those that begin alike the shortest.
    unlike = {line.split(" ")[0]: line for line in reversed(lines)}
    shortest = sorted(unlike.values(), key=len)[:MAX_EXAMPLE_LINES]
    examples = " or ".join(f"`{line}`" for line in shortest)
    where = f" on a line such as {examples}" if examples else " on that line"
    words = f"suppressing it where intended with `{comment}`{where}"
    return _Way(times, words, f"`{comment}` where intended")


def _comment_of(slots: Sequence[Slots]) -> str:
    comments = Counter(slot["comment"] for slot in slots if slot["comment"])
    return max(
        comments,
        key=lambda words: (comments[words], "<reason>" in words, -len(words)),
        default="",
    )


def _by_edit(slots: Sequence[Slots], times: int) -> _Way:
    example = min(
        (slot["edit"] for slot in slots if slot["edit"]),
        key=lambda words: (words[0] != "`", len(words)),
        default="",
    )
    words = f"{_CHANGED}, e.g. {example}" if example else _CHANGED
    is_short = 0 < len(example) <= MAX_EXAMPLE_CHARACTERS
    return _Way(times, words, f"{_CHANGE} ({example})" if is_short else _CHANGE)


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
