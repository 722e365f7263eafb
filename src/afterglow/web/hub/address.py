"""Under which addresses a hub answers: those of this machine, and the one that people open, if a proxy stands before it."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import urlsplit

from msgspec import Struct

from afterglow.errors import UsageError

LOOPBACK = ("127.0.0.1", "localhost", "::1")


class HubAddress(Struct, frozen=True):
    """`public` is what people open; `hosts` are the names, with their ports, that a request may call us by."""

    public: str
    hosts: frozenset[str]
    origins: frozenset[str]
    is_behind_proxy: bool = False

    @property
    def is_secure(self) -> bool:
        return self.public.startswith("https://")

    @property
    def cookie(self) -> str:
        """Cookies do not tell ports apart; over TLS a browser takes this name from nobody but us."""
        if self.is_secure:
            return "__Host-afterglow"
        return f"afterglow-hub-{urlsplit(self.public).port or 80}"


def hub_address(
    names: Sequence[str], public_url: str = "", host: str = ""
) -> HubAddress:
    """`names` are those of the socket we listen on, `host` what it was bound to."""
    local = frozenset(f"http://{name}" for name in names)
    if not public_url:
        if host and host not in LOOPBACK:
            raise UsageError(
                "say --public-url as well, the address that people open: --public-url https://hub.example"
            )
        return HubAddress(f"http://{names[0]}", frozenset(names), local)
    parts = urlsplit(public_url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise UsageError(
            f"--public-url {public_url!r} is no address; https://hub.example would work"
        )
    if parts.path.strip("/") or parts.query or parts.username:
        raise UsageError("--public-url is a host alone: https://hub.example")
    public = f"{parts.scheme}://{parts.netloc}".lower()
    hosts = frozenset({parts.netloc.lower(), *names})
    return HubAddress(public, hosts, frozenset({public, *local}), True)
