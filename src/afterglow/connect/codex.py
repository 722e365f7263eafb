"""Codex CLI: hooks where the version has them, else a section in its AGENTS.md.

    before 0.114     no hooks: AGENTS.md tells the agent to ask us at the start of a task
    0.114 to 0.123   `hooks.json`, if `config.toml` says `[features] codex_hooks = true`: a person is told to add it
    from 0.124       `hooks.json`, on by default (`[features] hooks = false` turns hooks off), with PostToolUse
    from 0.145       also a SessionEnd event, which may take 3 seconds at most, and SubagentStart

Codex refuses a whole `hooks.json` with a key it does not know, and runs no hook that a person has not trusted.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from afterglow.connect.block import block, put, take_out
from afterglow.connect.hook_entries import (
    BOM,
    Groups,
    HookWish,
    hooks_of,
    with_hooks,
    without_hooks,
)
from afterglow.connect.plan import Machine, Plan, Read, edits
from afterglow.errors import ConfigError

NAME, PROGRAM, VERSIONED = "codex", "codex", True
HOOKS, HOOKS_ON, SESSION_END = (0, 114), (0, 124), (0, 145)  # versions, as above
TIMEOUT = 3  # seconds: the most that Codex grants a SessionEnd hook
KEYS = {"hooks", "description"}  # all that Codex knows in hooks.json
TRUST = "Codex runs new hooks only after you trusted them: start codex and type /hooks"


def folder(user_home: Path, moved: Mapping[str, Path]) -> Path:
    return moved.get(NAME, user_home / ".codex")


def places(machine: Machine) -> list[Path]:
    if machine.project:
        return [machine.project / ".codex/hooks.json"]
    return [machine.folder / name for name in ("hooks.json", "AGENTS.md")]


def plan(machine: Machine, read: Read) -> Plan:
    """A version that could not be told is taken for one without hooks, unless it keeps a `hooks.json` already."""
    path = places(machine)[0]
    version = machine.version
    if version is None and read(path) is not None:
        version = HOOKS_ON
    if version is None:
        return _instructions(machine, read, "its version is not known")
    if version < HOOKS:
        return _instructions(machine, read, "it is older than 0.114")
    hooks = with_hooks(read(path), _hooks(machine, version), str(path))
    contents = {path: hooks}
    instructions = machine.folder / "AGENTS.md"
    text = None if machine.project else read(instructions)
    if text:  # an older version was told there to ask us
        contents[instructions] = take_out(text, str(instructions))
    notes = [
        *_switch_notes(machine.folder / "config.toml", read, version),
        *_key_notes(path, hooks),
        TRUST,
    ]
    return Plan(edits(read, contents), tuple(notes))


def holds(path: Path, content: bytes) -> bool:
    return _without(path, content) != content


def without(_: Machine, path: Path, content: bytes) -> bytes:
    return _without(path, content)


def _without(path: Path, content: bytes) -> bytes:
    if path.name == "hooks.json":
        return without_hooks(content, str(path))
    if path.name == "AGENTS.md":
        return take_out(content, str(path))
    return content


def _hooks(machine: Machine, version: tuple[int, ...]) -> Groups:
    """No failure is told apart there, so every shell call that ended is looked at."""
    wishes = [HookWish("SessionStart"), HookWish("Stop")]
    if version >= SESSION_END:
        wishes += [HookWish("SessionEnd"), HookWish("SubagentStart")]
    if machine.failures and version >= HOOKS_ON:
        wishes.append(HookWish("PostToolUse", "Bash|apply_patch"))
    return hooks_of(machine, NAME, wishes, TIMEOUT)


def _switch_notes(path: Path, read: Read, version: tuple[int, ...]) -> list[str]:
    """What `config.toml` must say, or must not, for hooks to run."""
    features = _features(read(path) or b"", str(path))
    switches = [features.get(name) for name in ("hooks", "codex_hooks")]
    if False in switches:
        return [
            f"{path} turns hooks off under [features]: no hook runs until that is taken out"
        ]
    if version < HOOKS_ON and True not in switches:
        return [
            f"Codex before 0.124 runs hooks only if {path} says so; add:\n\n    [features]\n    codex_hooks = true\n"
        ]
    return []


def _key_notes(path: Path, hooks: bytes) -> list[str]:
    unknown_keys = set(json.loads(hooks.decode().removeprefix(BOM))) - KEYS
    if not unknown_keys:
        return []
    names = ", ".join(sorted(unknown_keys))
    return [f"Codex ignores {path} because of keys it does not know: {names}"]


def _instructions(machine: Machine, read: Read, why: str) -> Plan:
    """Asked for by the agent itself, so every session gets a context of its own, with an id of its own."""
    if machine.project:
        note = f"hooks need Codex 0.114 or newer ({why}); `afterglow context --write AGENTS.md` works with any"
        return Plan(notes=(note,))
    path = machine.folder / "AGENTS.md"
    body = (
        "Before the first step of a task, run this once and read what it prints (what earlier sessions here taught; it "
        f"may print nothing):\n\n    {machine.command} bootstrap --agent {NAME}"
    )
    section = block(body, "(kept by `afterglow connect codex`)")
    after = put(read(path) or b"", section, str(path))
    notes = [
        f"{why}, so hooks were not used: AGENTS.md asks the agent to fetch its context; harvest by hand or by cron"
    ]
    if read(machine.folder / "AGENTS.override.md") is not None:
        notes.append("AGENTS.override.md hides AGENTS.md from Codex")
    return Plan(edits(read, {path: after}), tuple(notes))


def _features(content: bytes, name: str) -> dict[str, Any]:
    try:
        features = tomllib.loads(content.decode()).get("features", {})
    except UnicodeDecodeError as error:
        raise ConfigError(
            f"{name}, byte {error.start}: not UTF-8; nothing was changed"
        ) from error
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{name}: {error}; nothing was changed") from error
    return features if isinstance(features, dict) else {}
