"""A name that was guessed: the error names it, and another one in its place works.

Agents guess the owner of a repository, a team, a project, and each time another one. What came in its place is the same,
whatever was guessed and whichever command it stood in.
"""

from __future__ import annotations

import re
from difflib import SequenceMatcher

from msgspec import Struct

MAX_WORDS_COMPARED = 200  # of a call: a longer one holds a text

_WORD = re.compile(r"[\w.@/-]+")
_NAME = re.compile(r"[A-Za-z][\w.@-]*(?:/[A-Za-z][\w.@-]*)?")


class Guess(Struct, frozen=True):
    """What was guessed, what it is, and the part of that by which other guesses are known: `FSM/tide` -> `FSM`."""

    went: str
    came: str
    key: str


def guessed_value(failing: str, working: str, error: str) -> Guess | None:
    """The one word of a call that the error names, where just one other word came for it."""
    old, new = _words(failing), _words(working)
    replaced = [
        (old[i], new[j])
        for tag, i, end, j, new_end in SequenceMatcher(
            None, old, new, autojunk=False
        ).get_opcodes()
        if tag == "replace" and end - i == new_end - j == 1
    ]
    named = [(went, came) for went, came in replaced if _is_guess(went, came, error)]
    if len(named) != 1:
        return None
    went, came = named[0]
    return Guess(went, came, _part_that_differs(went, came))


def _words(text: str) -> list[str]:
    return _WORD.findall(text)[:MAX_WORDS_COMPARED]


def _is_guess(went: str, came: str, error: str) -> bool:
    """Both are names, of one part or two; the message names what went, and does not know what came."""
    if not _NAME.fullmatch(went) or not _NAME.fullmatch(came):
        return False
    return went in error and came not in error


def _part_that_differs(went: str, came: str) -> str:
    """Of names with as many parts, the part that is another."""
    old, new = went.split("/"), came.split("/")
    if len(old) != len(new):
        return came
    return "/".join(
        after for before, after in zip(old, new, strict=True) if after != before
    )
