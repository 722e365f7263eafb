"""Shared fixtures. `pytest --update-golden` rewrites expected results; review them as a diff."""

from __future__ import annotations

import os
import shutil
import signal
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from afterglow.llm import server
from hub_database import hub_database, hub_template  # noqa: F401
from knowledge_places import knowledge_place, stores_config  # noqa: F401
from postgres_server import postgres, postgres_url  # noqa: F401
from scheduling import ModuleScheduling, longest_first

# Thousands of small stores are made and thrown away: where memory can hold them, nothing waits for a disk.
IN_MEMORY, ROOM = "/dev/shm", 4 << 30
if (
    "TMPDIR" not in os.environ
    and os.access(IN_MEMORY, os.W_OK)
    and shutil.disk_usage(IN_MEMORY).free > ROOM
):
    os.environ["TMPDIR"] = tempfile.tempdir = IN_MEMORY

# What starts programs, servers or processes, or tries thousands of texts: left out of `make check-fast`.
SLOW = (
    "live",
    "adapters",
    "browser",
    "bench/test_attacks.py",
    "bench/test_attacks_stopped.py",
    "closed_loop",
    "afterglow_demo",
    "mcp",
    "hermes",
    "hooks",
    "memory",
    "store/test_knowledge_processes.py",
    "store/test_knowledge_search.py",
    "store/test_templates.py",
    "flows/measure/test_replay_past.py",
    "flows/harvest",
    "flows/hub",
    "flows/connect",
    "flows/session",
    "flows/test_writer_client.py",
    "flows/warm",
    "harvest/test_long_sessions.py",
    "sessions/test_hermes_db.py",
    "warm/test_inject_properties.py",
    "llm",
    "text/test_redact_engines.py",
    "text/test_tokens.py",
    "cli",
    "test_docs.py",
    "test_distribution.py",
)


def pytest_collection_modifyitems(
    config: pytest.Config, items: list[pytest.Item]
) -> None:
    folder = Path(__file__).parent
    for item in items:
        place = item.path.relative_to(folder).as_posix()
        if place.startswith(SLOW):
            item.add_marker("slow")
    if hasattr(config, "workerinput"):
        longest_first(items)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> object:
    if config.option.dist != "loadgroup":
        return None
    return ModuleScheduling(config, log)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden",
        action="store_true",
        help="rewrite the expected results of golden tests",
    )


@pytest.fixture(autouse=True)
def closed_door(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test, and no program that one starts, reaches a model that is not on this machine: none can spend money."""
    monkeypatch.setattr(server, "REACHABLE", "loopback")
    monkeypatch.setenv("AFTERGLOW_LOCAL_ONLY", "1")


@pytest.fixture(autouse=True)
def nothing_stays(request: pytest.FixtureRequest) -> Iterator[None]:
    """Hooks on calls leave a process behind for a while; that of a test ends with it."""
    has_folder = "tmp_path" in request.fixturenames
    folder = request.getfixturevalue("tmp_path") if has_folder else None
    yield
    if folder is not None:
        end_residents(folder)


def pytest_sessionfinish(session: pytest.Session) -> None:
    factory = getattr(session.config, "_tmp_path_factory", None)
    if factory is not None:
        end_residents(factory.getbasetemp())


def end_residents(folder: Path) -> None:
    """Ends the processes that stayed in the homes below a folder; each has written its id in its lock."""
    for lock in folder.rglob("hook-*.lock"):
        process = lock.read_text()
        lock.unlink()
        with suppress(OSError):
            if process.strip() and lock.with_suffix(".sock").exists():
                os.kill(int(process), signal.SIGTERM)


@pytest.fixture
def golden(request: pytest.FixtureRequest):
    """Compares text with a file beside the tests, or rewrites the file when asked to."""

    def check(path: Path, actual: str) -> None:
        if request.config.getoption("--update-golden"):
            path.write_text(actual, encoding="utf-8")
        assert path.exists(), (
            f"no {path.name} yet: run pytest --update-golden and review it"
        )
        assert actual == path.read_text(encoding="utf-8")

    return check


@pytest.fixture(scope="session")
def compiled_rules(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where redaction rules are compiled once for all homes; workers share it."""
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    folder = shared / "compiled-rules"
    folder.mkdir(exist_ok=True)
    return folder


@pytest.fixture(scope="session")
def agent_programs() -> str:
    """Where programs of agents are looked for: the PATH, and what npm put below the folder AFTERGLOW_TEST_NPM names."""
    folder = os.environ.get("AFTERGLOW_TEST_NPM", "")
    places = [f"{folder}/node_modules/.bin"] if folder else []
    return os.pathsep.join([*places, os.environ.get("PATH", "")])
