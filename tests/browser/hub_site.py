"""A real browser before a real hub: members log in with their tokens."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import uvicorn
from playwright.sync_api import Browser, Page

from afterglow.config import Config
from afterglow.loopback import listen_on, names
from afterglow.web.hub.address import hub_address
from afterglow.web.hub.app import make_hub_app
from afterglow.web.hub.hub import Hub
from browser.site import LONG, WIDTHS, overhang
from hub_database import HubDatabase, token_of


class HubBrowsers:
    """Whatever a browser complains about fails the test."""

    def __init__(self, database: HubDatabase, browser: Browser, folder: Path) -> None:
        self._browser = browser
        self._shots = Path(os.environ.get("AFTERGLOW_TEST_SHOTS", folder / "shots"))
        self._shots.mkdir(parents=True, exist_ok=True)
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
        """A picture at each width; nothing may stick out of the page."""
        for width in WIDTHS:
            page = self.member(member, path, width)
            page.wait_for_load_state("networkidle")
            page.screenshot(path=self._shots / f"{name}-{width}.png", full_page=True)
            assert overhang(page) == 0, f"{path} is wider than {width}"
            page.context.close()

    def _listen(self, message) -> None:
        if message.type in ("error", "warning"):
            self.complaints.append(message.text)
