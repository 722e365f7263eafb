"""A machine and its hub: what they say to each other beside contributions, and what a sync came to."""

from __future__ import annotations

import msgspec
from msgspec import Struct

from afterglow.records.contributions import RefusedRow

API_VERSION = 1  # stands in the path of every request
MAX_BATCH_ROWS = 500  # of contributions in one request
MAX_BATCH_BYTES = 1_000_000  # of their bodies: a request is over in a second
MAX_PAGE_ITEMS = 500  # that a hub gives at once


class HubLimits(Struct, frozen=True):
    """The most that a hub takes: of one request, and of requests in a minute."""

    rows: int = MAX_BATCH_ROWS
    bytes: int = MAX_BATCH_BYTES
    requests_a_minute: int = 600


class HubMember(Struct, frozen=True, kw_only=True):
    """Who a token speaks for, as the hub says. `author` is the mark that evidence of this person carries there; `rights`
    are patterns of repositories with read, contribute or review. `hub` names its store: one that was put back from a backup
    has another, and may lack what it had acknowledged."""

    person: str
    org: str
    author: str
    rights: tuple[tuple[str, str], ...] = ()
    limits: HubLimits = HubLimits()
    hub: str = ""
    afterglow: str = ""


class TeamPage(Struct, frozen=True, kw_only=True, rename={"gone_ids": "gone"}):
    """Some of a team's items, in the order of their changes, up to `change`; of that one up to the id `last`, where
    it is said. `gone_ids` are those of what this member had and
    has no more. When `view`, a mark of what they may see, is another one, they begin anew. Items stay as they came until
    each is looked at: one of a newer hub that is not understood costs itself alone."""

    items: tuple[msgspec.Raw, ...] = ()
    gone_ids: tuple[str, ...] = ()
    change: int = 0
    last: str = ""
    view: str = ""
    more: bool = False


class JoinedHub(Struct, frozen=True, kw_only=True):
    """The hub that this machine joined, and how it last went: `time` of the last sync that worked, `trouble` with the
    last one if it did not."""

    url: str
    machine: str
    person: str
    org: str
    author: str
    since: float
    time: float = 0.0
    trouble: str = ""


class SyncReport(Struct, frozen=True, kw_only=True):
    """What a sync did, or would do: rows sent and taken back, by kind; what the hub did not take, and why; items that
    came, and that went. `team` is how many of the team's items are here now."""

    url: str
    sent: dict[str, int] = {}
    withdrawn: dict[str, int] = {}
    refused: tuple[RefusedRow, ...] = ()
    received: int = 0
    dropped: int = 0
    unread: int = 0
    team: int = 0
    dry: bool = False


class Leaving(Struct, frozen=True):
    """What a machine says that leaves, or that takes back all it contributed."""

    machine: str
    take_back: bool = False


class Withdrawn(Struct, frozen=True):
    """How many contributions were taken back."""

    withdrawn: int = 0


class LeaveReport(Struct, frozen=True):
    """`taken_back` contributions; -1 where the hub could not be asked, and `trouble` says why."""

    url: str
    taken_back: int = 0
    items: int = 0
    trouble: str = ""
