"""Codex CLI: hooks where the version has them, else a section in its AGENTS.md.

    before 0.114     no hooks: AGENTS.md tells the agent to ask us at the start of a task
    0.114 to 0.123   `hooks.json`, if `config.toml` says `[features] codex_hooks = true`
    from 0.124       `hooks.json`, on by default (`[features] hooks = false` turns hooks off)
    from 0.145       also a SessionEnd event, which may take 3 seconds at most

Codex refuses a whole `hooks.json` with a key it does not know, and runs no hook that a person has not trusted.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from afterglow.connect.block import block, put, take_out
from afterglow.connect.hook_entries import (
    BOM,
    Groups,
    hooks_of,
    with_hooks,
    without_hooks,
)
from afterglow.connect.plan import Machine, Plan, Read, edits
from afterglow.errors import ConfigError

NAME, PROGRAM, VERSIONED = "codex", "codex", True
HOOKS, STABLE, SESSION_END = (0, 114), (0, 124), (0, 145)
TIMEOUT = 3
TRUST = "Codex runs new hooks only after you trusted them: start codex and type /hooks"

_MINE = "  # set by afterglow"
_HEADER = re.compile(r"^\[features\][ \t]*(?:#[^\r\n]*)?\r?$", re.MULTILINE)


def folder(user_home: Path, moved: Mapping[str, Path]) -> Path:
    return moved.get(NAME, user_home / ".codex")


def places(machine: Machine) -> list[Path]:
    if machine.project:
        return [machine.project / ".codex/hooks.json"]
    return [
        machine.folder / name for name in ("hooks.json", "config.toml", "AGENTS.md")
    ]


def plan(machine: Machine, read: Read) -> Plan:
    """A version that could not be told is taken for one without hooks, unless it keeps a `hooks.json` already."""
    hooks = places(machine)[0]
    version = machine.version
    if version is None and read(hooks) is not None:
        version = STABLE
    if version is None or version < HOOKS:
        return _instructions(
            machine,
            read,
            "its version is not known" if version is None else "it is older than 0.114",
        )
    wanted = {hooks: with_hooks(read(hooks), _hooks(machine, version), str(hooks))}
    asking = machine.folder / "AGENTS.md"
    if not machine.project and (
        text := read(asking)
    ):  # an older version was told there to ask us
        wanted[asking] = take_out(text, str(asking))
    settings = machine.folder / "config.toml"
    said, features = _features(read(settings) or b"", str(settings))
    flags = [features.get(name) for name in ("hooks", "codex_hooks")]
    notes: tuple[str, ...] = (TRUST,)
    if strange := set(json.loads(wanted[hooks].decode().removeprefix(BOM))) - {
        "hooks",
        "description",
    }:
        notes = (
            f"Codex ignores {hooks} because of keys it does not know: {', '.join(sorted(strange))}",
            *notes,
        )
    if False in flags:
        notes = (
            f"{settings} turns hooks off under [features]: no hook runs until that is taken out",
            *notes,
        )
    elif version < STABLE and True not in flags:
        if machine.project:
            notes = (
                f"{settings} must say `codex_hooks = true` under [features]",
                *notes,
            )
        else:
            wanted[settings] = _flagged(said, features, str(settings)).encode()
    return Plan(edits(read, wanted), notes)


def without(path: Path, data: bytes) -> bytes:
    if path.name == "hooks.json":
        return without_hooks(data, str(path))
    if path.name == "AGENTS.md":
        return take_out(data, str(path))
    kept = data.decode("utf-8", "surrogateescape").splitlines(keepends=True)
    return "".join(
        line for line in kept if not line.rstrip().endswith(_MINE.strip())
    ).encode("utf-8", "surrogateescape")


def _hooks(machine: Machine, version: tuple[int, ...]) -> Groups:
    events = (
        "SessionStart",
        "Stop",
        *(("SessionEnd",) if version >= SESSION_END else ()),
    )
    return hooks_of(machine, NAME, events, TIMEOUT)


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
    after = put(
        read(path) or b"", block(body, "(kept by `afterglow connect codex`)"), str(path)
    )
    notes = [
        f"{why}, so hooks were not used: AGENTS.md asks the agent to fetch its context; harvest by hand or by cron"
    ]
    if read(machine.folder / "AGENTS.override.md") is not None:
        notes.append("AGENTS.override.md hides AGENTS.md from Codex")
    return Plan(edits(read, {path: after}), tuple(notes))


def _features(data: bytes, name: str) -> tuple[str, dict[str, Any]]:
    try:
        text = data.decode()
        features = tomllib.loads(text).get("features", {})
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ConfigError(f"{name}: {error}; nothing was changed") from error
    return text, features if isinstance(features, dict) else {}


def _flagged(text: str, features: dict[str, Any], name: str) -> str:
    """The settings with hooks turned on. That nothing else changed is checked, for a header may stand in a string."""
    line = "\r\n" if "\r\n" in text else "\n"
    flag = f"codex_hooks = true{_MINE}{line}"
    if header := _HEADER.search(text):
        end = text.find("\n", header.start()) + 1 or len(text)
        head = text[:end] if text[:end].endswith("\n") else text[:end] + line
        after = head + flag + text[end:]
    else:
        gap = "" if not text else line if text.endswith("\n") else line * 2
        after = f"{text}{gap}[features]{_MINE}{line}{flag}"
    try:
        same = tomllib.loads(after) == {
            **tomllib.loads(text),
            "features": {**features, "codex_hooks": True},
        }
    except tomllib.TOMLDecodeError:
        same = False
    if not same:
        raise ConfigError(
            f"{name}: cannot tell where [features] is; write `codex_hooks = true` there, then connect again"
        )
    return after
