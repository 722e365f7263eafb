"""Who may ask, and for what: the token, the host, the origin; what a browser may do with the answer.

A page of a stranger can send requests to loopback, and a name of a stranger can be made to lead there. So a request
must name us as its host, carry the cookie that the address with the token gives, and, where it changes something, come
from a page of ours: its origin is us, and its form holds what only our pages know.
"""

from __future__ import annotations

import secrets
from collections.abc import Collection
from urllib.parse import quote, urlencode

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from afterglow.web.desk import Desk

READING = ("GET", "HEAD")
OPEN = "/static/"  # what is no secret: the look and the script of every page
SAME = ("same-origin", "none")  # what a browser says of requests from us or typed
CONTENT_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": CONTENT_POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}
NO_TOKEN = (
    "This page needs the token: open the address that `afterglow serve` printed.\n"
)
NOT_US = "This server answers to its own address only.\n"
NOT_OURS = "This was not sent by a page of afterglow; open the page again.\n"


class Access:
    """In front of everything. `hosts` are the names under which we answer, with the port."""

    def __init__(self, app: ASGIApp, desk: Desk, hosts: Collection[str]) -> None:
        self.app = app
        self.desk = desk
        self.hosts = frozenset(hosts)
        self.origins = frozenset(f"http://{host}" for host in hosts)
        port = next(iter(hosts)).rpartition(":")[2] if hosts else ""
        self.cookie = f"afterglow-{port}"  # cookies do not tell ports apart

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        closed = self._refusal(Request(scope))
        if closed is not None:
            await closed(scope, receive, guarded(send, scope["path"]))
            return
        await self.app(scope, receive, guarded(send, scope["path"]))

    def _refusal(self, request: Request) -> Response | None:
        """What is answered instead of the page; nothing where all is well."""
        headers = request.headers
        if headers.get("host", "") not in self.hosts:
            return PlainTextResponse(NOT_US, 421)
        if request.url.path.startswith(OPEN):
            return None
        if request.method in READING and "token" in request.query_params:
            return self._let_in(request)
        if not equal(request.cookies.get(self.cookie, ""), self.desk.cookie_value):
            return PlainTextResponse(NO_TOKEN, 403)
        if request.method not in READING and not is_own(headers, self.origins):
            return PlainTextResponse(NOT_OURS, 403)
        return None

    def _let_in(self, request: Request) -> Response:
        """The cookie, and the same address without the token."""
        if not equal(request.query_params["token"], self.desk.token):
            return PlainTextResponse(NO_TOKEN, 403)
        response = RedirectResponse(without_token(request), 303)
        response.set_cookie(
            self.cookie, self.desk.cookie_value, httponly=True, samesite="strict"
        )
        return response


def without_token(request: Request) -> str:
    """The address that was asked for; the token is not to stay in the browser's history."""
    pairs = [pair for pair in request.query_params.multi_items() if pair[0] != "token"]
    query = f"?{urlencode(pairs)}" if pairs else ""
    path = request.scope["path"].lstrip("/")  # two slashes would name a host
    return f"/{quote(path)}{query}"


def is_own(headers: Headers, origins: Collection[str]) -> bool:
    """Whether a page of ours sends this."""
    from_us = headers.get("sec-fetch-site", "same-origin") in SAME
    return from_us and headers.get("origin", "") in origins


def equal(claimed: str, secret: str) -> bool:
    return secrets.compare_digest(
        claimed.encode("utf-8", "surrogatepass"),
        secret.encode("utf-8", "surrogatepass"),
    )


def guarded(send: Send, path: str) -> Send:
    """Every answer says what a browser may do with it; pages are not kept by it."""

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            headers.update(HEADERS)
            keeping = "no-cache" if path.startswith(OPEN) else "no-store"
            headers["cache-control"] = keeping
        await send(message)

    return sending
