"""The app: the routes of every page, what stands in front of them, and what is said when something goes wrong."""

from __future__ import annotations

from collections.abc import Collection
from importlib import import_module
from importlib.resources import files
from typing import Any
from urllib.parse import urlsplit

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles

from afterglow.errors import AfterglowError, Conflict
from afterglow.show.html import style_sheet
from afterglow.web.access import Access
from afterglow.web.desk import Desk
from afterglow.web.rendering import page, part
from afterglow.web.type_information import build_type_information

# Modules of `web/pages`, each with its ROUTES.
PAGES = (
    "home",
    "jobs",
    "review",
    "measure",
    "profile",
    "replay",
    "experiments",
    "knowledge",
    "item",
    "preview",
    "sessions",
    "templates",
    "memory",
    "problem_writing",
    "problems",
    "settings",
    "connections",
    "privacy",
    "forget",
    "backup",
)
TITLES = {
    400: "That cannot be done",
    403: "Not here",
    404: "There is no such page",
    405: "That cannot be done here",
    409: "This changed since you looked",
}


def make_app(desk: Desk, hosts: Collection[str]) -> Starlette:
    """`hosts` are the names, with the port, under which the server answers."""
    build_type_information()
    app = Starlette(
        routes=_routes(),
        middleware=[Middleware(Access, desk=desk, hosts=hosts)],
        exception_handlers={AfterglowError: _our_error, HTTPException: _http_error},
    )
    app.state.desk = desk
    return app


def page_modules() -> list[Any]:
    return [import_module(f"afterglow.web.pages.{name}") for name in PAGES]


def _routes() -> list[BaseRoute]:
    routes: list[BaseRoute] = [
        route for page in page_modules() for route in page.ROUTES
    ]
    routes.append(Route("/static/pages.css", _look))
    folder = str(files("afterglow.web").joinpath("static"))
    routes.append(Mount("/static", StaticFiles(directory=folder)))
    return routes


def _look(request: Request) -> Response:
    """What reports and pages have in common."""
    return Response(style_sheet(), media_type="text/css")


def _our_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, AfterglowError)
    return _said(request, str(error), error.status, isinstance(error, Conflict))


def _http_error(request: Request, error: Exception) -> Response:
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
