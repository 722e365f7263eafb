"""Result files by name, and the values in them by address: `loop:plans.moments.tasks`.

An address is a file, a colon, and keys with dots between. An entry of a list is named by its place (`[0]`) or by what
stands in it (`[outcome=success,arm=both]`; of a row, in its columns: `[0=whole template]`). What is not there is an
error: a paper has no blanks.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

_STEP = re.compile(r"\[([^\]]*)\]|([^.\[\]]+)")


class MissingNumber(LookupError):
    """The manuscript asks for a number that no result file has."""


class ResultFile(NamedTuple):
    """What was computed, by which command, and where that can be read up."""

    command: str
    what: str
    result: Any


class Results:
    def __init__(self, files: Mapping[str, ResultFile]) -> None:
        self.files = dict(files)

    def value(self, address: str) -> Any:
        name, colon, keys = address.partition(":")
        if not colon or name not in self.files:
            raise MissingNumber(
                f"{address}: no result file {name!r}; there are {sorted(self.files)}"
            )
        value = self.files[name].result
        for step in _STEP.finditer(keys):
            value = _down(value, step, address)
        return value

    def has(self, address: str) -> bool:
        try:
            return self.value(address) is not None
        except MissingNumber:
            return False


def read(folder: Path) -> Results:
    """The files of a folder; each says by which command it was made."""
    files = {}
    for path in sorted(folder.glob("*.json")):
        content = json.loads(path.read_text(encoding="utf-8"))
        files[path.stem] = ResultFile(**content)
    return Results(files)


def _down(value: Any, step: re.Match[str], address: str) -> Any:
    inside, key = step.groups()
    if key is not None:
        if isinstance(value, Mapping) and key in value:
            return value[key]
        keys = sorted(value) if isinstance(value, Mapping) else "no keys"
        raise MissingNumber(f"{address}: no {key!r} there; there are {keys}")
    if not isinstance(value, list):
        raise MissingNumber(f"{address}: [{inside}] asks for a list")
    if inside.isdigit():
        if int(inside) < len(value):
            return value[int(inside)]
        raise MissingNumber(f"{address}: the list has {len(value)} entries")
    fields = dict(field.split("=", 1) for field in inside.split(","))
    matching = [
        entry
        for entry in value
        if all(_field(entry, name) == text for name, text in fields.items())
    ]
    if len(matching) != 1:
        raise MissingNumber(f"{address}: {len(matching)} entries have {inside}")
    return matching[0]


def _field(entry: Any, name: str) -> str:
    """What stands under a key; of a row, in a column."""
    if isinstance(entry, list):
        return str(entry[int(name)])
    return str(entry.get(name))
