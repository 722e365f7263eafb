"""One row of the catalogue: a session's header and, where asked for, its profile."""

from __future__ import annotations

from msgspec import Struct

from afterglow.records.profile import Profile


class Entry(Struct, frozen=True, kw_only=True):
    """A session as the catalogue knows it.

    `outcome` is success, failure or unknown, read from `outcome_by`: score (a benchmark said so), status (the agent said
    so) or ending (guessed from how it ended). `empty` sessions were created and never used; a `copy` is the same session
    found a second time; `gone` means the file is no longer there.
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
    profile: Profile | None = None
