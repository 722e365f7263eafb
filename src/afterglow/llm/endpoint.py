"""Where a model answers and how it is reached, as a value. The key is in no representation of it."""

from __future__ import annotations

from ipaddress import ip_address
from urllib.parse import urlsplit

from msgspec import Struct

from afterglow.errors import ConfigError
from afterglow.records.model import Price

_PORTS = {"http": 80, "https": 443}


class Endpoint(Struct, frozen=True, kw_only=True):
    """`timeout` is in seconds, for one request. `retries` are further tries of a request that got no answer. With
    `local_only` it is asked only if it is on this machine."""

    base_url: str
    model: str
    key: str = ""
    price: Price = Price()
    timeout: float = 300.0
    retries: int = 4
    concurrency: int = 4
    local_only: bool = False

    def __post_init__(self) -> None:
        if not self.model.strip():
            raise ConfigError(
                "a model needs a name, as its server calls it, like qwen2.5-coder:1.5b"
            )
        origin_of(self.base_url)
        if self.key and not (
            self.key.isascii() and self.key.isprintable() and " " not in self.key
        ):
            raise ConfigError(
                "the key of the model holds characters that no key has; copy it again"
            )

    def __repr__(self) -> str:
        return f"Endpoint(base_url={self.base_url!r}, model={self.model!r}, key={'***' if self.key else ''!r})"

    @property
    def origin(self) -> str:
        return origin_of(self.base_url)

    @property
    def local(self) -> bool:
        return is_loopback(urlsplit(self.base_url).hostname or "")


def origin_of(base_url: str) -> str:
    """Scheme, host and port: who gets to see what is sent."""
    hint = "write it like http://localhost:11434/v1"
    try:
        parts = urlsplit(base_url)
        host, port = parts.hostname, parts.port
        (host or "").encode("idna")  # as it is looked up
    except ValueError as error:
        raise ConfigError(f"base_url is not an address; {hint}") from error
    if not base_url.isprintable() or " " in base_url:
        raise ConfigError(f"base_url holds characters that no address has; {hint}")
    if parts.scheme not in _PORTS or not host:
        raise ConfigError(
            f"base_url must begin with http:// or https:// and name a server; {hint}"
        )
    has_login = (parts.username, parts.password) != (None, None)
    if has_login or parts.query or parts.fragment:
        raise ConfigError(
            f"base_url holds more than an address (a password, a query); {hint}, and name the key apart"
        )
    return f"{parts.scheme}://{host}:{port or _PORTS[parts.scheme]}"


def is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False
