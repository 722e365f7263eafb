"""What a remedy may do that no agent should be told to do on a stranger's word: the kinds, in words a person understands."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

Kind = Literal[
    "fetched", "hidden", "package", "source", "verification", "check", "agent",
    "permissions", "rights", "access", "credentials", "remote", "settings", "deletes",
    "work", "history", "sends", "publishes", "proxy", "outside", "service", "processes",
    "address", "elsewhere", "loads", "opens", "confirms", "secret", "unfamiliar",
    "sensitive", "unclear", "language", "disguised",
]  # fmt: skip

WHY: dict[Kind, str] = {
    "fetched": "runs fetched code",
    "hidden": "runs code that cannot be read here",
    "package": "installs a package that the repository does not name",
    "source": "changes where packages come from",
    "verification": "turns verification off",
    "check": "goes round a check",
    "agent": "changes what an agent may do",
    "permissions": "changes who may read or write",
    "rights": "runs with the rights of another",
    "access": "lets others in",
    "credentials": "touches credentials",
    "remote": "changes where code is fetched from or sent to",
    "settings": "changes git's settings",
    "deletes": "deletes",
    "work": "throws work away",
    "history": "rewrites history that others see",
    "sends": "sends data out",
    "publishes": "publishes",
    "proxy": "changes the way to the network",
    "outside": "writes outside the repository",
    "service": "changes a service outside the repository",
    "processes": "ends processes",
    "address": "leads to an address outside",
    "elsewhere": "names a place or an account that the failing call did not name",
    "loads": "loads code of which nobody here knows what it does",
    "opens": "lets it be reached by others",
    "confirms": "answers what a person would be asked",
    "secret": "hands on something secret, or the rights of another",
    "unfamiliar": "has a part of which nobody here knows what it does",
    "sensitive": "speaks of a safeguard or of something secret",
    "unclear": "runs a program of which nobody here knows what it does",
    "language": "is written in a language that is not read here",
    "disguised": "holds text that is disguised",
}

# What these do is not known, rather than known to be risky: a person's own typed words need no second word for them.
UNKNOWN: frozenset[Kind] = frozenset(
    {"unclear", "language", "address", "sensitive", "elsewhere", "loads", "opens", "confirms", "secret", "unfamiliar"}
)  # fmt: skip
# What words alone may mean, where a person who typed them knows what they meant.
SOFT: frozenset[Kind] = UNKNOWN | {"check", "processes", "work"}


# What is risky even where a message says it that an item merely quotes; other messages name ordinary ways out.
QUOTED: frozenset[Kind] = frozenset(
    {"fetched", "hidden", "source", "verification", "agent", "credentials", "sends", "proxy", "remote"}
)  # fmt: skip


def is_merely_unknown(why: str) -> bool:
    """Whether what an item's risk says is that nobody knows what it does."""
    return why.endswith(tuple(WHY[kind] for kind in UNKNOWN))


class Risk(Struct, frozen=True):
    """What a remedy does, and by which of its words that is told."""

    kind: Kind
    where: str

    @property
    def why(self) -> str:
        return f"`{self.where}` {WHY[self.kind]}"
