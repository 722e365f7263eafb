"""doctor: what is found, connected and delivered; what is silently doing nothing; what to do next.

It must work where all else is broken: whatever cannot be read is a finding.
"""

from __future__ import annotations

import importlib.util
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import afterglow
from afterglow.config import Config
from afterglow.connect import AGENTS
from afterglow.errors import AfterglowError
from afterglow.flows.connect import Asked, Touched, answers, ask, present, touched
from afterglow.flows.doctor.delivery_checks import (
    deliveries,
    files,
    hooks,
    on_path,
    try_hook,
    unnoted,
)
from afterglow.flows.doctor.store_checks import home, rows, stores
from afterglow.flows.harvest import log_of, waiting
from afterglow.records.doctor import Checkup, Finding, Level
from afterglow.text.times import ago

PATIENCE = 0.4  # seconds for the agents to say their versions
LINES = 3  # of the log
RECENT = 86400.0  # what was logged within a day needs attention

EXTRAS = {
    "tantivy": "search",
    "splintr": "tokens",
    "honcho": "honcho",
    "mcp": "mcp",
    "scipy": "stats",
    "pyarrow": "dataset",
    "openai": "llm",
}  # module -> extra
_SESSIONS = (
    "SELECT agent, count(*), max(coalesce(end, start)) FROM sessions WHERE NOT empty AND NOT copy AND NOT gone "
    "GROUP BY agent"
)


def doctor(config: Config, *, trouble: str = "", now: float | None = None) -> Checkup:
    """Looks at everything and changes nothing. `trouble` is what kept the config file from being read."""
    began = time.monotonic()
    now = time.time() if now is None else now
    asked = ask([AGENTS.load(name).PROGRAM, "--version"] for name in AGENTS.names())
    found = [Finding("setup", "attention", trouble)] if trouble else []
    connected: tuple[Touched, ...] = ()
    try:
        noted = touched(config.home)
        connected = (*noted, *unnoted(config, {one.agent for one in noted}))
    except AfterglowError as error:
        found.append(Finding("connection", "attention", str(error)))
    for look in (home(config), stores(config), _setup(config), _connection(config, connected),
                 deliveries(config, connected), _queue(config, now), _log(config, now)):  # fmt: skip
        found += _safe(look)
    found[1:1] = _safe(
        _agents(config, asked, {one.agent for one in connected}, began + PATIENCE, now)
    )
    healthy = not any(one.level == "attention" for one in found)
    return Checkup(
        afterglow.__version__,
        str(config.home),
        tuple(found),
        healthy,
        time.monotonic() - began,
    )


def _safe(look: Iterator[Finding]) -> list[Finding]:
    """What one look found. One that fails is a finding too."""
    found = []
    try:
        for one in look:
            found.append(one)
    except (AfterglowError, OSError) as error:
        found.append(Finding("home", "attention", str(error)))
    return found


def _agents(
    config: Config, asked: Asked, connected: set[str], until: float, now: float
) -> Iterator[Finding]:
    counted = rows(config.catalog, _SESSIONS)
    sessions = {agent: (count, last) for agent, count, last in counted or ()}
    said = answers(asked, until)
    here = present(config)
    for agent in dict.fromkeys([*here, *sessions]):
        count, last = sessions.get(agent, (0, None))
        known = f"{count:,} session{'s' * (count != 1)}" + (
            f", the last {(now - last) / 86400:.0f} d ago" if last else ""
        )
        version = (
            said.get(AGENTS.load(agent).PROGRAM, "") if agent in AGENTS.names() else ""
        )
        text = f"{agent}{f' ({version})' if version else ''}: {known}"
        if agent in connected:
            yield Finding("agent", "ok", f"{text}, connected")
        elif agent in here:
            yield Finding(
                "agent", "note", f"{text}, not connected", f"afterglow connect {agent}"
            )
        else:
            yield Finding("agent", "ok", text)
    if not here and not sessions:
        yield Finding(
            "agent", "attention", "no agent was found here", "afterglow scan FOLDER"
        )
    elif counted is None:
        yield Finding(
            "agent", "attention", "no session has been scanned yet", "afterglow scan"
        )
    else:
        changed = max(Path(f"{config.catalog}{end}").stat().st_mtime for end in ("", "-wal")
                      if Path(f"{config.catalog}{end}").exists())  # fmt: skip
        yield Finding("agent", "ok", f"the catalogue last changed {ago(now - changed)}")


def _connection(config: Config, connected: tuple[Touched, ...]) -> Iterator[Finding]:
    yield from files(connected)
    tried: set[str] = set()
    for agent, command in hooks(connected).items():
        program = command.partition(" hook ")[0]
        if program not in tried:
            tried.add(program)
            yield from try_hook(config, agent, command)


def _queue(config: Config, now: float) -> Iterator[Finding]:
    found = waiting(config)
    aside = [one for one in found if one.aside]
    if aside:
        text = f"sessions that could not be harvested: {len(aside)}, the last because of {aside[-1].trouble or 'unknown'}"
        yield Finding("queue", "attention", text, "afterglow harvest --queue")
    left = [one for one in found if not one.aside]
    if not left:
        yield Finding("queue", "ok", "no session waits for harvest")
    elif now - left[0].time > RECENT and left[0].ready(now):
        text = f"sessions that wait for harvest: {len(left)}, the first came {ago(now - left[0].time)}"
        yield Finding("queue", "attention", text, "afterglow harvest --queue")
    else:
        yield Finding("queue", "ok", f"sessions that wait for harvest: {len(left)}")


def _log(config: Config, now: float) -> Iterator[Finding]:
    log = log_of(config)
    if why := log.trouble():
        yield Finding(
            "log",
            "attention",
            f"hooks cannot note what goes wrong in {log.path}: {why}; move it away",
        )
        return
    lines = log.recent(LINES)
    for line in lines:
        level: Level = "attention" if now - line.time < RECENT else "note"
        yield Finding(
            "log",
            level,
            f"{ago(now - line.time)}: {line.what}: {line.detail}".rstrip(": "),
        )
    if not lines:
        yield Finding("log", "ok", "hooks have noted no trouble")


def _setup(config: Config) -> Iterator[Finding]:
    backend = config.memory_backend or (
        "honcho, if it answers" if config.honcho.key else "null: nothing is kept"
    )
    yield Finding("setup", "ok", f"memory backend: {backend}")
    there = [
        extra for module, extra in EXTRAS.items() if importlib.util.find_spec(module)
    ]
    missing = [extra for extra in EXTRAS.values() if extra not in there]
    text = f"extras installed: {', '.join(there) or 'none'}" + (
        f"; not: {', '.join(missing)}" if missing else ""
    )
    yield Finding("setup", "ok", text)
    if not Path(importlib.util.cache_from_source(afterglow.__file__)).exists():
        folder = Path(afterglow.__file__).parent
        text = "no compiled bytecode: every hook takes longer to start than it should"
        yield Finding(
            "setup", "note", text, f"{sys.executable} -m compileall -q {folder}"
        )
    if not on_path():
        yield Finding(
            "setup",
            "note",
            "afterglow is not on your PATH; hooks do not need it, plugins and you do",
        )
