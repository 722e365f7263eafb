"""`afterglow serve`: what fits together, and a hub as a real process that ends in good order."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import psycopg
import pytest
from click.testing import CliRunner

from afterglow.cli.serve import serve
from afterglow.config import Config
from afterglow.errors import UsageError
from afterglow.flows.hub import init_hub
from afterglow.store.hub.roles import drop_roles, roles_of
from postgres_server import new_database

SOON = 60.0  # seconds: for a machine that is loaded


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--hub", "postgresql://db.example/hub", "--read-only"], "the right read"),
        (["--hub", "postgresql://db.example/hub", "--export", "x"], "the right read"),
        (["--public-url", "https://hub.example"], "are for a hub"),
        (["--host", "0.0.0.0"], "are for a hub"),
        (["--hub", "not-an-address"], "no address of a database"),
    ],
)
def test_what_does_not_fit_together_is_said(words, said, tmp_path, monkeypatch):
    monkeypatch.setenv("AFTERGLOW_HOME", str(tmp_path))
    answer = CliRunner().invoke(serve, words)
    assert isinstance(answer.exception, UsageError)
    assert said in str(answer.exception)


class HubProcess:
    def __init__(self, home: Path, url: str) -> None:
        environment = {**os.environ, "AFTERGLOW_HOME": str(home), "HOME": str(home)}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "afterglow", "serve", "--hub", url, "--port", "0"],
            env=environment,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        assert self.process.stdout
        self.address = self.process.stdout.readline().strip()

    def ended(self) -> tuple[int, str]:
        """By a signal; how, and what it said."""
        self.process.send_signal(signal.SIGTERM)
        _, errors = self.process.communicate(timeout=SOON)
        return self.process.returncode, errors


@pytest.fixture
def hub(postgres: str, tmp_path: Path) -> Iterator[tuple[HubProcess, str]]:
    config = Config(home=tmp_path / "home", user_home=tmp_path)
    with new_database(postgres) as url:
        made = init_hub(config, url, organisation="acme", admin="ada")
        running = HubProcess(config.home, url)
        yield running, made.admin.token
        running.process.kill()
        running.process.communicate()
        with psycopg.connect(url) as db:
            roles = roles_of(db)
    with psycopg.connect(postgres, autocommit=True) as db:
        drop_roles(db, roles)


@pytest.mark.slow
def test_a_hub_serves_machines_agents_and_people_and_ends_in_good_order(hub):
    running, token = hub
    known = {"authorization": f"Bearer {token}"}
    with httpx.Client(base_url=running.address, timeout=SOON) as client:
        assert client.get("/readyz").text == "ok\n"
        assert client.get("/api/v1/me", headers=known).status_code == 200
        assert client.get("/login").status_code == 200
        assert "afterglow_pending 0" in client.get("/metrics", headers=known).text
        hello = client.post(
            "/mcp",
            headers={**known, "accept": "application/json, text/event-stream"},
            json={"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}},
        )
        assert hello.status_code == 200, hello.text
    code, errors = running.ended()
    assert code in (0, -signal.SIGTERM)
    assert errors == ""
    assert token not in errors
