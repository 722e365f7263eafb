"""Who asks a hub: programs send a token in the Authorization header, browsers that have logged in in a cookie."""

from __future__ import annotations

from typing import Protocol

from starlette.datastructures import Headers
from starlette.requests import Request

from afterglow.errors import TokenRefused
from afterglow.records.hub import HubPlace

BEARER = "bearer "
MAX_TOKEN_CHARACTERS = 200  # ours have 43 and a few in front
NO_TOKEN = (
    "send your token: `Authorization: Bearer TOKEN`; an admin of the hub gives you one"
)


class HubStores(Protocol):
    """What a request needs of its hub: its stores on somebody's behalf, and that what it brought is merged."""

    def place(self, token: str) -> HubPlace: ...

    def wake(self) -> None: ...


def stores_of(request: Request) -> HubStores:
    stores: HubStores = request.app.state.hub
    return stores


def bearer(headers: Headers) -> str:
    """The token that a program sent, empty for none."""
    value = headers.get("authorization", "")
    if value[: len(BEARER)].lower() != BEARER:
        return ""
    token = value[len(BEARER) :].strip()
    return token if len(token) <= MAX_TOKEN_CHARACTERS else ""


def place_of(request: Request) -> HubPlace:
    """The hub's stores on behalf of whoever sent this. Whether the token is any good, the database says."""
    token = bearer(request.headers)
    if not token:
        raise TokenRefused(NO_TOKEN)
    return stores_of(request).place(token)
