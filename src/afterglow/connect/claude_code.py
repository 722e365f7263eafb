"""Claude Code: hooks in `settings.json` of its folder, or in `.claude/settings.local.json` of one checkout.

https://code.claude.com/docs/en/hooks describes the shape; `timeout` is in seconds. A version before 2.1.101 leaves a
whole settings file aside in which it does not know an event, so it gets none but the oldest ones.

Hooks on calls: one that failed starts a process, and so does one whose result the agent refused. Of calls that ended
well only shell lines are looked at, by a few lines of shell (`hooks/screen.sh`): a matcher cannot tell apart lines that
can hide a failure, `if` has no word for a pipe, and PostToolBatch knows neither.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from afterglow.connect.hook_entries import (
    BOM,
    Groups,
    HookWish,
    hooks_of,
    with_hooks,
    without_hooks,
)
from afterglow.connect.plan import Machine, Plan, Read, edits

NAME, PROGRAM, VERSIONED = "claude-code", "claude", True
TOLERANT = (2, 1, 101)  # from this version on, an event that is not known is ignored
SESSIONS = (HookWish("SessionStart"), HookWish("SessionEnd"), HookWish("Stop"))
SUBAGENTS = (HookWish("SubagentStart"),)
FAILURES = (
    HookWish("PostToolUseFailure"),
    HookWish("PostToolUse", "Bash", screened=True),
    HookWish("PostToolBatch", screened=True),
)
EVENTS = tuple(wish.event for wish in (*SESSIONS, *SUBAGENTS, *FAILURES))
RULES = "PreToolUse"
TIMEOUT = 5  # seconds; our own deadline is far shorter


def folder(user_home: Path, moved: Mapping[str, Path]) -> Path:
    return moved[NAME].parent if NAME in moved else user_home / ".claude"


def places(machine: Machine) -> list[Path]:
    if machine.project:
        return [machine.project / ".claude/settings.local.json"]
    return [machine.folder / "settings.json"]


def plan(machine: Machine, read: Read) -> Plan:
    (path,) = places(machine)
    content = read(path)
    after = with_hooks(content, _hooks(machine), str(path))
    if by_plugin(content) or by_plugin(read(machine.folder / "settings.json")):
        contents = {} if content is None else {path: without_hooks(content, str(path))}
        return Plan(
            edits(read, contents),
            ("the afterglow plugin is enabled and does the same: no hooks are needed",),
        )
    notes: list[str] = []
    if _settings(content).get("disableAllHooks"):
        notes = ["disableAllHooks is set in it: no hook runs until that is taken out"]
    if not _is_tolerant(machine):
        notes.append(
            "only starts and ends are hooked: a line after a failed call needs Claude Code 2.1.101 or newer; "
            "connect again when `claude --version` says so"
        )
    return Plan(edits(read, {path: after}), tuple(notes))


def _hooks(machine: Machine) -> Groups:
    wishes = list(SESSIONS)
    if _is_tolerant(machine):
        wishes += SUBAGENTS
        wishes += FAILURES if machine.failures else ()
    hooks = dict(hooks_of(machine, NAME, wishes, TIMEOUT))
    if _is_tolerant(machine) and machine.rule_commands:
        hooks[RULES] = _rules_group(machine)
    return hooks


def _is_tolerant(machine: Machine) -> bool:
    return machine.version is not None and machine.version >= TOLERANT


def _rules_group(machine: Machine) -> dict[str, object]:
    """One hook a command: `if` keeps every other call from starting a process."""
    command = f"{machine.command} hook {RULES} --agent {NAME} --pretool"
    hook = {"type": "command", "command": command, "timeout": TIMEOUT}
    hooks = [{**hook, "if": f"Bash({name}:*)"} for name in machine.rule_commands]
    return {"matcher": "Bash", "hooks": hooks}


def holds(path: Path, content: bytes) -> bool:
    return without_hooks(content, str(path)) != content


def without(_: Machine, path: Path, content: bytes) -> bytes:
    return without_hooks(content, str(path))


def by_plugin(content: bytes | None) -> bool:
    """Whether these settings enable our plugin, which does without hooks in them."""
    try:
        plugins = _settings(content).get("enabledPlugins")
    except ValueError:
        return False
    if not isinstance(plugins, dict):
        return False
    enabled = [name for name, on in plugins.items() if on]
    return any(name.partition("@")[0] == "afterglow" for name in enabled)


def _settings(content: bytes | None) -> dict[str, object]:
    if not content or not content.strip():
        return {}
    settings = json.loads(content.decode().removeprefix(BOM))
    return settings if isinstance(settings, dict) else {}
