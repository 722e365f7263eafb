"""Whether agents still call us: files as we left them, a hook program that runs.

A hook that fails open says nothing, so a connection that does nothing looks like one that works. This tells them apart.
"""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import tempfile
import time
from collections.abc import Collection, Iterator, Sequence
from itertools import dropwhile
from pathlib import Path

import msgspec
from msgspec.structs import replace

from afterglow.config import Config, environment
from afterglow.connect import AGENTS, claude_code, hermes
from afterglow.connect.hook_entries import commands
from afterglow.errors import AfterglowError
from afterglow.flows.connect import ConnectedFile, digest, machine, read_file
from afterglow.records.doctor import CheckupLine

HOOK_SECONDS = 3.0  # for the hook program to answer: four times its own deadline
MAX_ERROR_CHARACTERS = 200  # of what a failing hook program said: one line on a screen

FAILURE_EVENT = "PostToolUse"  # every agent with hooks has it, if any

_VARIABLE = re.compile(r"\w+=")


def unrecorded(config: Config, recorded: Collection[str]) -> list[ConnectedFile]:
    """Agents that were connected by hand or by a plugin: their files name us, and connect has no note of it."""
    files = []
    for name in AGENTS.names():
        if name in recorded:
            continue
        for path in AGENTS.load(name).places(machine(config, name, versions=False)):
            if _holds_us(name, path):
                changed = path.stat().st_mtime
                files.append(
                    ConnectedFile(
                        agent=name, path=str(path), before="-", after="", time=changed
                    )
                )
    return files


def _holds_us(agent: str, path: Path) -> bool:
    try:
        content = read_file(path)
        if content is None:
            return False
        by_plugin = agent == claude_code.NAME and claude_code.by_plugin(content)
        return by_plugin or bool(AGENTS.load(agent).holds(path, content))
    except AfterglowError:
        return False


def connection(
    config: Config, connected: Sequence[ConnectedFile], hook_seconds: float
) -> Iterator[CheckupLine]:
    for file in connected:
        yield _file_finding(file)
    yield from _unnamed_plugins(connected)
    programs: set[str] = set()
    for agent, hooks in _hooks(connected).items():
        if config.hooks.failures and FAILURE_EVENT not in hooks:
            yield _silent_on_failure(agent)
        command = hooks["SessionStart"]
        program = command.partition(" hook ")[0]
        if program not in programs:
            programs.add(program)
            yield _hook_finding(config, agent, command, hook_seconds)


def _file_finding(file: ConnectedFile) -> CheckupLine:
    """Is the file as we left it, or does it at least still hold our parts?"""
    content = read_file(Path(file.path))
    again = f"afterglow connect {file.agent}"
    trouble = f"{file.path} is gone" if content is None else _trouble(file, content)
    if trouble:
        return CheckupLine("connection", "attention", f"{file.agent}: {trouble}", again)
    if digest(content) == file.after:
        text = f"{file.agent}: {file.path} is as it was left"
        return CheckupLine("connection", "ok", text)
    if not file.after:
        return _unrecorded_finding(file, content or b"")
    text = f"{file.agent}: {file.path} was changed since; our parts are still there"
    return CheckupLine("connection", "note", text)


def _trouble(file: ConnectedFile, content: bytes) -> str:
    """Why a file no longer does what it was made for; empty if it does."""
    path = Path(file.path)
    if path.name == "python":
        python = Path(content.decode("utf-8", "replace").strip())
        if not python.exists():
            return f"{path} leads to a Python that is not there any more"
    if claude_code.by_plugin(content) and commands(content, file.path):
        return f"{path} holds our hooks and enables our plugin: every session is told twice"
    content_digest = digest(content)
    if file.after in {"", content_digest}:
        return ""
    if content_digest == file.before:
        return f"{path} no longer names afterglow"
    if b"afterglow" not in content:
        return f"our parts were taken out of {path}"
    return ""


def _unrecorded_finding(file: ConnectedFile, content: bytes) -> CheckupLine:
    text = f"{file.agent}: {file.path} names afterglow"
    if claude_code.by_plugin(content) and not on_path():
        help = "put afterglow on the PATH of Claude Code: its plugin cannot find it"
        return CheckupLine("connection", "attention", text, help)
    return CheckupLine("connection", "ok", text)


