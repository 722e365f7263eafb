"""doctor: what is found, connected and delivered; what is silently doing nothing; what to do next.

It must work where all else is broken: whatever cannot be read is a finding.
"""

from __future__ import annotations

import importlib.util
import sys
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import afterglow
from afterglow.config import Config
from afterglow.connect import AGENTS, codex
from afterglow.errors import AfterglowError
from afterglow.flows.connect import (
    ConnectedFile,
    answers,
    ask,
    connected_files,
    present,
)
from afterglow.flows.doctor.agent_moments import moments
from afterglow.flows.doctor.backup_checks import backups, drop_leftovers
from afterglow.flows.doctor.connection_checks import (
    HOOK_SECONDS,
    connected_agents,
    connection,
    on_path,
    unrecorded,
)
from afterglow.flows.doctor.delivery_checks import deliveries
from afterglow.flows.doctor.hub_checks import team
from afterglow.flows.doctor.permission_checks import close_home, permissions
from afterglow.flows.doctor.privacy_checks import privacy
from afterglow.flows.doctor.reading_checks import reading
from afterglow.flows.doctor.review_checks import review
from afterglow.flows.doctor.store_checks import home, read_only_rows, stores
from afterglow.flows.doctor.trust_checks import trust
from afterglow.flows.doctor.writing_checks import writing
from afterglow.flows.harvest import log_of, waiting
from afterglow.records.doctor import Checkup, CheckupLine, Level
from afterglow.text.times import ago

VERSION_SECONDS = 0.4  # for the agents to say their versions: a person waits for doctor
MAX_LOG_LINES = 3  # the newest ones tell what goes wrong now
RECENT_SECONDS = 86400.0  # what was logged within a day needs attention

EXTRAS = {
    "tantivy": "search",
    "splintr": "tokens",
    "honcho": "honcho",
    "mcp": "mcp",
    "scipy": "stats",
    "pyarrow": "dataset",
    "openai": "llm",
    "zstandard": "archives",
    "wordllama": "vectors",
    "jinja2": "web",
    "psycopg": "postgres",
    "ray": "ray",
    "fsspec": "remote",
}  # module -> extra
_SESSIONS = (
    "SELECT agent, count(*), max(coalesce(end, start)) FROM sessions WHERE NOT empty AND NOT copy AND NOT gone "
    "GROUP BY agent"
)


def doctor(
    config: Config,
    *,
    trouble: str = "",
    now: float | None = None,
    hook_seconds: float = HOOK_SECONDS,
) -> Checkup:
    """Looks at everything and changes nothing. `trouble` is what kept the config file from being read; a hook program
    that takes longer than `hook_seconds` is one that does not answer."""
    began = time.monotonic()
    now = time.time() if now is None else now
    running = ask([AGENTS.load(name).PROGRAM, "--version"] for name in AGENTS.names())
    findings = [CheckupLine("setup", "attention", trouble)] if trouble else []
    connected: tuple[ConnectedFile, ...] = ()
    try:
        recorded = connected_files(config.home)
        connected = (
            *recorded,
            *unrecorded(config, {file.agent for file in recorded}),
        )
    except AfterglowError as error:
        findings.append(CheckupLine("connection", "attention", str(error)))
    agents = connected_agents(connected)

    @cache
    def versions() -> dict[str, str]:
        """Waited for when they are needed: the programs answer while all else is looked at."""
        return answers(running, began + VERSION_SECONDS)

    for look in (home(config), permissions(config)):
        findings += _safe(look)
    behind_home = len(findings)
    for look in (
        stores(config),
        backups(config, now),
        reading(config),
        review(config),
        _setup(config),
        connection(config, connected, hook_seconds),
        trust(config, connected, lambda: versions().get(codex.PROGRAM, "")),
        privacy(config, now),
        deliveries(config, connected),
        moments(config, agents, now),
        _queue(config, now),
        writing(config, now),
        team(config, now),
        _log(config, now),
    ):
        findings += _safe(look)
    findings[behind_home:behind_home] = _safe(_agents(config, versions(), agents, now))
    return Checkup(
        version=afterglow.__version__,
        home=str(config.home),
        findings=tuple(findings),
        healthy=not any(finding.level == "attention" for finding in findings),
        seconds=time.monotonic() - began,
        connected=tuple(sorted(agents)),
    )


def mend(config: Config) -> tuple[str, ...]:
    """Puts right what needs nobody's decision; what it did."""
    return tuple(filter(None, [close_home(config), drop_leftovers(config)]))


