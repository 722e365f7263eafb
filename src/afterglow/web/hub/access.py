"""In front of a hub: who may ask for what, how often, and what a browser may do with the answer.

Programs (`/api`, `/mcp`, `/metrics`) prove who asks by a token in the Authorization header, and a cookie counts for
nothing there: no page of a stranger can make a browser send that header. Pages want the cookie of a login, and where
something changes also our own origin and what stands in our forms.
"""

from __future__ import annotations

import time
from urllib.parse import urlencode

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import (
    JSONResponse,
    PlainTextResponse,
    RedirectResponse,
    Response,
)
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from afterglow.errors import AfterglowError, LimitReached, TokenRefused
from afterglow.web.access import (
    NOT_OURS,
    NOT_US,
    OPEN,
    READING,
    SAME,
    guarded,
    is_own,
    without_token,
)
from afterglow.web.hub.hub import Hub
from afterglow.web.hub.identity import NO_TOKEN, bearer
from afterglow.web.hub.login import logged_in

LOGIN = "/login"
HEALTH = ("/healthz", "/readyz")  # asked by machinery that knows no names
PROGRAMS = ("/api/", "/mcp", "/metrics")
A_YEAR = 31_536_000  # seconds, that a browser remembers to come over TLS only


class HubAccess:
    def __init__(self, app: ASGIApp, hub: Hub) -> None:
        self.app = app
        self.hub = hub

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        request = Request(scope)
        begun = time.perf_counter()
        statuses = [500]
        self.hub.metrics.begin()
        try:
            sending = self._guarded(send, request, statuses)
            try:
                refusal = await self._refusal(request)
            except AfterglowError as error:
                refusal = refusal_in_words(request, error)
            await (refusal or self.app)(scope, receive, sending)
        finally:
            seconds = time.perf_counter() - begun
            route = getattr(scope.get("route"), "path", "none")
            method = scope["method"] if len(scope["method"]) < 8 else "other"
            self.hub.metrics.end(method, route, statuses[0], seconds)

    async def _refusal(self, request: Request) -> Response | None:
        """What is answered instead of what was asked for; nothing where all is well."""
        path = request.url.path
        if path in HEALTH:
            return None
        if request.headers.get("host", "").lower() not in self.hub.address.hosts:
            return PlainTextResponse(NOT_US, 421)
        if path.startswith(OPEN):
            return None
        if path.startswith(PROGRAMS):
            await self._program(request)
            return None
        return await self._page(request)

    async def _program(self, request: Request) -> None:
        token = bearer(request.headers)
        if not token:
            raise TokenRefused(NO_TOKEN)
        await run_in_threadpool(self.hub.asking, token, self.hub.address_of(request))

    async def _page(self, request: Request) -> Response | None:
        is_change = request.method not in READING
        if is_change and not is_own(request.headers, self.hub.address.origins):
            return PlainTextResponse(NOT_OURS, 403)
        if request.url.path == LOGIN:
            return None
        if not is_change and "token" in request.query_params:
            return await run_in_threadpool(self._with_token, request)
        token = request.cookies.get(self.hub.address.cookie, "")
        if not token:
            return _to_login(request)
        address = self.hub.address_of(request)
        try:
            person = await run_in_threadpool(self.hub.asking, token, address)
        except TokenRefused:
            return _to_login(request)
        request.state.desk = self.hub.desk(token, person)
        return None

    def _with_token(self, request: Request) -> Response:
        """An address that an admin sent: opened by a person it logs in, linked from a page of a stranger it does not,
        for that could log somebody in as somebody else."""
        token = request.query_params["token"]
        if request.headers.get("sec-fetch-site", "none") not in SAME:
            return _to_login(request)
        return logged_in(self.hub, request, token, without_token(request))

    def _guarded(self, send: Send, request: Request, statuses: list[int]) -> Send:
        inner = guarded(send, request.url.path)

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                statuses[0] = message["status"]
                if self.hub.address.is_secure:
                    headers = MutableHeaders(scope=message)
                    headers["strict-transport-security"] = f"max-age={A_YEAR}"
            await inner(message)

        return sending


def _to_login(request: Request) -> Response:
    """And from there to what was asked for."""
    target = without_token(request) if request.method in READING else "/"
    query = urlencode({"next": target}) if target != "/" else ""
    address = f"{LOGIN}?{query}" if query else LOGIN
    if "hx-request" in request.headers:
        return Response(status_code=204, headers={"HX-Redirect": LOGIN})
    return RedirectResponse(address, 303)


def refusal_in_words(request: Request, error: AfterglowError) -> Response:
    """A refusal before any page: programs get JSON, people a sentence."""
    headers = {}
    if isinstance(error, LimitReached):
        headers["retry-after"] = str(error.retry_after)
    if isinstance(error, TokenRefused):
        headers["www-authenticate"] = 'Bearer realm="afterglow"'
    if request.url.path.startswith(PROGRAMS):
        return JSONResponse({"error": str(error)}, error.status, headers=headers)
    return PlainTextResponse(f"{error}\n", error.status, headers=headers)