def connected_agents(connected: Sequence[ConnectedFile]) -> set[str]:
    """Those that call us: a Hermes none of whose settings names our plugin does not."""
    agents = {file.agent for file in connected}
    settings = _hermes_settings(connected)
    if settings and not any(_holds_us(hermes.NAME, path) for path in settings):
        agents.discard(hermes.NAME)
    return agents


def _hermes_settings(connected: Sequence[ConnectedFile]) -> list[Path]:
    """Those that should name the plugin whose folder lies beside them."""
    homes = {
        Path(file.path).parents[2]
        for file in connected
        if file.agent == hermes.NAME and Path(file.path).name == "plugin.yaml"
    }
    return [home / hermes.SETTINGS for home in sorted(homes)]


def _unnamed_plugins(connected: Sequence[ConnectedFile]) -> Iterator[CheckupLine]:
    """A plugin's folder alone does nothing: Hermes loads only what its settings name."""
    for path in _hermes_settings(connected):
        if not _holds_us(hermes.NAME, path):
            text = f"{hermes.NAME}: {path} does not name our plugin: no session of it gets a context"
            help = f"afterglow connect {hermes.NAME}"
            yield CheckupLine("connection", "attention", text, help)


def _hooks(connected: Sequence[ConnectedFile]) -> dict[str, dict[str, str]]:
    """The command that each agent calls at each event; those that do not call us when a session starts left out."""
    by_agent = {}
    for file in connected:
        if not file.path.endswith(".json"):
            continue
        try:
            hooks = commands(read_file(Path(file.path)) or b"{}", file.path)
        except AfterglowError:
            continue
        if "SessionStart" in hooks:
            by_agent[file.agent] = hooks
    return by_agent


def _silent_on_failure(agent: str) -> CheckupLine:
    text = f"{agent}: no hook after a failed call: an older afterglow connected it, or {agent} is too old for one"
    return CheckupLine("connection", "note", text, f"afterglow connect {agent}")


def _hook_finding(
    config: Config, agent: str, command: str, seconds: float
) -> CheckupLine:
    """Calls the hook as the agent would, with an invented session and an empty home: nothing is noted anywhere."""
    words = list(dropwhile(_VARIABLE.match, shlex.split(command)))
    again = f"afterglow connect {agent}"
    if not Path(words[0]).exists():
        text = f"{agent}: the hook program {words[0]} is not there any more"
        return CheckupLine("connection", "attention", text, again)
    began = time.monotonic()
    try:
        result = _call(config, words, seconds)
    except (OSError, subprocess.TimeoutExpired) as error:
        text = f"{agent}: the hook program does not answer: {error}"
        return CheckupLine("connection", "attention", text, again)
    if result.returncode or not _is_valid(result.stdout):
        last_line = result.stderr.decode("utf-8", "replace").strip().rpartition("\n")[2]
        why = last_line[:MAX_ERROR_CHARACTERS] or "no valid answer"
        text = (
            f"{agent}: the hook program fails with exit code {result.returncode}: {why}"
        )
        return CheckupLine("connection", "attention", text, again)
    milliseconds = 1000 * (time.monotonic() - began)
    text = f"{agent}: the hook program runs ({milliseconds:.0f} ms)"
    return CheckupLine("connection", "ok", text)


def _call(
    config: Config, words: Sequence[str], seconds: float
) -> subprocess.CompletedProcess[bytes]:
    with tempfile.TemporaryDirectory(
        prefix="afterglow-doctor-", ignore_cleanup_errors=True
    ) as folder:
        event = {
            "hook_event_name": "SessionStart",
            "session_id": "doctor",
            "source": "startup",
            "cwd": folder,
        }
        return subprocess.run(
            words,
            input=msgspec.json.encode(event),
            env=environment(replace(config, home=Path(folder))),
            cwd=folder,
            capture_output=True,
            timeout=seconds,
            check=False,
        )


def _is_valid(answer: bytes) -> bool:
    """Nothing, or JSON."""
    try:
        return not answer.strip() or isinstance(msgspec.json.decode(answer), dict)
    except msgspec.DecodeError:
        return False


def on_path() -> bool:
    return shutil.which("afterglow") is not None
