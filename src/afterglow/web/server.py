"""The server: on this machine only, until a signal ends it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from threading import Thread

import uvicorn

from afterglow import config
from afterglow.flows.harvest import judge_stored_items
from afterglow.flows.redactor import redactor_of
from afterglow.loopback import listen_on, names
from afterglow.web.app import make_app
from afterglow.web.desk import Desk

GRACE_SECONDS = 2  # a request under way has when the server ends


def serve(*, port: int, read_only: bool, ready: Callable[[str], None]) -> None:
    """`ready` hears the address, with the token, once the port is ours."""
    desk = Desk(config.load, read_only=read_only)
    with closing(listen_on(port)) as listening:
        hosts = names(listening)
        app = make_app(desk, hosts)
        settings = uvicorn.Config(
            app,
            log_config=None,
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=GRACE_SECONDS,
            ws="none",
        )
        Thread(target=_warm_up, args=(desk,), daemon=True).start()
        ready(f"http://{hosts[0]}/?token={desk.token}")
        uvicorn.Server(settings).run(sockets=[listening])


def _warm_up(desk: Desk) -> None:
    """While the person opens the page: the first transcript need not wait for the rules for secrets, nor a large store
    of an older version for what its remedies do."""
    config = desk.framing_config
    redactor_of(config).redact("nothing secret")
    judge_stored_items(config)
