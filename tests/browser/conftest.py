"""One browser for the tests of a module; a server and a home for each test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from afterglow.config import Config
from browser.site import LONG, Site, started_browser
from web.desk import small_home

expect.set_options(timeout=1000 * LONG)


# Not longer: as long as Playwright runs, no other test of the same worker can have an event loop of its own.
@pytest.fixture(scope="module")
def chromium_browser() -> Iterator[Browser]:
    with started_browser() as browser:
        yield browser


@pytest.fixture
def home(tmp_path: Path) -> Config:
    return small_home(tmp_path)


@pytest.fixture
def site(home: Config, chromium_browser: Browser) -> Iterator[Site]:
    site = Site(home, chromium_browser)
    try:
        yield site
    finally:
        site.close()
    assert site.complaints == []
