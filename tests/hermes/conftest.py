"""A home, a checkout and a Hermes of their own for each test; nothing is harvested in the background."""

from __future__ import annotations

import pytest

from afterglow import config as settings
from afterglow.flows import model_client
from afterglow.flows.harvest.queue import queue_lock
from afterglow.hermes import register, session_events
from hermes.fake_hermes import FakeContext
from keeping import item, keep


@pytest.fixture
def config(tmp_path, monkeypatch):
    checkout = tmp_path / "src/harbor"
    (checkout / ".git").mkdir(parents=True)
    monkeypatch.chdir(checkout)
    for name in ("AFTERGLOW_MEMORY_BACKEND", "HERMES_MEMORY_BACKEND", "HONCHO_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("AFTERGLOW_HOME", str(tmp_path / "kept"))
    monkeypatch.setenv("HERMES_HOME", str(tmp_path / "hermes"))
    monkeypatch.setattr(session_events, "_served", session_events._served.copy())
    monkeypatch.setattr(model_client, "OFFERED", {})
    found = settings.load()
    found.home.mkdir()
    (found.home / "config.toml").write_text(
        "[hooks]\ndeadline_ms = 60000\n"
    )  # a busy machine is no failure
    return found


@pytest.fixture
def known(config):
    keep(config, item(1))
    return config


@pytest.fixture
def hermes(config):
    context = FakeContext()
    register(context)
    return context


@pytest.fixture
def resting(config):
    """As if a harvest were running: no other is begun."""
    with queue_lock(config) as mine:
        assert mine
        yield config
