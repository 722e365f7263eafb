"""The hub as a process: its stores opened, its port listened on, until a signal ends it in good order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing

import uvicorn
from starlette.routing import BaseRoute

from afterglow.config import Config
from afterglow.flows.hub import hub_stores, server_urls
from afterglow.loopback import listen_on, names
from afterglow.web.hub.address import hub_address
from afterglow.web.hub.app import THREADS, Running, make_hub_app
from afterglow.web.hub.hub import Hub

GRACE_SECONDS = 15  # requests under way have to finish when the hub ends
# Open at once: a thousand machines with one each, and browsers. One more is told to come again.
MAX_CONNECTIONS = 2_000
# To the database: a request that works has one open, and now and then a second beside it.
DATABASE_CONNECTIONS = 2 * THREADS

Beside = Callable[[Hub], tuple[Sequence[BaseRoute], Sequence[Running]]]


def serve_hub(
    config: Config,
    url: str,
    *,
    host: str,
    port: int,
    public_url: str,
    beside: Beside,
    ready: Callable[[str], None],
) -> None:
    """`beside` brings what answers besides pages and machines; `ready` hears the address once the port is ours."""
    app_url, merge_url = server_urls(config, url)
    with (
        hub_stores(app_url, merge_url, DATABASE_CONNECTIONS) as merge,
        closing(listen_on(port, host)) as listening,
    ):
        address = hub_address(names(listening), public_url, host)
        hub = Hub(config, app_url, address, merge)
        routes, running = beside(hub)
        settings = uvicorn.Config(
            make_hub_app(hub, routes, running),
            log_config=None,
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=GRACE_SECONDS,
            limit_concurrency=MAX_CONNECTIONS,
            ws="none",
            lifespan="on",
        )
        ready(address.public)
        uvicorn.Server(settings).run(sockets=[listening])
