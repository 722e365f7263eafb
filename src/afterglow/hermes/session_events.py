"""What is done at the start and at the end of a Hermes session."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from contextlib import closing, suppress
from importlib import import_module
from pathlib import Path
from typing import Any

AGENT = "hermes"
CHARACTERS = 9500  # Hermes puts what a hook says beyond 10,000 into a file
# platforms where no person waits and nothing is to be learned
NOBODY = frozenset({"cron", "subagent", "curator"})
STORE_SECONDS = 0.2  # for Hermes to let go of its store, within the deadline of a hook
MAX_SESSIONS = 1000  # a gateway serves many in one process; none runs so many at once

_served: deque[str] = deque(maxlen=MAX_SESSIONS)  # sessions that have their context


def context(
    *,
    session_id: str = "",
    user_message: object = "",
    is_first_turn: bool = False,
    platform: str = "",
    **_: Any,
) -> dict[str, str] | None:
    """The context of a new session, once, on its first turn. A resumed session has it in its past already."""
    if not is_first_turn or platform in NOBODY or session_id in _served:
        return None
    from afterglow import config
    from afterglow.flows.session import start

    settings = config.load()
    if settings.hooks.context == "never":
        return None
    started_with = start(
        settings,
        agent=AGENT,
        cwd=folder(),
        task=words_of(user_message),
        characters=CHARACTERS,
        session=session_id,
    )
    if not started_with.text:
        return None
    if session_id:
        _served.append(session_id)
    if started_with.unnoted:
        from afterglow.errors import StoreError
        from afterglow.hermes.guard import note

        note("delivery not noted", StoreError(started_with.unnoted))
    return {"context": started_with.text}


def started(
    *,
    session_id: str | None = None,
    platform: str = "",
    hermes_home: str = "",
    **_: Any,
) -> None:
    """Has what earlier sessions left harvested: `hermes -z` and a kill end one without telling anybody."""
    database = home(hermes_home) / "state.db"
    if platform not in NOBODY and _has_earlier(database, session_id):
        _queue(database, str(database), "a new session starts")


def finished(
    *,
    session_id: str | None = None,
    platform: str = "",
    reason: str = "",
    hermes_home: str = "",
    **_: Any,
) -> None:
    """Has the session harvested, by a process of its own."""
    if session_id and platform not in NOBODY:
        _queue(home(hermes_home) / "state.db", session_id, reason or "finalized")


def _has_earlier(database: Path, session: str | None) -> bool:
    """Whether there was a session before this one."""
    if not database.exists():
        return False
    import sqlite3

    address = f"{database.absolute().as_uri()}?mode=ro"
    query = "SELECT 1 FROM sessions WHERE id IS NOT ? LIMIT 1"
    with closing(sqlite3.connect(address, uri=True, timeout=STORE_SECONDS)) as db:
        return db.execute(query, [session]).fetchone() is not None


def _queue(database: Path, session: str, why: str) -> None:
    from afterglow import config
    from afterglow.flows.harvest import begin, enqueue

    if database.exists():
        settings = config.load()
        enqueue(settings, agent=AGENT, source=database, session=session, why=why)
        # no thread can be started any more where the program is about to end
        with suppress(RuntimeError):
            begin(settings)


def words_of(message: object) -> str:
    """What a person typed; a message with pictures comes in parts."""
    if isinstance(message, str):
        return message
    parts = message if isinstance(message, Sequence) else ()
    return "\n".join(
        str(part["text"])
        for part in parts
        if isinstance(part, dict) and part.get("text")
    )


def folder() -> Path:
    """Where the session works. Hermes knows better than the process: a gateway serves several folders."""
    with suppress(ImportError, AttributeError):
        return Path(import_module("agent.runtime_cwd").resolve_agent_cwd())
    return Path.cwd()


def home(path: str = "") -> Path:
    """Hermes' home, or that of the profile in force; `path` says it where Hermes runs elsewhere."""
    if path:
        return Path(path)
    with suppress(ImportError, AttributeError):
        return Path(import_module("hermes_constants").get_hermes_home())
    from afterglow import config

    settings = config.load()
    return settings.moved.get(AGENT, settings.user_home / ".hermes")
