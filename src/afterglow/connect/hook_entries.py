"""Our hooks in a file that keeps hooks the way Claude Code does, and Codex after it.

{"hooks": {"SessionStart": [{"matcher": "...", "hooks": [{"type": "command", "command": "...", "timeout": 5}]}]}}
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import PurePath
from typing import Any, NamedTuple

from afterglow.connect.json_text import added, member, parts, removed, root
from afterglow.connect.plan import Machine
from afterglow.errors import ConfigError

Groups = Mapping[str, dict[str, object]]  # event -> the group of hooks to add there
BOM = "\ufeff"

_VARIABLES = re.compile(r"(?:\w+=(?:'[^']*'|[^\s'])*\s+)*")


class HookPlace(NamedTuple):
    """A hook in the text: each number is the place of a bracket or of the part that it holds."""

    event: str
    groups: int
    group: int
    hooks: int
    hook: int
    value: object


class HookWish(NamedTuple):
    """A hook to add: for calls of these tools only (a pattern), if said; `screened` where most events say nothing."""

    event: str
    matcher: str = ""
    screened: bool = False


def hooks_of(
    machine: Machine, agent: str, wishes: Sequence[HookWish], timeout: int
) -> Groups:
    """Our hooks: one for each event, and those that were asked for."""
    if machine.prompt:
        wishes = [*wishes, HookWish("UserPromptSubmit")]
    return {wish.event: _group(machine, agent, wish, timeout) for wish in wishes}


def _group(
    machine: Machine, agent: str, wish: HookWish, timeout: int
) -> dict[str, object]:
    command = f"{machine.command} hook {wish.event} --agent {agent}"
    if wish.screened and machine.screen:
        command = screened(command, machine.screen)
    group: dict[str, object] = {"matcher": wish.matcher} if wish.matcher else {}
    hook = {"type": "command", "command": command, "timeout": timeout}
    return {**group, "hooks": [hook]}


def screened(command: str, screen: str) -> str:
    """Variables stay in front: a shell takes them as such only there."""
    variables = _VARIABLES.match(command)
    end = variables.end() if variables else 0
    return f"{command[:end]}{screen} {command[end:]}"


def with_hooks(content: bytes | None, hooks: Groups, name: str) -> bytes:
    """The file with exactly these hooks of ours. One that has them already stays as it is."""
    if content is None or not content.strip():
        table = {"hooks": {event: [group] for event, group in hooks.items()}}
        return json.dumps(table, indent=2).encode() + b"\n"
    text, bom = _text(content, name)
    if sorted(_ours(text, name), key=_event) == sorted(hooks.items(), key=_event):
        return content
    text = _without(text, name)
    for event, group in hooks.items():
        text = _with(text, event, group, name)
    return (bom + text).encode()


def without_hooks(content: bytes, name: str) -> bytes:
    """The file without any hook of ours; groups, events and the table go with their last hook."""
    if not content.strip():
        return content
    text, bom = _text(content, name)
    return (bom + _without(text, name)).encode()


def commands(content: bytes, name: str) -> dict[str, str]:
    """Our hooks that a file holds: event -> command."""
    text, _ = _text(content, name)
    by_event = {}
    for event, group in _ours(text, name):
        for hook in group["hooks"]:
            by_event[event] = hook["command"]
    return by_event


def is_ours(command: object) -> bool:
    """`.../afterglow hook EVENT` or `python -m afterglow hook EVENT`, whatever stands before it."""
    if not isinstance(command, str) or "afterglow" not in command:
        return False
    try:
        words = shlex.split(command)
    except ValueError:
        return False
    for word, after in pairwise(words):
        program = PurePath(word.replace("\\", "/")).name
        if after == "hook" and program in {"afterglow", "afterglow.exe"}:
            return True
    return False


def _text(content: bytes, name: str) -> tuple[str, str]:
    """The text, and the byte order mark before it."""
    try:
        text = content.decode()
    except UnicodeDecodeError as error:
        raise ConfigError(
            f"{name}, byte {error.start}: not UTF-8; nothing was changed"
        ) from error
    bom = BOM if text.startswith(BOM) else ""
    root(text.removeprefix(bom), name)
    return text.removeprefix(bom), bom


def _ours(text: str, name: str) -> list[tuple[str, dict[str, Any]]]:
    """Our groups as values, each with just our hooks."""
    ours = []
    for event, groups in _events(text, name):
        for part in parts(text, groups):
            group = json.loads(text[part.value : part.end])
            hooks = [hook for hook in hooks_in(group) if is_ours(_command(hook))]
            if hooks:
                ours.append((event, {**group, "hooks": hooks}))
    return ours


def hooks_in(group: object) -> list[object]:
    """None where it is no group of hooks."""
    if not isinstance(group, dict):
        return []
    hooks = group.get("hooks")
    return hooks if isinstance(hooks, list) else []


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
    for place in _places(text, name):
        if not is_ours(_command(place.value)):
            continue
        table = member(text, top, "hooks")
        event = table and member(text, table.value, place.event)
        if table and event:
            return [
                (place.hooks, place.hook),
                (place.groups, place.group),
                (table.value, event.start),
                (top, table.start),
            ]
    return []


def _places(text: str, name: str) -> Iterator[HookPlace]:
    """Every hook of the file, whoever's it is."""
    for event, groups in _events(text, name):
        for group in parts(text, groups):
            if text[group.value] != "{":
                continue
            hooks = member(text, group.value, "hooks")
            if hooks is None or text[hooks.value] != "[":
                continue
            for hook in parts(text, hooks.value):
                value = json.loads(text[hook.value : hook.end])
                yield HookPlace(
                    event, groups, group.start, hooks.value, hook.start, value
                )


def _events(text: str, name: str) -> list[tuple[str, int]]:
    """Each event and where its list begins."""
    table = member(text, root(text, name), "hooks")
    if table is None or text[table.value : table.end] == "null":
        return []
    if text[table.value] != "{":
        raise ConfigError(
            f'{name}: "hooks" is no object; nothing was changed; make it one, or take it out'
        )
    events = {part.key: part for part in parts(text, table.value)}
    for event, part in events.items():
        if text[part.value] != "[":
            raise ConfigError(
                f'{name}: "hooks" has no list at "{event}"; nothing was changed; make it one'
            )
    return [(event, part.value) for event, part in events.items()]


def _with(text: str, event: str, group: dict[str, object], name: str) -> str:
    top = root(text, name)
    table = member(text, top, "hooks")
    if table is None:
        return added(text, top, {event: [group]}, "hooks")
    if text[table.value : table.end] == "null":
        return _with(removed(text, top, table.start), event, group, name)
    events = member(text, table.value, event)
    if events is None:
        return added(text, table.value, [group], event)
    return added(text, events.value, group)


def _event(item: tuple[str, object]) -> str:
    return item[0]


def _command(hook: object) -> object:
    return hook.get("command") if isinstance(hook, dict) else None
