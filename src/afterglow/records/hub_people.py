"""Who belongs to a hub, what they may, and what was done, as lists show it. Times are seconds since 1970."""

from __future__ import annotations

from typing import Literal, get_args

from msgspec import Struct

Right = Literal["read", "contribute", "review"]  # each holds those before it
RIGHTS: tuple[Right, ...] = get_args(Right)
Scope = Literal["read", "sync", "review", "admin"]  # what a token is for
SCOPES: tuple[Scope, ...] = get_args(Scope)


class Organisation(Struct, frozen=True):
    id: int
    name: str


class Person(Struct, frozen=True):
    """`left_at` is set when they no longer belong to it: their name stays beside what they did."""

    id: int
    name: str
    is_admin: bool
    joined: float
    left_at: float | None = None


class HubToken(Struct, frozen=True):
    """All but the token itself, which the hub does not have. A `session` is a browser's."""

    id: int
    person: str
    label: str
    scope: str
    created: float
    expires: float | None
    revoked: float | None
    last_used: float | None
    session: bool


class NewToken(Struct, frozen=True):
    """The only time that the token itself is shown."""

    token: str
    id: int
    person: str
    scope: str
    expires: float | None

    def __repr__(self) -> str:  # it must not end up in a log
        return f"NewToken({self.id} of {self.person})"


class Team(Struct, frozen=True):
    id: int
    name: str
    members: tuple[str, ...] = ()


class Grant(Struct, frozen=True):
    """A team or a person has a right in the repositories that the pattern covers."""

    id: int
    holder: str
    is_team: bool
    pattern: str
    allows: str


class AuditLine(Struct, frozen=True):
    n: int
    time: float
    by: str
    what: str
    about: str


class HubMade(Struct, frozen=True):
    """What `hub init` did; `passwords` is the file that holds them."""

    database: str
    passwords: str
    layout: int
    organisation: str
    admin: NewToken


class HubUpgraded(Struct, frozen=True):
    """From which layout to which; `passwords` is the file that holds new ones, if they were made."""

    database: str
    before: int
    layout: int
    passwords: str = ""


class HubBackup(Struct, frozen=True):
    """A hub in a file, or from a file."""

    database: str
    file: str
    bytes: int
    layout: int
    passwords: str = ""


class HubState(Struct, frozen=True):
    """A hub in numbers."""

    database: str
    layout: int
    newest_layout: int
    server: str
    bytes: int
    organisations: tuple[Organisation, ...]
    people: int
    tokens: int
    repositories: int
