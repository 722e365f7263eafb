"""The app: the routes of every page, what stands in front of them, and what is said when something goes wrong."""

from __future__ import annotations

from collections.abc import Collection
from importlib import import_module
from importlib.resources import files
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles

from afterglow.errors import AfterglowError
from afterglow.show.html import style_sheet
from afterglow.web.access import Access
from afterglow.web.desk import Desk
from afterglow.web.error_pages import http_error, our_error
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


def make_app(desk: Desk, hosts: Collection[str]) -> Starlette:
    """`hosts` are the names, with the port, under which the server answers."""
    build_type_information()
    app = Starlette(
        routes=_routes(),
        middleware=[Middleware(Access, desk=desk, hosts=hosts)],
        exception_handlers={AfterglowError: our_error, HTTPException: http_error},
    )
    app.state.desk = desk
    return app


def page_modules() -> list[Any]:
    return [import_module(f"afterglow.web.pages.{name}") for name in PAGES]


def _routes() -> list[BaseRoute]:
    pages = [route for page in page_modules() for route in page.ROUTES]
    return [*pages, *look_routes()]


def look_routes() -> list[BaseRoute]:
    """Style and script of every page."""
    folder = str(files("afterglow.web").joinpath("static"))
    return [
        Route("/static/pages.css", _look),
        Mount("/static", StaticFiles(directory=folder)),
    ]


def _look(request: Request) -> Response:
    """What reports and pages have in common."""
    return Response(style_sheet(), media_type="text/css")
