"""Which calls a session holds, small enough to keep: by them a session is known again in one that copied from it.

A fork or a resumed session starts with a copy of another session, under a name of its own. Agents give each call an id
that no other call in the world has, and copy it too. A mark is the hash of such an id, or of words said between calls,
and the line it stands at.
"""

from __future__ import annotations

import re
from array import array
from typing import NamedTuple
from zlib import crc32

from afterglow.records.session import Call, Session

# Formats whose agents copy calls, and where a reader can begin behind a line.
COPYING_FORMATS = frozenset({"claude-code", "codex", "hermes-db"})
# Of these, copies have the times of the originals: the same words said in both at other times are no copy.
_COPYING_TIMES = frozenset({"claude-code"})
# Some models count their calls ("functions.terminal:0"), and readers make up ids that are missing ("call@12.0").
_UNIQUE_ID = re.compile(
    r"(?<![A-Za-z0-9])(?=[A-Za-z]*[0-9])(?=[0-9]*[A-Za-z])[A-Za-z0-9]{8,}"
)
_SPOKEN = frozenset({"said", "steer", "command"})
MAX_HASHED_CHARACTERS = 500  # of what was said: enough to tell it from other words
_CALL_BIT = 1


class CallMark(NamedTuple):
    hash: int
    line: int

    @property
    def is_call(self) -> bool:
        return bool(self.hash & _CALL_BIT)


class CallMarks:
    """The marks of a session, part by part: hashes and lines in turn."""

    def __init__(self, packed: bytes = b"", up_to_line: int = 0) -> None:
        """Those of an earlier reading up to a line, where there was one."""
        self._flat: list[int] = []
        self._has_calls = False
        for mark in unpacked(packed):
            if mark.line <= up_to_line:
                self._flat += mark
                self._has_calls = self._has_calls or mark.is_call
        self._last_line = up_to_line
        self._ends_unanswered = False

    def add(self, part: Session) -> None:
        if part.format not in COPYING_FORMATS or not part.turns:
            return
        keeps_times = part.format in _COPYING_TIMES
        for turn in part.turns:
            if turn.calls:
                self._add_calls(turn.calls)
                self._ends_unanswered = turn.calls[-1].result_line is None
            elif turn.role != "tool" and turn.text and turn.kind in _SPOKEN:
                time = turn.time or 0.0 if keeps_times else 0.0
                self._flat += (_hash_of_words(turn.text, time), turn.line)
                self._ends_unanswered = False
        self._last_line = max(self._last_line, part.turns[-1].line)

    def _add_calls(self, calls: tuple[Call, ...]) -> None:
        for call in calls:
            if "@" not in call.id and _UNIQUE_ID.search(call.id):
                self._flat += (_hash_of_id(call.id), call.line)
                self._has_calls = True

    def packed(self) -> bytes:
        """Empty where no call could be known again; else, behind the marks, how it ends and its last line."""
        if not self._has_calls:
            return b""
        return array(
            "Q", (*self._flat, self._ends_unanswered, self._last_line)
        ).tobytes()


def _hash_of_id(id: str) -> int:
    """64 bits, from both ends: a scan does this for every call."""
    letters = id.encode("utf-8", "surrogatepass")
    return crc32(letters) << 32 | crc32(letters[::-1]) | _CALL_BIT


def _hash_of_words(text: str, time: float) -> int:
    """A quick one: words are compared only where they stand behind the same call."""
    words = text[:MAX_HASHED_CHARACTERS].encode("utf-8", "surrogatepass")
    return (crc32(words, int(time) & 0xFFFFFFFF) << 20 | len(text) & 0xFFFFF) << 1


def unpacked(packed: bytes) -> list[CallMark]:
    """The marks without the last line."""
    flat = array("Q", packed)
    return list(map(CallMark, flat[:-2:2], flat[1:-2:2]))


def last_line(packed: bytes) -> int:
    return array("Q", packed[-8:])[0]


def ends_unanswered(packed: bytes) -> bool:
    """Whether nobody answered the last call: whoever resumed the session may have the answer."""
    return bool(array("Q", packed[-16:])[0])


def hashes(packed: bytes) -> array[int]:
    """The same as numbers alone, for a quick look at many sessions."""
    return array("Q", packed)[:-2:2]
