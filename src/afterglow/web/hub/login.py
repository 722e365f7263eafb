"""Logging in and out: a pasted token becomes a short-lived one of the same person, which the browser keeps in a cookie."""

from __future__ import annotations

from urllib.parse import parse_qsl, urlsplit

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from afterglow.errors import LimitReached, TokenRefused
from afterglow.flows.hub import close_session, open_session
from afterglow.web.desk import desk_of
from afterglow.web.hub.hub import Hub, hub_of
from afterglow.web.hub.identity import MAX_TOKEN_CHARACTERS
from afterglow.web.rendering import environment
from afterglow.web.routing import Form, post_own

MAX_FORM_BYTES = 4_000  # a token and an address
SESSION_SECONDS = (
    12 * 3600
)  # that a browser keeps the cookie; the hub ends it by itself
WRONG = "This token is not known here: it may be mistyped, expired or revoked. An admin of the hub can give you another."


def login_page(request: Request) -> Response:
    return _page(request, _own_path(request.query_params.get("next", "/")))


async def log_in(request: Request) -> Response:
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > MAX_FORM_BYTES:
            return _page(request, "/", WRONG, 400)
    form = dict(parse_qsl(body.decode("utf-8", "replace")))
    token = form.get("token", "").strip()
    target = _own_path(form.get("next", "/"))
    return await run_in_threadpool(logged_in, hub_of(request), request, token, target)


def logged_in(hub: Hub, request: Request, token: str, target: str) -> Response:
    """The cookie, and on to where they wanted to go; or the page with what is wrong."""
    address = hub.address_of(request)
    try:
        hub.refusal_pace.check(address)
        if not token or len(token) > MAX_TOKEN_CHARACTERS:
            raise TokenRefused(WRONG)
        session = open_session(hub.place(token))
    except TokenRefused:
        hub.refusal_pace.take(address)
        return _page(request, target, WRONG, 403)
    except LimitReached as error:
        words = f"Too many tries from here; wait {error.retry_after} seconds."
        return _page(request, target, words, 429)
    response = RedirectResponse(target, 303)
    response.set_cookie(
        hub.address.cookie,
        session,
        max_age=SESSION_SECONDS,
        httponly=True,
        secure=hub.address.is_secure,
        # A link in a chat leads to the page; nothing that changes anything is sent along from elsewhere.
        samesite="lax",
    )
    return response


def log_out(request: Request, form: Form) -> Response:
    """The token of this browser is revoked, not only forgotten."""
    hub = hub_of(request)
    close_session(hub.place(desk_of(request).token))
    response = RedirectResponse("/login", 303)
    response.delete_cookie(
        hub.address.cookie, httponly=True, secure=hub.address.is_secure
    )
    return response


def _own_path(address: str) -> str:
    """A path of ours, whatever the address says."""
    parts = urlsplit(address)
    path = "/" + parts.path.lstrip("/\\")
    if parts.scheme or parts.netloc or path.startswith("/login"):
        return "/"
    return f"{path}?{parts.query}" if parts.query else path


def _page(
    request: Request, target: str, words: str = "", status: int = 200
) -> Response:
    """It stands alone: nobody has a desk yet."""
    template = environment(has_sessions=False).get_template("hub/login.html")
    return HTMLResponse(template.render(target=target, words=words), status)


ROUTES = [
    Route("/login", login_page, methods=["GET"]),
    Route("/login", log_in, methods=["POST"]),
    post_own("/logout", log_out),
]
