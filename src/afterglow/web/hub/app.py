"""A hub's app: pages for members, the door for machines, health; with the merger beside it as long as it runs."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from importlib import import_module

import anyio.to_thread
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import BaseRoute, Route

from afterglow.errors import AfterglowError
from afterglow.web import error_pages
from afterglow.web.app import look_routes
from afterglow.web.hub import api, health, login
from afterglow.web.hub.access import PROGRAMS, HubAccess, refusal_in_words
from afterglow.web.hub.hub import Hub
from afterglow.web.type_information import build_type_information

# Requests that work at once, each with a connection or two; the others wait their turn.
THREADS = 16
# What a merger has to finish its step when the hub ends.
MERGER_SECONDS = 20.0

# Pages of one machine that a hub has too -> which of their addresses. What reads transcripts, and what is a person's
# own on their machine (sessions, problems, memory, templates, settings), it does not have.
EVERY_ADDRESS = ("",)
SHARED_PAGES = {
    "jobs": EVERY_ADDRESS,
    "review": EVERY_ADDRESS,
    "knowledge": EVERY_ADDRESS,
    "item": (
        "/knowledge/{id}",
        *(
            f"/knowledge/{{id}}/{verdict}"
            for verdict in ("approve", "reject", "retire", "edit", "scope", "delete")
        ),
    ),
    "preview": EVERY_ADDRESS,
    "experiments": ("/experiments", "/experiments/{name}"),
}
# Modules of `web/hub/pages`, each with its ROUTES.
HUB_PAGES = ("home", "helped", "contributions", "tokens", "people", "audit")

Running = Callable[[], AbstractAsyncContextManager[object]]


def make_hub_app(
    hub: Hub, more: Sequence[BaseRoute] = (), running: Sequence[Running] = ()
) -> Starlette:
    """`more` are routes of others, which may need something `running` beside the app."""
    build_type_information()

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        anyio.to_thread.current_default_thread_limiter().total_tokens = THREADS
        async with AsyncExitStack() as stack:
            for enter in running:
                await stack.enter_async_context(enter())
            hub.merger.start()
            try:
                yield
            finally:
                await run_in_threadpool(hub.merger.stop, MERGER_SECONDS)

    app = Starlette(
        routes=[*_routes(), *more],
        middleware=[Middleware(HubAccess, hub=hub)],
        exception_handlers={AfterglowError: _our_error, HTTPException: _http_error},
        lifespan=lifespan,
    )
    app.state.hub = hub
    return app


def _routes() -> list[BaseRoute]:
    pages = [
        import_module(f"afterglow.web.hub.pages.{name}").ROUTES for name in HUB_PAGES
    ]
    return [
        *health.ROUTES,
        *login.ROUTES,
        *api.ROUTES,
        *shared_routes(),
        *(route for routes in pages for route in routes),
        *look_routes(),
    ]


def shared_routes() -> list[Route]:
    routes = []
    for name, paths in SHARED_PAGES.items():
        module = import_module(f"afterglow.web.pages.{name}")
        routes += [
            route
            for route in module.ROUTES
            if paths is EVERY_ADDRESS or route.path in paths
        ]
    return routes


def _our_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, AfterglowError)
    if not hasattr(request.state, "desk"):
        return refusal_in_words(request, error)
    return error_pages.our_error(request, error)


def _http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    if hasattr(request.state, "desk"):
        return error_pages.http_error(request, error)
    if request.url.path.startswith(PROGRAMS):
        return JSONResponse({"error": error.detail}, error.status_code)
    return PlainTextResponse(f"{error.detail}\n", error.status_code)
