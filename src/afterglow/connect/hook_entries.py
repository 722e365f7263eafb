"""Our hooks in a file that keeps hooks the way Claude Code does, and Codex after it.

{"hooks": {"SessionStart": [{"matcher": "...", "hooks": [{"type": "command", "command": "...", "timeout": 5}]}]}}
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import PurePath
from typing import Any

from afterglow.connect.json_text import added, member, parts, removed, root
from afterglow.connect.plan import Machine
from afterglow.errors import ConfigError

Groups = Mapping[str, dict[str, object]]  # event -> the group of hooks to add there
BOM = "\ufeff"


def hooks_of(
    machine: Machine, agent: str, events: Sequence[str], timeout: int
) -> Groups:
    """Our hooks: one for each event, and those that were asked for."""
    hooks: dict[str, dict[str, object]] = {}
    for event in (
        *events,
        *("UserPromptSubmit",) * machine.prompt,
        *("PreToolUse",) * machine.hints,
    ):
        command = f"{machine.command} hook {event} --agent {agent}" + " --pretool" * (
            event == "PreToolUse"
        )
        matcher = {"matcher": "Bash"} if event == "PreToolUse" else {}
        hooks[event] = {
            **matcher,
            "hooks": [{"type": "command", "command": command, "timeout": timeout}],
        }
    return hooks


def with_hooks(data: bytes | None, wanted: Groups, name: str) -> bytes:
    """The file with exactly these hooks of ours. One that has them already stays as it is."""
    if data is None or not data.strip():
        return (
            json.dumps(
                {"hooks": {event: [one] for event, one in wanted.items()}}, indent=2
            ).encode()
            + b"\n"
        )
    text, mark = _text(data, name)
    if sorted(_ours(text, name), key=_event) == sorted(wanted.items(), key=_event):
        return data
    text = _without(text, name)
    for event, one in wanted.items():
        text = _with(text, event, one, name)
    return (mark + text).encode()


def without_hooks(data: bytes, name: str) -> bytes:
    """The file without any hook of ours; groups, events and the table go with their last hook."""
    if not data.strip():
        return data
    text, mark = _text(data, name)
    return (mark + _without(text, name)).encode()


def commands(data: bytes, name: str) -> dict[str, str]:
    """Our hooks that a file holds: event -> command."""
    text, _ = _text(data, name)
    return {
        event: hook["command"]
        for event, one in _ours(text, name)
        for hook in one["hooks"]
    }


def is_ours(command: object) -> bool:
    """`.../afterglow hook EVENT` or `python -m afterglow hook EVENT`, whatever stands before it."""
    if not isinstance(command, str) or "afterglow" not in command:
        return False
    try:
        words = shlex.split(command)
    except ValueError:
        return False
    return any(
        PurePath(word.replace("\\", "/")).name in {"afterglow", "afterglow.exe"}
        and after == "hook"
        for word, after in pairwise(words)
    )


def _text(data: bytes, name: str) -> tuple[str, str]:
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        raise ConfigError(
            f"{name}, byte {error.start}: not UTF-8; nothing was changed"
        ) from error
    mark = BOM if text.startswith(BOM) else ""
    root(text.removeprefix(mark), name)
    return text.removeprefix(mark), mark


def _ours(text: str, name: str) -> list[tuple[str, dict[str, Any]]]:
    """Our groups as values, each with just our hooks."""
    found = []
    for event, groups in _events(text, name):
        for one in parts(text, groups):
            said = json.loads(text[one.value : one.end])
            hooks = (
                [hook for hook in said.get("hooks") or () if is_ours(_command(hook))]
                if _is_group(said)
                else []
            )
            if hooks:
                found.append((event, {**said, "hooks": hooks}))
    return found


def _without(text: str, name: str) -> str:
    """Takes out our hooks one by one, and what has become empty by that."""
    while place := _first(text, name):
        for container, start in place:
            text = removed(text, container, start)
            if parts(text, container):
                break
    return text


def _first(text: str, name: str) -> list[tuple[int, int]]:
    """One hook of ours: where it stands, from inside to outside, as places of container and part."""
    top = root(text, name)
    for event, groups in _events(text, name):
        for one in parts(text, groups):
            inner = member(text, one.value, "hooks") if text[one.value] == "{" else None
            for hook in (
                parts(text, inner.value) if inner and text[inner.value] == "[" else ()
            ):
                if inner and is_ours(_command(json.loads(text[hook.value : hook.end]))):
                    table = member(text, top, "hooks")
                    events = table and member(text, table.value, event)
                    if table and events:
                        return [
                            (inner.value, hook.start), (groups, one.start), (table.value, events.start),
                            (top, table.start),
                        ]  # fmt: skip
    return []


def _events(text: str, name: str) -> list[tuple[str, int]]:
    """Each event and where its list begins."""
    table = member(text, root(text, name), "hooks")
    if table is None or text[table.value : table.end] == "null":
        return []
    if text[table.value] != "{":
        raise ConfigError(
            f'{name}: "hooks" is no object; nothing was changed; make it one, or take it out'
        )
    found = {part.key: part for part in parts(text, table.value)}
    for event, part in found.items():
        if text[part.value] != "[":
            raise ConfigError(
                f'{name}: "hooks" has no list at "{event}"; nothing was changed; make it one'
            )
    return [(event, part.value) for event, part in found.items()]


def _with(text: str, event: str, one: dict[str, object], name: str) -> str:
    top = root(text, name)
    table = member(text, top, "hooks")
    if table is None:
        return added(text, top, {event: [one]}, "hooks")
    if text[table.value : table.end] == "null":
        return _with(removed(text, top, table.start), event, one, name)
    events = member(text, table.value, event)
    return (
        added(text, table.value, [one], event)
        if events is None
        else added(text, events.value, one)
    )


def _event(one: tuple[str, object]) -> str:
    return one[0]


def _is_group(said: object) -> bool:
    return isinstance(said, dict) and isinstance(said.get("hooks"), list)


def _command(hook: object) -> object:
    return hook.get("command") if isinstance(hook, dict) else None
