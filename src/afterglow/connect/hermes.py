"""Hermes Agent: our plugin, named in `plugins.enabled` of its `config.yaml`.

Where its own Python has this package, the plugin is found by entry point. Where not, a small folder in `plugins/` leads
to this installation.

The YAML is written by Hermes itself (`hermes plugins enable`), on a copy in a throw-away home: the command drops
comments, and starts anew from a file it cannot parse, so what it made is looked at before it takes the place of a
person's settings. Where there is no such program, a person is told the lines to add.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from afterglow.connect.plan import Machine, OwnCommand, Plan, Read, edits
from afterglow.errors import ConfigError, Unsupported

NAME, PROGRAM, VERSIONED = "hermes", "hermes", False
PLUGIN = "afterglow"
SETTINGS = "config.yaml"
ENABLE = ("plugins", "enable", PLUGIN, "--no-allow-tool-override")
DISABLE = ("plugins", "disable", PLUGIN)
BY_HAND = "take it out of `plugins.enabled` by hand, then disconnect again"
CORRUPT = f"{SETTINGS}.corrupt"  # the copy Hermes makes of a file it cannot parse

_SECTION = re.compile(r"^plugins:(?P<section>.*\n(?:[ \t#].*\n|-.*\n|\n)*)", re.M)
_BLOCK_NAME = re.compile(r"^[ \t]*-[ \t]+[\"']?([^\"'\s#]+)", re.M)
_COMMENT = re.compile(r"(?:^|\s)#")


def folder(user_home: Path, moved: Mapping[str, Path]) -> Path:
    return moved.get(NAME, user_home / ".hermes")


def places(machine: Machine) -> list[Path]:
    below = machine.folder / "plugins" / PLUGIN
    return [machine.folder / SETTINGS, *(below / name for name in machine.plugin)]


def plan(machine: Machine, read: Read) -> Plan:
    if machine.project:
        raise Unsupported(
            "Hermes has no settings of one checkout; connect it without --project"
        )
    path = machine.folder / SETTINGS
    before = read(path) or b""
    contents = _plugin_folder(machine)
    if is_enabled(_text(before, path)):
        return Plan(edits(read, contents))
    if machine.own_command is None:
        folder_edits = edits(read, contents)
        if not folder_edits:
            raise Unsupported(f"all that is left is yours to do: {lines_to_add(path)}")
        return Plan(folder_edits, (lines_to_add(path),))
    try:
        after = _rewritten(machine, machine.own_command, ENABLE, path, before)
    except Unsupported as error:
        raise Unsupported(f"{error}; {lines_to_add(path)}") from error
    if not is_enabled(_text(after, path)):
        raise Unsupported(
            f"`hermes {' '.join(ENABLE)}` did not add {PLUGIN} to {path}; nothing was changed; {lines_to_add(path)}"
        )
    contents[path] = after
    notes: tuple[str, ...] = ()
    if _COMMENT.search(before.decode()):
        notes = (
            f"Hermes writes {path} anew, without your comments; `afterglow disconnect {NAME}` brings them back",
        )
    return Plan(edits(read, contents), notes)


def holds(path: Path, content: bytes) -> bool:
    """The plugin's folder is ours."""
    return path.name != SETTINGS or PLUGIN in _listed(_text(content, path), "enabled")


def without(machine: Machine, path: Path, content: bytes) -> bytes:
    if path.name != SETTINGS:
        return b""
    if not holds(path, content):
        return content
    if machine.own_command is None:
        raise Unsupported(
            f"{path} was changed since and there is no program `{PROGRAM}` to take {PLUGIN} out of it; {BY_HAND}"
        )
    try:
        return _rewritten(machine, machine.own_command, DISABLE, path, content)
    except Unsupported as error:
        raise Unsupported(f"{error}; {BY_HAND}") from error


def is_enabled(text: str) -> bool:
    """Whether Hermes loads our plugin: what is disabled is not, whatever else says so."""
    if PLUGIN in _listed(text, "disabled"):
        return False
    return PLUGIN in _listed(text, "enabled")


def lines_to_add(path: Path) -> str:
    return (
        f"add to {path} (and take {PLUGIN} out of `plugins.disabled`, if it is there):\n\n"
        f"    plugins:\n      enabled:\n        - {PLUGIN}\n"
    )


def _plugin_folder(machine: Machine) -> dict[Path, bytes]:
    below = machine.folder / "plugins" / PLUGIN
    if machine.packaged:
        return {}
    return {below / name: content for name, content in machine.plugin.items()}


def _rewritten(
    machine: Machine,
    own_command: OwnCommand,
    words: tuple[str, ...],
    path: Path,
    content: bytes,
) -> bytes:
    """The settings as Hermes' own command leaves them."""
    files = {f"plugins/{PLUGIN}/{name}": held for name, held in machine.plugin.items()}
    if content:
        files[SETTINGS] = content
    after = own_command(words, files)
    if any(name.startswith(CORRUPT) for name in after):
        raise ConfigError(
            f"{path}: Hermes cannot read it as YAML; nothing was changed; mend it, then try again"
        )
    return after.get(SETTINGS, b"")


def _listed(text: str, key: str) -> set[str]:
    """The names in `plugins: KEY:`, as a block or on one line; none where it is written in a way that occurs seldom."""
    plugins = _SECTION.search(text.replace("\r\n", "\n") + "\n")
    if plugins is None:
        return set()
    section = plugins["section"]
    on_one_line = re.search(rf"\b{key}[\"']?:[ \t]*\[([^\]]*)\]", section)
    if on_one_line:
        return {name.strip(" \t\n\"'") for name in on_one_line[1].split(",")}
    block = re.search(
        rf"^([ \t]+){key}:[ \t]*(?:#.*)?\n((?:\1[ \t]*-.*\n|[ \t]*#.*\n|\n)*)",
        section,
        re.M,
    )
    return set(_BLOCK_NAME.findall(block[2])) if block else set()


def _text(content: bytes, path: Path) -> str:
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        raise ConfigError(
            f"{path}, byte {error.start}: not UTF-8; nothing was changed"
        ) from error
