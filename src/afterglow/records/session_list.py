"""The list of sessions as people look through it: what narrows it, a page of it, and what it could be narrowed to."""

from __future__ import annotations

from msgspec import Struct

from afterglow.records.catalog import Entry
from afterglow.records.selection import EVERYTHING, Selection

OUTCOMES = ("success", "failure", "unknown")
# What can be asked of a session beside who, where and when: calls of it failed; failures did not show in an exit code;
# it was given a context or a hint; something that is kept rests on it.
MARKS = ("failures", "hidden", "given", "taught")


class SessionFilter(Struct, frozen=True, kw_only=True):
    """Which sessions: all that `selection` says, with every one of `words` in their title, first request,
    repository or id, of this `model`, with calls of this `tool`, started in this `week` (`2026-W07`, UTC), with this
    `outcome` and these of MARKS.
    `everything`: also never used ones, copies, and those whose files are gone."""

    selection: Selection = EVERYTHING
    words: str = ""
    model: str | None = None
    tool: str | None = None
    week: str | None = None
    outcome: str | None = None
    marks: frozenset[str] = frozenset()
    everything: bool = False


class ListedSession(Struct, frozen=True):
    """A session in the list: how many failures of it no exit code shows, how often it was given something, and how many
    items rest on it."""

    entry: Entry
    hidden: int = 0
    deliveries: int = 0
    items: int = 0


class SessionFacets(Struct, frozen=True):
    """How many sessions each choice would leave, all other choices as they are; the largest first."""

    repos: dict[str, int] = {}
    agents: dict[str, int] = {}
    outcomes: dict[str, int] = {}
    marks: dict[str, int] = {}


class SessionList(Struct, frozen=True, kw_only=True):
    """One page, newest first; how many there are in all."""

    sessions: tuple[ListedSession, ...] = ()
    total: int = 0
    page: int = 1
    pages: int = 1
    facets: SessionFacets = SessionFacets()
