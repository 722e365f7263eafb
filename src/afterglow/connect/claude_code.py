"""Claude Code: hooks in `settings.json` of its folder, or in `.claude/settings.local.json` of one checkout.

https://code.claude.com/docs/en/hooks describes the shape; `timeout` is in seconds.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from afterglow.connect.hook_entries import BOM, hooks_of, with_hooks, without_hooks
from afterglow.connect.plan import Machine, Plan, Read, edits

NAME, PROGRAM, VERSIONED = "claude-code", "claude", False
EVENTS = ("SessionStart", "SessionEnd", "Stop")
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
    hooks = hooks_of(machine, NAME, EVENTS, TIMEOUT)
    after = with_hooks(content, hooks, str(path))
    if by_plugin(content) or by_plugin(read(machine.folder / "settings.json")):
        contents = {} if content is None else {path: without_hooks(content, str(path))}
        return Plan(
            edits(read, contents),
            ("the afterglow plugin is enabled and does the same: no hooks are needed",),
        )
    notes: tuple[str, ...] = ()
    if _settings(content).get("disableAllHooks"):
        notes = ("disableAllHooks is set in it: no hook runs until that is taken out",)
    return Plan(edits(read, {path: after}), notes)


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
