"""What forgetting sessions takes away."""

from __future__ import annotations

from msgspec import Struct


class DoomedSession(Struct, frozen=True, omit_defaults=True):
    """A session that is to be forgotten, as the catalogue has it; without a `key` where only evidence names it."""

    agent: str
    id: str
    source: str = ""
    start: float | None = None
    end: float | None = None
    repo: str = ""
    parent: str = ""
    key: int = 0


class Forgetting(Struct, frozen=True, kw_only=True):
    """What goes with `sessions`. Of the items that rest on them, `removed` rest on nothing else or cannot be told
    without them, `retold` are told anew from what remains, `words_kept` lose that evidence only: a person wrote their words,
    or no word of them comes from there alone. `copies` are files that migrations left; `transcripts` are still there
    and stay: they are the agent's. `remaining` says what is not in our hands, or could not be done."""

    sessions: tuple[DoomedSession, ...] = ()
    removed: tuple[str, ...] = ()
    retold: tuple[str, ...] = ()
    words_kept: tuple[str, ...] = ()
    answers: int = 0
    deliveries: int = 0
    units: int = 0
    templates_removed: tuple[str, ...] = ()
    templates_changed: tuple[str, ...] = ()
    memories: int = 0
    copies: tuple[str, ...] = ()
    transcripts: tuple[str, ...] = ()
    remaining: tuple[str, ...] = ()
    dry: bool = False
