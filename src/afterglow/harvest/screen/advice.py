"""Whether a session did what a text told it: then it is no witness of its own for the remedy.

Sessions that obey one message all have it from that message, on however many days. What counts is what the remedy
brings to the call that failed (its new flags, values, names): where all of that stands close together in the error, or
in another output from which the session first had it, the session was told.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct

from afterglow.harvest.writing.brought import brought, says, says_in_words
from afterglow.harvest.writing.failure_names import code_in, parts_of, tokens_of
from afterglow.records.knowledge import Finding

Run = tuple[bytes, ...]

NEAR = 300  # characters around a word in which the rest of an advice stands
MAX_PLACES = 20  # of a word in one text that are looked at
MAX_LENGTH = 200_000  # characters of one text that are looked at: advice is short
LONG_FLAG, LONG_NAME = 6, 8  # letters of what is not met by chance

REMEDY = "remedy"  # the slot in which a finding says what to do
CAME = "came"  # the slot of a recovery with what is new in the call that worked
PROGRAM = "program"

_SAYS = re.compile(r"\w")


class Advice(Struct, frozen=True):
    """What a remedy brings to a call. `word` is the longest part of it, `beside` the program it is for. `errors` are the
    numbers of the texts that the remedy answers. `remedy` and `call` are there for what is told without code."""

    parts: tuple[str, ...]
    word: str
    beside: str
    errors: tuple[int, ...]
    remedy: str
    call: str

    @property
    def is_rare(self) -> bool:
        """Whether its word is nobody's chance; a path is of the project, whoever names it."""
        word = self.word
        if "/" in word:
            return False
        if word.startswith("-"):
            return len(word) >= LONG_FLAG
        has_marks = any(not letter.isalpha() for letter in word)
        return len(word) >= (LONG_FLAG if has_marks else LONG_NAME)

    def stands_in(self, text: str) -> bool:
        """All that the remedy brings stands in one place of the text."""
        if not self.parts:
            return says_in_words(text, self.remedy, self.call)
        return any(says(around, self.parts) for around in _places(text, self.word))

    def is_given_by(self, text: str) -> bool:
        """The same of any text: it also names what the advice is for."""
        wanted = [*self.parts, self.beside] if self.beside else self.parts
        return any(says(around, wanted) for around in _places(text, self.word))


def advice_for(
    finding: Finding, failing: str, working: str, errors: tuple[int, ...]
) -> Advice | None:
    """What the finding's remedy brings to the call that failed; None where it tells nothing to do. Of a recovery that is
    what the working call has and the failing one has not."""
    remedy = finding.slots.get(REMEDY, "")
    if finding.slots.get(CAME):
        remedy = ""
        parts = sorted(_parts(working) - _parts(failing))
    else:
        parts = brought(remedy, tokens_of(failing))
    whole = [part for part in parts if "…" not in part]
    if not whole:
        is_plain = bool(remedy and errors) and not code_in(remedy)
        return Advice((), "", "", errors, remedy, failing) if is_plain else None
    word = max(whole, key=len)
    beside = _beside(finding, remedy, word)
    return Advice(tuple(parts), word, beside, errors, remedy, failing)


def _parts(line: str) -> frozenset[str]:
    return frozenset(filter(_SAYS.search, tokens_of(line)))


def _beside(finding: Finding, remedy: str, word: str) -> str:
    if program := finding.slots.get(PROGRAM, ""):
        return program.split(" ")[0]
    for code in code_in(remedy):
        parts = parts_of(code)
        if word in parts[1:]:
            return parts[0]
    return ""


def _places(text: str, word: str) -> Iterator[str]:
    """What stands around a word, wherever it stands."""
    text = text[:MAX_LENGTH]
    at = text.find(word)
    for _ in range(MAX_PLACES):
        if at < 0:
            return
        yield text[max(at - NEAR, 0) : at + len(word) + NEAR]
        at = text.find(word, at + NEAR)
