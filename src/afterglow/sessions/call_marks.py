"""Which calls a session holds, small enough to keep: by them a session is known again in one that copied from it.

A fork or a resumed session starts with a copy of another session, under a name of its own. Agents give each call an id
that no other call in the world has, and copy it too. A mark is the hash of such an id, or of words said between calls,
and the line it stands at.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator
from hashlib import blake2b
from typing import NamedTuple

from afterglow.records.session import Session, Turn

# Formats whose agents copy calls, and where a reader can begin behind a line.
COPYING_FORMATS = frozenset({"claude-code", "codex", "hermes-db"})
# Some models count their calls ("functions.terminal:0"), and readers make up ids that are missing ("call@12.0").
_UNIQUE_ID = re.compile(
    r"(?<![A-Za-z0-9])(?=[A-Za-z]*[0-9])(?=[0-9]*[A-Za-z])[A-Za-z0-9]{8,}(?!.*@)"
)
_SPOKEN = frozenset({"said", "steer", "command"})
MAX_HASHED_CHARACTERS = 2000  # of what was said: enough to tell it from other words
_CALL_BIT = 1


class CallMark(NamedTuple):
    hash: int
    line: int

    @property
    def is_call(self) -> bool:
        return bool(self.hash & _CALL_BIT)


class CallMarks:
    """The marks of a session, part by part."""

    def __init__(self, packed: bytes = b"", up_to_line: int = 0) -> None:
        """Those of an earlier reading up to a line, where there was one."""
        self._marks = [mark for mark in unpacked(packed) if mark.line <= up_to_line]
        self._last_line = up_to_line

    def add(self, part: Session) -> None:
        if part.format not in COPYING_FORMATS:
            return
        for turn in part.turns:
            self._marks += _of_turn(turn)
            self._last_line = max(self._last_line, turn.line)

    def packed(self) -> bytes:
        """Empty where no call could be known again; else with the last line behind the marks."""
        if not any(mark.is_call for mark in self._marks):
            return b""
        flat = array("Q")
        for mark in self._marks:
            flat.extend(mark)
        flat.extend((0, self._last_line))
        return flat.tobytes()


def _of_turn(turn: Turn) -> Iterator[CallMark]:
    if turn.calls:
        for call in turn.calls:
            if _UNIQUE_ID.search(call.id):
                yield CallMark(_hash(call.id) | _CALL_BIT, call.line)
    elif turn.text and turn.role in ("user", "assistant") and turn.kind in _SPOKEN:
        words = f"{turn.role} {turn.text[:MAX_HASHED_CHARACTERS]}"
        yield CallMark(_hash(words) & ~_CALL_BIT, turn.line)


def _hash(text: str) -> int:
    digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "little")


def unpacked(packed: bytes) -> list[CallMark]:
    """The marks without the last line."""
    flat = array("Q", packed)
    return list(map(CallMark, flat[:-2:2], flat[1:-2:2]))


def last_line(packed: bytes) -> int:
    return array("Q", packed[-8:])[0]


def hashes(packed: bytes) -> array[int]:
    """The same as numbers alone, for a quick look at many sessions."""
    return array("Q", packed)[:-2:2]
