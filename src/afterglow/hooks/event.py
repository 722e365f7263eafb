"""An event as an agent tells it, in our words, and what a dialect must know to read and answer it."""

from __future__ import annotations

from typing import Literal, Protocol

from msgspec import Struct

from afterglow.records.context import FinishedCall

# start: a session begins, or goes on; subagent: a sub-agent of it begins; prompt: a person asked something; call: a tool
# is about to be used; ended: calls have ended, well or not; pause: a turn is over; end: the session is; other: nothing
# of ours.
Kind = Literal["start", "subagent", "prompt", "call", "ended", "pause", "end", "other"]


class Event(Struct, frozen=True, kw_only=True):
    """`name` is the agent's own. `source` is why a session starts: startup, resume, clear or compact. `subagent` is the
    sub-agent that an event comes from; `transcript` is its own there, once it has one. `calls` are those that have just
    ended and may have gone wrong."""

    name: str
    kind: Kind
    session: str = ""
    transcript: str = ""
    cwd: str = ""
    source: str = ""
    prompt: str = ""
    tool: str = ""
    arguments: str = "{}"
    calls: tuple[FinishedCall, ...] = ()
    subagent: str = ""


class Dialect(Protocol):
    """One agent's hooks. `CHARACTERS` is how much context it takes in whole."""

    AGENT: str
    CHARACTERS: int

    def read(self, content: bytes, name: str) -> Event:
        """The event on standard input; `name` goes before the one in it. Raises `msgspec.DecodeError`."""

    def answer(self, event: Event, context: str) -> bytes:
        """What goes to standard output."""
