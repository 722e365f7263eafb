"""Hermes Agent: our plugin, named in `plugins.enabled` of its `config.yaml`.

Where its own Python has this package, the plugin is found by entry point. Where not, a small folder in `plugins/` leads
to this installation.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from afterglow.connect.plan import Machine, Plan, Read, edits
from afterglow.connect.yaml_list import disabled, enabled, names
from afterglow.errors import ConfigError, Unsupported

NAME, PROGRAM, VERSIONED = "hermes", "hermes", False
PLUGIN = "afterglow"


def folder(user_home: Path, moved: Mapping[str, Path]) -> Path:
    return moved.get(NAME, user_home / ".hermes")


def places(machine: Machine) -> list[Path]:
    below = machine.folder / "plugins" / PLUGIN
    return [machine.folder / "config.yaml", *(below / name for name in machine.plugin)]


def plan(machine: Machine, read: Read) -> Plan:
    if machine.project:
        raise Unsupported(
            "Hermes has no settings of one checkout; connect it without --project"
        )
    path = machine.folder / "config.yaml"
    text = _text(read(path) or b"", path)
    wanted = {} if machine.packaged else {machine.folder / "plugins" / PLUGIN / name: data
                                          for name, data in machine.plugin.items()}  # fmt: skip
    try:
        wanted[path] = enabled(text, PLUGIN).encode()
        off = PLUGIN in names(text, "disabled")
    except Unsupported as error:
        raise Unsupported(
            f"{path}: {error}; nothing was changed; `hermes plugins enable {PLUGIN}` does the same"
        ) from error
    notes = (
        (
            f"`plugins.disabled` names {PLUGIN}: `hermes plugins enable {PLUGIN}` takes it out",
        )
        if off
        else ()
    )
    return Plan(edits(read, wanted), notes)


def without(path: Path, data: bytes) -> bytes:
    if path.name != "config.yaml":
        return b""  # the plugin's folder is ours
    try:
        return disabled(_text(data, path), PLUGIN).encode()
    except Unsupported as error:
        raise Unsupported(
            f"{path}: {error}; `hermes plugins disable {PLUGIN}` does the same"
        ) from error


def _text(data: bytes, path: Path) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise ConfigError(
            f"{path}, byte {error.start}: not UTF-8; nothing was changed"
        ) from error
