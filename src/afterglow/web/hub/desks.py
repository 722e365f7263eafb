"""The desk of each who is logged in: what pages find at hand is theirs alone, down to the words left for the next page."""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Callable

from afterglow.config import Config
from afterglow.flows.hub import item_counts, stores_mark
from afterglow.records.hub import HubPlace, Member
from afterglow.web.desk import Desk
from afterglow.web.navigation import Navigation

MAX_DESKS = 1_000  # browsers; one more and the one that was quiet longest finds no old notices and reports

NAVIGATION: Navigation = (
    ("", (("/", "Home"),)),
    ("Decide", (("/review", "Review"), ("/knowledge", "Knowledge"))),
    ("Look", (("/preview", "Context preview"),)),
    ("Prove", (("/helped", "Who was helped"), ("/experiments", "Experiments"))),
    (
        "You",
        (("/contributions", "Contributions"), ("/tokens", "Tokens")),
    ),
)
ADMIN_PAGES: Navigation = (
    ("Hub", (("/people", "People and rights"), ("/audit", "Audit"))),
)


class MemberDesk(Desk):
    has_sessions = False
    member: Member

    def __init__(
        self, token: str, member: Member, config: Config, now: Callable[[], float]
    ) -> None:
        super().__init__(lambda: self.settings, token=token, now=now)
        self.welcome(member, config)

    def welcome(self, member: Member, config: Config) -> None:
        """At every request: what somebody may, can change while they look."""
        self.member, self.settings = member, config
        self.read_only = not member.reviews

    @property
    def why_read_only(self) -> str:  # type: ignore[override]
        if self.member.scope in ("read", "sync"):
            return (
                f"this browser is logged in with a token for {self.member.scope}: "
                "log in with one for review to decide what you may"
            )
        return "you may read here, and not review: an admin can give you the right"

    @property
    def navigation(self) -> Navigation:  # type: ignore[override]
        return NAVIGATION + (ADMIN_PAGES if self.member.is_admin else ())

    @property
    def place(self) -> HubPlace:
        """The hub's stores on this member's behalf."""
        assert self.settings.hub is not None
        return self.settings.hub

    @property
    def state(self) -> str:
        return stores_mark(self.place)

    @property
    def item_counts(self) -> dict[str, int]:
        """By status: counted when something changed, for a team may have a million."""
        return self.remembered("items", self.state, lambda: item_counts(self.place))

    def may_review(self, repo: str) -> bool:
        return self.member.may("review", repo)


class Desks:
    """By token, which is kept only where its desk needs it."""

    def __init__(self) -> None:
        self._desks: OrderedDict[bytes, MemberDesk] = OrderedDict()
        self._lock = threading.Lock()

    def of(
        self, token: str, member: Member, config: Config, now: Callable[[], float]
    ) -> MemberDesk:
        key = hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()
        with self._lock:
            desk = self._desks.pop(key, None)
            if desk is None:
                desk = MemberDesk(token, member, config, now)
            desk.welcome(member, config)
            self._desks[key] = desk
            if len(self._desks) > MAX_DESKS:
                self._desks.popitem(last=False)
        return desk
