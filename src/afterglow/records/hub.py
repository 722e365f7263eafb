"""Where a team's stores are, and who asks them."""

from __future__ import annotations

from urllib.parse import parse_qsl, urlsplit

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


def has_password(url: str) -> bool:
    """An address of a database that holds the password itself."""
    parts = urlsplit(url)
    return bool(parts.password) or "password" in dict(parse_qsl(parts.query))


class Member(Struct, frozen=True):
    """Who asks a hub, by the token that proves it. `patterns`: right -> repositories in which they have at least that
    one, as far as the token's scope goes. The database decides; this says the same to whoever draws a page."""

    person: int
    name: str
    org: int
    org_name: str
    is_admin: bool
    scope: str
    expires: float | None = None
    requests_a_minute: int = 300
    bytes_a_minute: int = 50_000_000
    patterns: dict[str, tuple[str, ...]] = {}

    @property
    def reviews(self) -> bool:
        """Anything at all."""
        return bool(self.patterns.get("review"))

    def may(self, right: str, repo: str) -> bool:
        """`repo` empty: what holds everywhere, which all may read, and who reviews everything may review."""
        patterns = self.patterns.get(right, ())
        if repo:
            return any(covers(pattern, repo) for pattern in patterns)
        return {"read": True, "contribute": bool(patterns)}.get(right, "*" in patterns)


def covers(pattern: str, repo: str) -> bool:
    """`acme/harbor` is itself, `acme/*` all that begins so, `*` every repository. What belongs to none is nobody's."""
    if repo in ("", "(no repository)") or "*" in repo:
        return False
    if pattern.endswith("*"):
        return repo.startswith(pattern[:-1])
    return pattern == repo
