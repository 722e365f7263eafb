"""Home: is it connected, what happened last, what waits for a person."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from afterglow.config import Config
from afterglow.flows.doctor import status
from afterglow.flows.read import list_sessions
from afterglow.web.desk import desk_of
from afterglow.web.rendering import page
from afterglow.web.routing import get

LATEST = 8  # sessions: what a person may still remember


def home(request: Request) -> Response:
    desk = desk_of(request)
    config = desk.config
    return page(
        request,
        "home.html",
        status_now=status(config, now=desk.now()),
        sessions=list_sessions(config, limit=LATEST),
    )


def exported(config: Config) -> list[str]:
    return ["/"]


ROUTES = [get("/", home)]
