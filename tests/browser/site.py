"""A real browser before a real server: Debian's Chromium, driven by Playwright.

Without Chromium these tests are skipped; CHROMIUM names where it is looked for. Pictures of pages are made where
AFTERGLOW_TEST_SHOTS names a folder for them.
"""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import uvicorn
from playwright.sync_api import Browser, Page, expect, sync_playwright

from afterglow.config import Config
from afterglow.loopback import listen_on, names
from afterglow.web.app import make_app
from afterglow.web.desk import Desk

CHROMIUM = ("chromium", "chromium-browser", "google-chrome")
QUIET = (
    "--no-sandbox",  # tests may run as root
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)
WIDTHS = (1280, 390)
LONG = 20.0  # seconds: for a server that is loaded, not one that hangs


def chromium() -> str:
    program = next(filter(None, map(shutil.which, CHROMIUM)), None)
    if program is None:
        pytest.skip("no Chromium here")
    return program


@contextmanager
def started_browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=chromium(), args=list(QUIET)
        )
        yield browser
        browser.close()


class Site:
    """A server over a home, and pages of it in the browser. Whatever the browser complains about fails the test."""

    def __init__(self, config: Config, browser: Browser) -> None:
        self.desk = Desk(lambda: config)
        self._browser = browser
        self._socket = listen_on(0)
        self.address = f"http://{names(self._socket)[0]}"
        app = make_app(self.desk, names(self._socket))
        self._server = uvicorn.Server(uvicorn.Config(app, log_config=None, ws="none"))
        self._thread = threading.Thread(
            target=self._server.run, kwargs={"sockets": [self._socket]}
        )
        self._thread.start()
        self.complaints: list[str] = []

    def close(self) -> None:
        self._server.should_exit = True
        self._thread.join(LONG)
        self._socket.close()

    def page(self, path: str = "/", width: int = 1280) -> Page:
        """A window of its own that has been let in."""
        size = {"width": width, "height": 900}
        page = self._browser.new_context(viewport=size).new_page()
        page.set_default_timeout(1000 * LONG)
        page.on("console", self._listen)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.goto(f"{self.address}/?token={self.desk.token}")
        page.goto(self.address + path)
        return page

    def _listen(self, message) -> None:
        if message.type in ("error", "warning"):
            self.complaints.append(message.text)

    def shots(self, path: str, name: str) -> None:
        look_at(self.page(path), name)


BUSY = ".htmx-request, .htmx-swapping, .htmx-settling"


def settle(page: Page) -> None:
    """Until the page shows what was last asked for."""
    page.wait_for_load_state("networkidle")
    expect(page.locator(BUSY)).to_have_count(0)


def press(page: Page, key: str) -> None:
    """As a person does who sees what the last key led to."""
    settle(page)
    page.keyboard.press(key)


def look_at(page: Page, name: str) -> None:
    """The page at each width, with a picture if somebody wants to see it; nothing may stick out of it."""
    page.wait_for_load_state("networkidle")
    folder = os.environ.get("AFTERGLOW_TEST_SHOTS")
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        if folder:
            picture = Path(folder) / f"{name}-{width}.png"
            page.screenshot(path=picture, full_page=True)
        assert overhang(page) == 0, f"{page.url} is wider than {width}"
    page.context.close()


def overhang(page: Page) -> int:
    """By how much the page is wider than its window."""
    width = (
        "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    )
    return int(page.evaluate(width))
