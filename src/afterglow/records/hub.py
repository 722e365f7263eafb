"""Where a team's stores are, and who asks them."""

from __future__ import annotations

from urllib.parse import urlsplit

from msgspec import Struct


class HubPlace(Struct, frozen=True):
    """A PostgreSQL database that holds a hub's stores, in the place of a path. `token` proves which member asks, and
    the database decides by it what they see; `org` is set where the hub itself works on an organisation's behalf."""

    url: str
    token: str = ""
    org: int = 0

    def __repr__(self) -> str:  # neither password nor token may end up in a log
        return f"HubPlace({self.name})"

    def __str__(self) -> str:
        return self.name

    @property
    def name(self) -> str:
        """The database, as it may be shown. Any other spelling than an address could hold the password anywhere."""
        if "://" not in self.url:
            return "the hub's database"
        parts = urlsplit(self.url)
        return f"{parts.hostname or 'localhost'}{parts.path}"

    def exists(self) -> bool:
        """What a path is asked: a hub's stores are always there."""
        return True
