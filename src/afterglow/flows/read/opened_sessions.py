"""Sessions that are looked at again and again: parsed once as long as their file stays as it is, and cut into windows."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from msgspec import Struct

from afterglow.config import Config
from afterglow.flows.read.catalogued_sessions import find_session, read_session
from afterglow.records.catalog import Entry
from afterglow.records.session import Call, Session, Turn
from afterglow.store.file_stamps import Stamp, file_stamp

KEPT_SESSIONS = 6  # in memory: those that a person goes back and forth between
WINDOW_TURNS = 40  # of a transcript at once
WINDOW_CHARACTERS = 110_000  # of its texts as HTML: a page stays below 200 KB
# Characters of a text that are shown at once; the rest is behind a link.
MAX_SAID = 4_000  # by a person or the model
MAX_NOTE = 800  # put among it by the agent: summaries, skills, rules
MAX_REQUEST = 1_600  # what a call asked for
MAX_RESULT = 1_200  # of a call that ended well
MAX_FAILURE = 3_000  # of one that did not
ESCAPED, MORE_ESCAPED = "<>&\"'", 4  # characters that HTML writes with so many more


class OpenedSession(Struct, frozen=True):
    """`turns` are the places of those that are shown; `starts` those among them where a window begins. What tools brought
    back stands with their calls, not as turns of its own."""

    session: Session
    turns: tuple[int, ...]
    starts: tuple[int, ...]

    def window(self, number: int) -> tuple[int, ...]:
        """The places of the turns in a window, counted from 1."""
        ends = (*self.starts[1:], len(self.turns))
        return self.turns[self.starts[number - 1] : ends[number - 1]]

    def window_with(self, line: int) -> int:
        """The number of the window in which a line of the source is shown; the next before it where none has it."""
        fitting = 1
        for number in range(1, len(self.starts) + 1):
            if self.session.turns[self.window(number)[0]].line > line:
                break
            fitting = number
        return fitting


def opened(config: Config, name: str) -> tuple[Entry, OpenedSession]:
    """The session of that id. Raises `NotFound` where it, or its file, is not there any more."""
    entry = find_session(config, name)
    return entry, open_entry(entry)


def open_entry(entry: Entry) -> OpenedSession:
    stamp = file_stamp(Path(entry.source))
    # What lies elsewhere is as the last scan saw it.
    return _parsed(entry.source, entry.id, stamp or (entry.messages, entry.calls))


@lru_cache(maxsize=KEPT_SESSIONS)
def _parsed(source: str, id: str, stamp: Stamp) -> OpenedSession:
    session = read_session(source, id)
    turns = tuple(
        at
        for at, turn in enumerate(session.turns)
        if turn.role != "tool" and (turn.text.strip() or turn.calls)
    )
    sizes = [turn_size(session.turns[at]) for at in turns]
    return OpenedSession(session, turns, _starts(sizes))


def _starts(sizes: list[int]) -> tuple[int, ...]:
    starts, turns, characters = [0], 0, 0
    for at, size in enumerate(sizes):
        is_full = turns >= WINDOW_TURNS or characters + size > WINDOW_CHARACTERS
        if turns and is_full:
            starts.append(at)
            turns = characters = 0
        turns += 1
        characters += size
    return tuple(starts)


def turn_size(turn: Turn) -> int:
    """About how many characters of HTML its texts take."""
    text_size = _escaped_size(turn.text, said_limit(turn))
    return text_size + sum(map(_call_size, turn.calls))


def _call_size(call: Call) -> int:
    result = _escaped_size(call.result or "", MAX_FAILURE)
    return _escaped_size(call.arguments, MAX_REQUEST) + result


def _escaped_size(text: str, limit: int) -> int:
    piece = text[:limit]
    return len(piece) + MORE_ESCAPED * sum(map(piece.count, ESCAPED))


def said_limit(turn: Turn) -> int:
    return MAX_SAID if turn.kind in {"said", "steer"} else MAX_NOTE
