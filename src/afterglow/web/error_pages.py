"""What is said when something goes wrong: a page, or a notice where a part of one was asked for."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from afterglow.errors import AfterglowError, Conflict
from afterglow.web.rendering import page, part

TITLES = {
    400: "That cannot be done",
    403: "Not here",
    404: "There is no such page",
    405: "That cannot be done here",
    409: "This changed since you looked",
}


def our_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, AfterglowError)
    return _said(request, str(error), error.status, isinstance(error, Conflict))


def http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    words = f"{request.url.path}: {error.detail}".strip(": ")
    return _said(request, words, error.status_code, False)


def _said(request: Request, words: str, status: int, is_old: bool) -> Response:
    title = TITLES.get(status, "That did not work")
    values: dict[str, Any] = {"title": title, "words": words, "is_old": is_old}
    values["again"] = _page_before(request)
    if "hx-request" not in request.headers:
        return page(request, "error.html", status=status, **values)
    # htmx shows what it gets where the page says so: the notice, and nothing of the page.
    response = part(request, "error.html", "notice_alone", alone=True, **values)
    response.headers["HX-Retarget"] = "#notice"
    response.headers["HX-Reswap"] = "outerHTML"
    return response


def _page_before(request: Request) -> str:
    """The page of ours that a person came from: an address that only changes something has no page."""
    parts = urlsplit(request.headers.get("referer", ""))
    if parts.netloc != request.headers.get("host") or parts.path.startswith("//"):
        return ""
    return f"{parts.path}?{parts.query}" if parts.query else parts.path
