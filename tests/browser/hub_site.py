"""A real browser before a real hub: members log in with their tokens."""

from __future__ import annotations

import threading
from pathlib import Path

import uvicorn
from playwright.sync_api import Browser, Page

from afterglow.config import Config
from afterglow.loopback import listen_on, names
from afterglow.web.hub.address import hub_address
from afterglow.web.hub.app import make_hub_app
from afterglow.web.hub.hub import Hub
from browser.site import LONG, look_at
from hub_database import HubDatabase, token_of


class HubBrowsers:
    """Whatever a browser complains about fails the test."""

    def __init__(self, database: HubDatabase, browser: Browser, folder: Path) -> None:
        self._browser = browser
        self._socket = listen_on(0)
        address = hub_address(names(self._socket))
        config = Config(home=folder / "home", user_home=folder / "user")
        hub = Hub(config, database.app.url, address, merge=lambda: 0)
        self.address = address.public
        settings = uvicorn.Config(make_hub_app(hub), log_config=None, ws="none")
        self._server = uvicorn.Server(settings)
        self._thread = threading.Thread(
            target=self._server.run, kwargs={"sockets": [self._socket]}
        )
        self._thread.start()
        self.complaints: list[str] = []

    def close(self) -> None:
        self._server.should_exit = True
        self._thread.join(LONG)
        self._socket.close()

    def window(self, width: int = 1280) -> Page:
        size = {"width": width, "height": 900}
        page = self._browser.new_context(viewport=size).new_page()
        page.set_default_timeout(1000 * LONG)
        page.on("console", self._listen)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        return page

    def member(self, name: str, path: str = "/", width: int = 1280) -> Page:
        """A window in which they have pasted their token."""
        page = self.window(width)
        page.goto(self.address + path)
        page.get_by_label("Your token").fill(token_of(name))
        page.get_by_role("button", name="Log in").click()
        page.wait_for_url(self.address + path)
        return page

    def shots(self, member: str, path: str, name: str) -> None:
        look_at(self.member(member, path), name)

    def _listen(self, message) -> None:
        if message.type in ("error", "warning"):
            self.complaints.append(message.text)
