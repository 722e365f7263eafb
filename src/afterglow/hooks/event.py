"""An event as an agent tells it, in our words, and what a dialect must know to read and answer it."""

from __future__ import annotations

from typing import Literal, Protocol

from msgspec import Struct

# start: a session begins, or goes on; prompt: a person asked something; call: a tool is about to be used; pause: a turn
# is over; end: the session is; other: nothing of ours.
Kind = Literal["start", "prompt", "call", "pause", "end", "other"]


class Event(Struct, frozen=True, kw_only=True):
    """`name` is the agent's own. `source` is why a session starts: startup, resume, clear or compact. `inner` events
    are those of a sub-agent."""

    name: str
    kind: Kind
    session: str = ""
    transcript: str = ""
    cwd: str = ""
    source: str = ""
    prompt: str = ""
    tool: str = ""
    arguments: str = "{}"
    inner: bool = False


class Dialect(Protocol):
    """One agent's hooks. `CHARACTERS` is how much context it takes in whole."""

    AGENT: str
    CHARACTERS: int

    def read(self, content: bytes, name: str) -> Event:
        """The event on standard input; `name` goes before the one in it. Raises `msgspec.DecodeError`."""

    def answer(self, event: Event, context: str) -> bytes:
        """What goes to standard output."""
