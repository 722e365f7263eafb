"""One row of the catalogue: a session's header and, where asked for, its profile."""

from __future__ import annotations

from msgspec import Struct

from afterglow.records.profile import Profile
from afterglow.records.session import Damage


class Entry(Struct, frozen=True):
    """A session as the catalogue knows it.

    `outcome` is success, failure or unknown, read from `outcome_by`: score (a benchmark said so), status (the agent
    said so) or ending (guessed from how it ended). `empty` sessions were created and never used; a `copy` is the same
    session found a second time; `gone` means the file is no longer there. Up to the line `copied` it repeats other
    sessions, and that is counted there. `masked` calls ended well only because a pipe hid a failure.
    """

    key: int
    id: str
    agent: str
    format: str
    source: str
    model: str = ""
    repo: str = ""
    repo_by: str = "none"
    cwd: str = ""
    branch: str = ""
    title: str = ""
    start: float | None = None
    end: float | None = None
    messages: int = 0
    calls: int = 0
    failed: int = 0
    outcome: str = "unknown"
    outcome_by: str = "none"
    ending: str = "open"
    origin: str = "main"
    parent: str = ""
    parent_by: str = ""
    task: str = ""
    score: float | None = None
    damaged: int = 0
    empty: bool = False
    copy: bool = False
    gone: bool = False
    copied: int = 0
    masked: int = 0
    profile: Profile | None = None


class Source(Struct, frozen=True):
    """A file or database as it was when last read. `state`: ok, other (not sessions), unreadable, busy (could not be
    opened just now, is tried again) or gone."""

    path: str
    format: str
    size: int
    mtime_ns: int
    inode: int = 0
    offset: int = 0
    line: int = 0
    check: str = ""
    message: str = ""
    state: str = "ok"
    reason: str = ""
    damaged: int = 0


class Trouble(Struct, frozen=True):
    """A source that could not be read, or not all of it: how many lines, and the first of them."""

    path: str
    state: str
    reason: str
    damaged: int = 0
    damage: tuple[Damage, ...] = ()


class AgentCount(Struct, frozen=True):
    """What the catalogue holds of one agent."""

    agent: str
    sessions: int
    empty: int
    other: int
    calls: int
    failed: int
    repos: int
    first: float | None
    last: float | None


class HistoryOutline(Struct, frozen=True):
    """How many sessions there are, and the repositories and agents they can be narrowed to, the largest first."""

    sessions: int = 0
    repos: tuple[str, ...] = ()
    agents: tuple[str, ...] = ()


class Summary(Struct, frozen=True, kw_only=True):
    """What the catalogue holds below some places."""

    agents: tuple[AgentCount, ...] = ()
    copies: int = 0
    repos: dict[str, dict[str, int]] = {}
    not_sessions: int = 0
    damaged: int = 0
    damaged_files: int = 0
    troubles: tuple[Trouble, ...] = ()


class ScanReport(Struct, frozen=True, kw_only=True):
    """What a scan found. Counts of files are of this scan; counts of sessions and damage are what the catalogue now
    holds below the places scanned. `troubles` names the first thousand sources that could not be read in full.
    `kept_out` files and sessions are of excluded places, private or forgotten."""

    roots: tuple[str, ...]
    files: int = 0
    read: int = 0
    resumed: int = 0
    unchanged: int = 0
    not_sessions: int = 0
    gone: int = 0
    kept_out: int = 0
    bytes: int = 0
    sessions: int = 0
    empty: int = 0
    copies: int = 0
    agents: tuple[AgentCount, ...] = ()
    repos: dict[str, dict[str, int]] = {}
    damaged: int = 0
    damaged_files: int = 0
    troubles: tuple[Trouble, ...] = ()
    missing: tuple[str, ...] = ()
    seconds: float = 0.0
    interrupted: bool = False


IDLE = 1800.0  # seconds after which a session nobody closed is over


def state(entry: Entry, now: float) -> str:
    """finished: closed, or answered and left; idle: left in the middle; active: something happened just now."""
    if entry.ending == "closed":
        return "finished"
    if entry.end is not None and now - entry.end < IDLE:
        return "active"
    return "finished" if entry.ending == "answered" else "idle"
