"""A hub that listens on loopback, over a real database: as machines reach one."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import uvicorn
from msgspec import Struct

from afterglow.config import Config
from afterglow.flows.hub import merge_pending
from afterglow.loopback import listen_on
from afterglow.web.hub.address import hub_address
from afterglow.web.hub.app import make_hub_app
from afterglow.web.hub.hub import Hub
from hub_database import HubDatabase


class RunningHub(Struct, frozen=True):
    url: str
    database: HubDatabase
    hub: Hub

    def merge(self) -> None:
        """Until nothing is left, as the merger does."""
        while merge_pending(self.database.merge):
            pass


@contextmanager
def running_hub(database: HubDatabase, folder: Path) -> Iterator[RunningHub]:
    """Nothing is merged by itself: a test says when."""
    listening = listen_on(0)
    host = f"127.0.0.1:{listening.getsockname()[1]}"
    config = Config(home=folder / "hub-home", user_home=folder / "hub-user")
    hub = Hub(config, database.app.url, hub_address([host], ""), merge=lambda: 0)
    settings = uvicorn.Config(make_hub_app(hub), log_level="warning")
    server = uvicorn.Server(settings)
    thread = threading.Thread(target=server.run, args=([listening],), daemon=True)
    thread.start()
    try:
        yield RunningHub(f"http://{host}", database, hub)
    finally:
        server.should_exit = True
        thread.join()
