"""What a rule that a linter keeps finding broken is told as: the message, and the ways that made it content."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import takewhile

from afterglow.harvest.lint_lines import TYPES
from afterglow.records.knowledge import Finding, Telling

MAX_EXAMPLE_CHARACTERS = 70  # a longer example is not worth its place in a context

# A comment that tells a linter to be quiet, in any language.
SUPPRESSING = re.compile(
    r"//\s*nolint\b[^\n]*|#\s*(?:noqa|nosec|(?:type|pyright):\s*ignore|(?:pylint|rubocop):\s*disable)\b[^\n]*"
    r"|#\s*shellcheck disable\b[^\n]*"
    r"|(?://|/\*)\s*(?:eslint-disable|biome-ignore|@ts-(?:expect-error|ignore)|NOLINT|swiftlint:disable|nosemgrep)[^\n]*"
    r"|#!?\[(?:allow|expect)\([^)\n]{0,200}\)\]|@SuppressWarnings\([^)\n]{0,200}\)"
)


def tell(findings: Sequence[Finding]) -> Telling | str:
    slots = [f.slots for f in findings]
    rule, command = (
        slots[0]["rule"],
        Counter(s["command"] for s in slots).most_common(1)[0][0],
    )
    sessions = len({f.first.session for f in findings})
    times, comments, edits = (
        sum(int(s[key]) for s in slots) for key in ("seen", "comments", "edits")
    )
    if sessions < 2 and not comments:
        return "seen in one session, and no comment was needed"
    if TYPES.fullmatch(rule.split(" ")[0]) and (sessions < 2 or not comments):
        return "a type error of ordinary development"
    ways = sorted(
        [(comments, _by_comment(slots)), (edits, _by_edit(slots))],
        key=lambda way: -way[0],
    )
    remedy = "; or by ".join(words for count, words in ways if count)
    situation = f"`{command}` reports {rule}: '{_message(slots)}'"
    fact = (
        f"{situation}; fixed by {remedy}."
        if remedy
        else f"{situation}: avoid it when writing new code."
    )
    return Telling(
        fact=fact,
        category="pitfall",
        situation=situation,
        remedy=_terse(ways, slots) if remedy else "",
        directness=0.8 if remedy else 0.55,
        domain="lint",
        tags=("lint", rule.split(" ")[0]),
        times=times,
        worked=min(comments + edits, times),
    )


def _terse(ways: Sequence[tuple[int, str]], slots: Sequence[dict[str, str]]) -> str:
    """The same ways, most used first, in few words: the comment to write, the change where it is short."""
    comment, example = _comment_of(slots), _example_of(slots)
    change = (
        f"change the code ({example})"
        if example and len(example) <= MAX_EXAMPLE_CHARACTERS
        else "change the code"
    )
    ways_told = [
        f"`{comment}` where intended" if words.startswith("suppressing") else change
        for n, words in ways
        if n
    ]
    return ", or ".join(ways_told)


def _comment_of(slots: Sequence[dict[str, str]]) -> str:
    comments = Counter(s["comment"] for s in slots if s["comment"])
    return max(
        comments,
        key=lambda words: (comments[words], "<reason>" in words, -len(words)),
        default="",
    )


def _example_of(slots: Sequence[dict[str, str]]) -> str:
    return min(
        (s["edit"] for s in slots if s["edit"]),
        key=lambda words: (words[0] != "`", len(words)),
        default="",
    )


def _by_comment(slots: Sequence[dict[str, str]]) -> str:
    comment = _comment_of(slots)
    if not comment:
        return ""
    lines = sorted(
        (
            s["flagged"]
            for s in slots
            if s["flagged"] and not SUPPRESSING.search(s["flagged"])
        ),
        key=len,
    )
    unlike = {
        line.split(" ")[0]: line for line in reversed(lines)
    }  # the shortest of those that begin alike
    examples = " or ".join(f"`{line}`" for line in sorted(unlike.values(), key=len)[:2])
    where = f" on a line such as {examples}" if examples else " on that line"
    return f"suppressing it where intended with `{comment}`{where}"


def _by_edit(slots: Sequence[dict[str, str]]) -> str:
    example = _example_of(slots)
    return "changing the code" + (f", e.g. {example}" if example else "")


def _message(slots: Sequence[dict[str, str]]) -> str:
    """The words when they are always the same, else their shape, or what all shapes begin with."""
    shapes = Counter(s["shape"] for s in slots)
    shape, count = shapes.most_common(1)[0]
    messages = {s["message"] for s in slots if s["shape"] == shape}
    words = messages.pop() if len(messages) == 1 and len(shapes) == 1 else shape
    columns = zip(*(shape.split(" ") for shape in shapes), strict=False)
    common = " ".join(
        column[0] for column in takewhile(lambda words: len(set(words)) == 1, columns)
    )
    if count == 1 and len(shapes) > 1 and len(common) > 20:
        words = common.rstrip(" :,(") + "…"
    return words.replace("`", "'")
