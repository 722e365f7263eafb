"""Every key of `config.toml`: what it means, what holds if nothing is said, what is said, and what may be."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import msgspec
from msgspec import Struct

from afterglow.config import Config
from afterglow.errors import NotFound
from afterglow.flows.settings.settings_file import ConfigText, config_text
from afterglow.flows.settings.toml_values import as_toml, understood
from afterglow.records.settings import TABLES

# How a value is written by a person: yes or no, one of several words, a number, a text, one a line, `name = name` a line,
# or as TOML has it.
Form = Literal["switch", "choice", "number", "text", "lines", "pairs", "toml"]
REPOS = "repos"  # the table whose keys are names
REPOS_MEANING = "Which names and folders are one repository: folder or name = name."


class Setting(Struct, frozen=True, kw_only=True):
    """One key. `value` is what the file says, None where it says nothing; `in_force` is what holds, where a variable of
    the environment goes before the file."""

    name: str
    meaning: str
    form: Form
    default: object = None
    value: object = None
    choices: tuple[str, ...] = ()
    least: float | None = None
    most: float | None = None
    is_whole: bool = False
    in_force: str = ""

    @property
    def key(self) -> str:
        return self.name.partition(".")[2]

    @property
    def is_set(self) -> bool:
        return self.value is not None


# What each table is about, in the words of whoever looks for something in it.
TABLE_TITLES = {
    "scan": "Where sessions are looked for",
    "repos": "What is one repository",
    "redact": "Words that are never kept",
    "privacy": "What is not read, and how long sessions are kept",
    "memory": "Your preferences",
    "people": "Who decides",
    "hooks": "What agents are told, and when",
    "experiment": "The standing experiment",
    "write": "Who writes lessons in the background",
    "model": "A language model",
    "hub": "What your team gets",
}


class SettingsTable(Struct, frozen=True):
    name: str
    title: str
    settings: tuple[Setting, ...]


class SettingsView(Struct, frozen=True):
    """The file, and all that may stand in it."""

    file: ConfigText
    tables: tuple[SettingsTable, ...]

    def setting(self, name: str) -> Setting:
        """By its name. Raises `NotFound` with what is nearest."""
        return _named(self.tables, name)

    def blamed_by(self, problem: str) -> str:
        """The name of the setting that an error speaks of; empty where it speaks of none."""
        for table in self.tables:
            for setting in table.settings:
                place = re.escape(f"[{table.name}] {setting.key}")
                name = re.escape(setting.name)
                if setting.key and re.search(rf"(?:{place}|\b{name})\b", problem):
                    return setting.name
        return ""


def view_settings(config: Config) -> SettingsView:
    """Also of a file that is not understood: then nothing counts as set."""
    file = config_text(config)
    written = (understood(file.text) or {}) if not file.problem else {}
    tables = tuple(_table(config, name, written.get(name, {})) for name in TABLES)
    return SettingsView(file, tables)


def _table(config: Config, name: str, written: Mapping[str, Any]) -> SettingsTable:
    kind = TABLES[name]
    if kind is None:
        pairs = dict(written) or None
        setting = Setting(
            name=name, meaning=REPOS_MEANING, form="pairs", default={}, value=pairs
        )
        return SettingsTable(name, TABLE_TITLES[name], (setting,))
    schema = msgspec.json.schema(kind)["$defs"][kind.__name__]["properties"]
    settings = [
        _setting(f"{name}.{key}", described, written.get(key))
        for key, described in schema.items()
    ]
    in_force = tuple(_with_environment(config, setting) for setting in settings)
    return SettingsTable(name, TABLE_TITLES[name], in_force)


def _setting(name: str, described: Mapping[str, Any], value: object) -> Setting:
    types = [described, *described.get("anyOf", ())]
    number: Mapping[str, Any] = next(
        (each for each in types if each.get("type") in ("integer", "number")), {}
    )
    return Setting(
        name=name,
        meaning=described["description"],
        form=_form(described),
        default=described.get("default"),
        value=value,
        choices=tuple(described.get("enum", ())),
        least=number.get("minimum"),
        most=number.get("maximum"),
        is_whole=number.get("type") == "integer",
    )


_FORMS: dict[str, Form] = {
    "boolean": "switch",
    "integer": "number",
    "number": "number",
    "string": "text",
    "array": "lines",
}


def _form(described: Mapping[str, Any]) -> Form:
    if "enum" in described:
        return "choice"
    kinds = [each.get("type", "object") for each in described.get("anyOf", [described])]
    meant = [kind for kind in kinds if kind != "null"]
    return _FORMS.get(meant[0], "toml") if len(meant) == 1 else "toml"


def _with_environment(config: Config, setting: Setting) -> Setting:
    """Where a variable goes before the file, what holds is not what stands there."""
    in_force = {
        "memory.backend": config.memory_backend,
        "model.local_only": config.model.local_only,
    }.get(setting.name)
    stated = setting.default if setting.value is None else setting.value
    if in_force is None or in_force == stated:
        return setting
    return msgspec.structs.replace(setting, in_force=as_toml(in_force))


def _named(tables: Sequence[SettingsTable], name: str) -> Setting:
    table, _, key = name.partition(".")
    if table == REPOS and key:
        return Setting(name=name, meaning=REPOS_MEANING, form="text")
    settings = {each.name: each for table in tables for each in table.settings}
    if name in settings:
        return settings[name]
    from difflib import get_close_matches

    nearest = get_close_matches(name, settings, n=1)
    hint = f"did you mean {nearest[0]}? " if nearest else ""
    raise NotFound(
        f"there is no setting {name}; {hint}`afterglow config show` lists them"
    )