def _safe(look: Iterator[CheckupLine]) -> list[CheckupLine]:
    """What one look found. One that fails is a finding too."""
    findings = []
    try:
        for finding in look:
            findings.append(finding)
    except (AfterglowError, OSError) as error:
        findings.append(CheckupLine("home", "attention", str(error)))
    return findings


def _agents(
    config: Config, versions: dict[str, str], connected: set[str], now: float
) -> Iterator[CheckupLine]:
    counted = read_only_rows(config.catalog, _SESSIONS)
    sessions = {agent: (count, last) for agent, count, last in counted or ()}
    here = present(config)
    for agent in dict.fromkeys([*here, *sessions]):
        count, last = sessions.get(agent, (0, None))
        version = ""
        if agent in AGENTS.names():
            version = versions.get(AGENTS.load(agent).PROGRAM, "")
        text = f"{agent} ({version})" if version else agent
        text += f": {count:,} session{'s' * (count != 1)}"
        if last:
            text += f", the last {(now - last) / 86400:.0f} d ago"
        if agent in connected:
            yield CheckupLine("agent", "ok", f"{text}, connected")
        elif agent in here:
            help = f"afterglow connect {agent}"
            yield CheckupLine("agent", "note", f"{text}, not connected", help)
        else:
            yield CheckupLine("agent", "ok", text)
    if not here and not sessions:
        text, help = "no agent was found here", "afterglow scan FOLDER"
        yield CheckupLine("agent", "attention", text, help)
    elif counted is None:
        text, help = "no session has been scanned yet", "afterglow scan"
        yield CheckupLine("agent", "attention", text, help)
    else:
        age = now - _changed(config.catalog)
        yield CheckupLine("agent", "ok", f"the catalogue last changed {ago(age)}")


def _changed(database: Path) -> float:
    """When a database or its log was last written to."""
    files = [database, Path(f"{database}-wal")]
    return max(path.stat().st_mtime for path in files if path.exists())


def _queue(config: Config, now: float) -> Iterator[CheckupLine]:
    entries = waiting(config)
    aside = [entry for entry in entries if entry.aside]
    remaining = [entry for entry in entries if not entry.aside]
    help = "afterglow queue"
    if aside:
        why = aside[-1].trouble or "unknown"
        text = f"sessions that could not be harvested: {len(aside)}, the last because of {why}"
        yield CheckupLine("queue", "attention", text, help)
    if not remaining:
        yield CheckupLine("queue", "ok", "no session waits for harvest")
        return
    text = f"sessions that wait for harvest: {len(remaining)}"
    first = remaining[0]
    age = now - first.time
    if age > RECENT_SECONDS and first.ready(now):
        text += f", the first came {ago(age)}"
        yield CheckupLine("queue", "attention", text, help)
    else:
        yield CheckupLine("queue", "ok", text)


def _log(config: Config, now: float) -> Iterator[CheckupLine]:
    log = log_of(config)
    if why := log.trouble():
        text = f"hooks cannot note what goes wrong in {log.path}: {why}; move it away"
        yield CheckupLine("log", "attention", text)
        return
    lines = log.recent(MAX_LOG_LINES)
    for line in lines:
        age = now - line.time
        level: Level = "attention" if age < RECENT_SECONDS else "note"
        text = f"{ago(age)}: {line.what}: {line.detail}".rstrip(": ")
        yield CheckupLine("log", level, text)
    if not lines:
        yield CheckupLine("log", "ok", "hooks have noted no trouble")


def _setup(config: Config) -> Iterator[CheckupLine]:
    yield CheckupLine("setup", "ok", f"memory backend: {_memory_backend(config)}")
    installed = [
        extra for module, extra in EXTRAS.items() if importlib.util.find_spec(module)
    ]
    missing = [extra for extra in EXTRAS.values() if extra not in installed]
    text = f"extras installed: {', '.join(installed) or 'none'}"
    if missing:
        text += f"; not: {', '.join(missing)}"
    yield CheckupLine("setup", "ok", text)
    if not Path(importlib.util.cache_from_source(afterglow.__file__)).exists():
        folder = Path(afterglow.__file__).parent
        text = "no compiled bytecode: every hook takes longer to start than it should"
        help = f"{sys.executable} -m compileall -q {folder}"
        yield CheckupLine("setup", "note", text, help)
    if not on_path():
        text = "afterglow is not on your PATH; hooks do not need it, plugins and you do"
        yield CheckupLine("setup", "note", text)


def _memory_backend(config: Config) -> str:
    """In force, and what that means."""
    meanings = {"null": "nothing is kept", "local": "a file on this machine"}
    named = config.memory_backend or "local"
    return f"{named}: {meanings[named]}" if named in meanings else named
