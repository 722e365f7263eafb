"""Pages over a small home."""

from __future__ import annotations

from pathlib import Path

import pytest

from afterglow.config import Config
from web.desk import Browser, small_home


@pytest.fixture
def home(tmp_path: Path) -> Config:
    return small_home(tmp_path)


@pytest.fixture
def browser(home: Config) -> Browser:
    return Browser(home)
