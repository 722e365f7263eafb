"""Routes of pages: `get` for what looks, `post` for what changes. Handlers are plain functions, run in threads."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from urllib.parse import parse_qsl

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import ImmutableMultiDict
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from afterglow.errors import Refused, UsageError
from afterglow.web.desk import desk_of

MAX_FORM_BYTES = 1_000_000  # a pasted log fits; more is no form of ours
FORM_TOKEN = "csrf"
FORM_HEADER = "x-afterglow-form"  # the same, from htmx

Form = ImmutableMultiDict[str, str]
Look = Callable[[Request], Response]
Change = Callable[[Request, Form], Response]


def get(path: str, handler: Look) -> Route:
    return Route(path, handler, methods=["GET"])


def ask(path: str, handler: Change) -> Route:
    """A question that is too long, or too private, for an address. It changes nothing."""
    return _from_form(path, handler, is_change=False)


def post(path: str, handler: Change) -> Route:
    """A change: from a form of ours, and not where the server was started to look only."""
    return _from_form(path, handler, is_change=True)


def post_own(path: str, handler: Change) -> Route:
    """A change of what is the person's own at a hub: who may review nothing may do that."""
    return _from_form(path, handler, is_change=False)


def _from_form(path: str, handler: Change, *, is_change: bool) -> Route:

    async def endpoint(request: Request) -> Response:
        form = await _form(request)
        desk = desk_of(request)
        token = form.get(FORM_TOKEN) or request.headers.get(FORM_HEADER, "")
        if not secrets.compare_digest(token.encode(), desk.form_token.encode()):
            raise Refused("this page is older than the server; open it again")
        if desk.read_only and is_change:
            raise Refused(desk.why_read_only)
        return await run_in_threadpool(handler, request, form)

    return Route(path, endpoint, methods=["POST"])


async def _form(request: Request) -> Form:
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > MAX_FORM_BYTES:
            raise UsageError("that is too long to be sent from a page; 1 MB at most")
    try:
        pairs = parse_qsl(body.decode("utf-8"), keep_blank_values=True)
    except ValueError as error:
        raise UsageError("the form could not be read; open the page again") from error
    return ImmutableMultiDict(pairs)
