"""What changed between a call that failed and one that worked.

The best sign of a true fix is a small difference between two calls of the same program. Words are compared with what
varies from run to run (numbers, ids, long texts) taken out, so that only a real change remains.
"""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from functools import lru_cache

from msgspec import Struct

LONGEST = 3000  # characters of a command that are compared
MOST = 80  # words
SHOWN = 80  # characters of a change that are shown whole

_WORD = re.compile(r"(?:[^\s\"'`]|\"(?:\\.|[^\"\\])*\"?|'[^']*'?|`[^`]*`?)+")
_SHAPES = (
    (re.compile(r"<<-?\s*['\"]?(\w+)['\"]?.*", re.DOTALL), "<<…"),
    (re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{20,}\b"), "<uuid>"),
    (re.compile(r"\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,40}\b"), "<id>"),
    (re.compile(r"(?<![\w.-])\d+(?![\w.-])"), "<n>"),
    (re.compile(r"(?<=[/:=#])\d{2,}(?![\w.])"), "<n>"),
)
_TEXT = re.compile(r"\"(?:\\.|[^\"\\])*\"|'[^']*'")
FREE = 22  # characters from which a quoted text with spaces is left out


class Hunk(Struct, frozen=True):
    """Words that went (`old`) and words that came (`new`), either of which may be empty; `size` is how many."""

    old: str
    new: str
    size: int = 1


@lru_cache(maxsize=2048)
def shape(command: str) -> str:
    """A command with numbers, ids and here-documents taken out, on one line."""
    text = command[:LONGEST]
    for pattern, plain in _SHAPES:
        text = pattern.sub(plain, text)
    return " ".join(text.split())


def brief(command: str, limit: int = 110) -> str:
    """A command short enough to stand in a sentence: long quoted texts are left out, the end is cut."""
    text = _without_texts(shape(command))
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"


def _without_texts(command: str) -> str:
    """Free text has spaces in it; a quoted path has not."""
    return _TEXT.sub(
        lambda m: f"{m[0][0]}…{m[0][0]}" if len(m[0]) > FREE and " " in m[0] else m[0],
        command,
    )


def words(command: str) -> list[str]:
    return _WORD.findall(shape(command))[:MOST]


def changes(failing: str, working: str) -> list[Hunk]:
    """What changed between two commands; inside a long quoted text only where nothing else did."""
    old, new = (
        _WORD.findall(_without_texts(shape(command)))[:MOST]
        for command in (failing, working)
    )
    return [
        narrowed(hunk)
        for hunk in hunks(
            *((old, new) if old != new else (words(failing), words(working)))
        )
    ]


def hunks(old: list[str], new: list[str]) -> list[Hunk]:
    """The changes that turn one list of words into the other."""
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    return [
        Hunk(" ".join(old[a:b]), " ".join(new[c:d]), max(b - a, d - c))
        for kind, a, b, c, d in matcher.get_opcodes()
        if kind != "equal"
    ]


def narrowed(hunk: Hunk) -> Hunk:
    """A changed pair of long words reduced to the place where they differ, with a little around it."""
    old, new = hunk.old, hunk.new
    if not old or not new or max(len(old), len(new)) <= SHOWN:
        return hunk
    head = next(
        (i for i, (a, b) in enumerate(zip(old, new, strict=False)) if a != b),
        min(len(old), len(new)),
    )
    most = min(len(old), len(new)) - head
    tail = next((i for i in range(most) if old[-1 - i] != new[-1 - i]), most)
    start = _edge(old, max(head - 16, 0))
    return Hunk(
        _cut(old, start, len(old) - tail + 24),
        _cut(new, start, len(new) - tail + 24),
        hunk.size,
    )


def _edge(text: str, at: int) -> int:
    """The start of the word that `at` lies in, if it is near."""
    while at and text[at - 1].isalnum() and at > 0:
        at -= 1
    return at


def _cut(text: str, start: int, end: int) -> str:
    body = text[start : min(end, start + SHOWN)]
    return (
        ("…" if start else "") + body + ("…" if start + len(body) < len(text) else "")
    )
