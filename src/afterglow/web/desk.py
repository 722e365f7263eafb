"""What every page has at hand: the settings in force, who may change what, long work under way, words left for the next
page."""

from __future__ import annotations

import hashlib
import hmac
import secrets
import time
from collections import OrderedDict
from collections.abc import Callable
from typing import NamedTuple, TypeVar, cast

from starlette.requests import Request

from afterglow.config import Config, without_file
from afterglow.errors import ConfigError
from afterglow.web.jobs import Jobs
from afterglow.web.navigation import NAVIGATION, Navigation
from afterglow.web.reports import Reports
from afterglow.web.stores_state import stores_state

ValueT = TypeVar("ValueT")
MAX_NOTICES = 50  # waiting for a page to show them; a person follows one or two


class Notice(NamedTuple):
    """What a change led to, said once on the page that follows. `undo` is the decision that can be taken back."""

    words: str
    undo: str = ""
    tone: str = "yes"


class Desk:
    """One server's. `load` reads the settings anew for every request: the command line may have changed them. A hub has
    one for each who is logged in."""

    has_sessions = True  # transcripts are here; a hub has what was learned of them
    navigation: Navigation = NAVIGATION
    member: object = None  # of a hub: who is logged in
    why_read_only = "this server only looks: start it without --read-only"

    def __init__(
        self,
        load: Callable[[], Config],
        *,
        token: str = "",
        read_only: bool = False,
        static: bool = False,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._load = load
        self.token = token or secrets.token_urlsafe(24)
        self.read_only = read_only or static
        self.static = static
        self.now = now
        self.jobs = Jobs(now)
        self.reports = Reports()
        self._results: dict[str, tuple[str, object]] = {}
        self._notices: OrderedDict[str, Notice] = OrderedDict()

    @property
    def config(self) -> Config:
        return self._load()

    @property
    def framing_config(self) -> Config:
        """For the frame of a page, which also stands where the settings cannot be read."""
        try:
            return self._load()
        except ConfigError:
            return without_file()

    @property
    def state(self) -> str:
        """A mark of what the stores hold."""
        return stores_state(self.framing_config)

    def may_review(self, repo: str) -> bool:
        """Whether the person may decide about what holds in this repository."""
        return not self.read_only

    @property
    def form_token(self) -> str:
        """What a form of ours carries; a page of somebody else cannot know it."""
        key = self.token.encode()
        return hmac.new(key, b"form", hashlib.sha256).hexdigest()[:32]

    @property
    def cookie_value(self) -> str:
        """The cookie does not repeat the token of the address."""
        key = self.token.encode()
        return hmac.new(key, b"cookie", hashlib.sha256).hexdigest()

    def remembered(self, name: str, state: str, make: Callable[[], ValueT]) -> ValueT:
        """What was made under that name for the same state of the stores, else made now. In memory only: words of
        sessions are in it."""
        earlier = self._results.get(name)
        if earlier is not None and earlier[0] == state:
            return cast(ValueT, earlier[1])
        result = make()
        self._results[name] = (state, result)
        return result

    def leave(self, notice: Notice) -> str:
        """A name under which the next page finds the notice."""
        name = secrets.token_hex(4)
        self._notices[name] = notice
        while len(self._notices) > MAX_NOTICES:
            self._notices.popitem(last=False)
        return name

    def notice(self, name: str) -> Notice | None:
        return self._notices.pop(name, None)


def desk_of(request: Request) -> Desk:
    """That of who asks, at a hub; else the server's."""
    desk: Desk = getattr(request.state, "desk", None) or request.app.state.desk
    return desk
