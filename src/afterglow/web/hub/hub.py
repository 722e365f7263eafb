"""What all requests to one hub share: where its stores are, who is logged in, what it counts, the merger."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable

from msgspec.structs import replace
from starlette.requests import Request

from afterglow.config import Config
from afterglow.errors import TokenRefused
from afterglow.flows.hub import member
from afterglow.records.hub import HubPlace, Member
from afterglow.web.desk import desk_of
from afterglow.web.hub.address import HubAddress
from afterglow.web.hub.desks import Desks, MemberDesk
from afterglow.web.hub.limits import Pace
from afterglow.web.hub.merger import Merge, Merger
from afterglow.web.hub.metrics import Metrics

# Of the afterglow home: what pages of a hub compile or note. A person's own sessions and settings lie beside it, and
# are nobody's business here.
FOLDER = "hub-pages"
# Together, before a token's own number a minute counts: a page asks for parts of itself, an agent for several things.
REQUESTS_AT_ONCE = 120
REQUESTS_A_MINUTE = 300  # where a token does not say its own number
MAX_ADDRESS_CHARACTERS = 64  # the longest of IPv6 has 45
# From one address, that prove nothing: a person mistypes a few times, a machine's token ran out.
REFUSALS_A_MINUTE = 60
# Of what a token sends: the first sync of years of sessions goes through at once, a flood does not.
BYTES_A_MINUTE = 50_000_000
BYTES_AT_ONCE = 100_000_000


class Hub:
    """`app_url` is the database under the role that answers requests."""

    def __init__(
        self,
        config: Config,
        app_url: str,
        address: HubAddress,
        merge: Merge,
        now: Callable[[], float] = time.time,
    ) -> None:
        home = config.home / FOLDER
        self._config = Config(
            home=home, user_home=home, names=config.names, cores=config.cores
        )
        self.app_url = app_url
        self.address = address
        self.now = now
        self.started = now()
        self.metrics = Metrics()
        self.pace = Pace(REQUESTS_A_MINUTE, REQUESTS_AT_ONCE)
        self.byte_pace = Pace(BYTES_A_MINUTE, BYTES_AT_ONCE)
        self.refusal_pace = Pace(REFUSALS_A_MINUTE, REFUSALS_A_MINUTE)
        self.merger = Merger(merge, now)
        self._desks = Desks()

    def place(self, token: str) -> HubPlace:
        return HubPlace(self.app_url, token)

    def config(self, token: str, name: str = "person") -> Config:
        """The settings under which flows work for whoever has this token."""
        return replace(self._config, hub=self.place(token), person=name)

    def asking(self, token: str, address: str) -> Member:
        """Whose token it is, within their pace. Who comes from an address with tokens of nobody again and again is not
        looked up any more."""
        self.refusal_pace.check(address)
        try:
            person = member(self.place(token))
        except TokenRefused:
            self.refusal_pace.take(address)
            raise
        mark = hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()
        self.pace.take(mark, a_minute=person.requests_a_minute)
        return person

    def desk(self, token: str, person: Member) -> MemberDesk:
        """Of who asks with this token, which is theirs."""
        config = self.config(token, person.name)
        return self._desks.of(token, person, config, self.now)

    def address_of(self, request: Request) -> str:
        """Where a request comes from: what the proxy before us saw, if there is one."""
        hops = request.headers.get("x-forwarded-for", "")
        if self.address.is_behind_proxy and hops:
            return hops.rpartition(",")[2].strip()[:MAX_ADDRESS_CHARACTERS]
        return request.client.host if request.client else ""

    def wake(self) -> None:
        """Something was taken in that can be merged."""
        self.merger.wake()


def hub_of(request: Request) -> Hub:
    hub: Hub = request.app.state.hub
    return hub


def member_desk(request: Request) -> MemberDesk:
    """Of who is logged in."""
    desk = desk_of(request)
    assert isinstance(desk, MemberDesk)
    return desk


def member_of(request: Request) -> Member:
    return member_desk(request).member
