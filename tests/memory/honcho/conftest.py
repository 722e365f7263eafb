"""A Honcho server of the tests' own, and a backend that talks to it."""

import pytest

from afterglow.memory.honcho import HonchoBackend, Patience
from memory.honcho_server import KEY, HonchoServer


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("AFTERGLOW_HOME", str(tmp_path))


@pytest.fixture
def server():
    with HonchoServer() as server:
        yield server


@pytest.fixture
def backend(server):
    backend = HonchoBackend(KEY, server.url, "tests", patience=Patience(retries=0))
    yield backend
    backend.close()
