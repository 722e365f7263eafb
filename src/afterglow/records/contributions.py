"""What a machine sends to a hub, row by row, and what the hub answers."""

from __future__ import annotations

import re
from hashlib import blake2b, sha256
from typing import Literal

import msgspec
from msgspec import Struct

from afterglow.records.knowledge import Category

SESSION, LESSON, DECISION = "session", "lesson", "decision"
BOOKS = ("plan", "assignment", "trial", "delivery")

_HUB_SESSION = re.compile(r"s[0-9a-f]{20}")

What = Literal["approved", "rejected", "retired", "edited"]


class Contribution(Struct, frozen=True, omit_defaults=True):
    """One row of a machine. `body` is what its kind says: the findings of a session (a list of `Finding`), a lesson (a
    `KnowledgeItem`), a decision (`SharedDecision`), or a row of the books. `mark` is the sender's own, by which it
    knows what it has sent. A higher `seq` replaces the row; `withdrawn` takes it back."""

    kind: str
    key: str
    repo: str
    seq: int
    mark: str = ""
    body: msgspec.Raw = msgspec.Raw(b"null")
    withdrawn: bool = False


class SharedDecision(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """What a person decided about an item on their own machine; its topics say which one it is at the hub. `mark` is of
    the words they saw (`approval_mark`), and of those they wrote where they edited it, which are there then."""

    item: str
    topics: tuple[str, ...] = ()
    what: What
    mark: str = ""
    why: str = ""
    category: Category = "fact"
    fact: str = ""
    situation: str = ""
    remedy: str = ""


class RefusedRow(Struct, frozen=True):
    kind: str
    key: str
    why: str


class TakenIn(Struct, frozen=True):
    """What became of a batch: how many rows the hub has now as they were sent, and which it does not take, and why."""

    accepted: int
    refused: tuple[RefusedRow, ...] = ()


class ContributedRows(Struct, frozen=True):
    """How much of a kind a machine has contributed about a repository, and when it last did."""

    machine: str
    kind: str
    repo: str
    rows: int
    withdrawn: int
    last: float


def person_mark(org: int, person: int) -> str:
    """The author of all evidence that a member brings: tells people apart without naming them. The hub's database makes
    the same (`people.mark`)."""
    return sha256(f"{org} {person}".encode()).hexdigest()[:12]


def is_hub_session(session: str) -> bool:
    """Whether this is how a hub names a session: its transcript is on the machine of whoever brought it."""
    return _HUB_SESSION.fullmatch(session) is not None


def hub_session(author: str, session: str) -> str:
    """A member's session as the hub names it: nobody else can name it, or speak in it."""
    named = f"{author} {session}".encode("utf-8", "surrogatepass")
    return "s" + blake2b(named, digest_size=10).hexdigest()
