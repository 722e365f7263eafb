"""Name -> module tables: how a variant (a session format, later a backend or a miner) is found and loaded on use.

Other packages add rows by entry point; a name of ours cannot be taken over.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib import import_module
from typing import Any


class Table:
    """Rows are `name -> "package.module"`; a module is imported when its row is first used."""

    def __init__(self, group: str, rows: dict[str, str]) -> None:
        self.group = group
        self.rows = rows
        self._loaded: dict[str, Any] = {}

    def __iter__(self) -> Iterator[str]:
        """Our names first: whoever stops at one of them does not look for those of other packages."""
        yield from self.rows
        yield from (name for name in _entry_points(self.group) if name not in self.rows)

    def __contains__(self, name: str) -> bool:
        return name in self.rows or name in _entry_points(self.group)

    def names(self) -> list[str]:
        return list(self)

    def load(self, name: str) -> Any:
        if name not in self._loaded:
            self._loaded[name] = self._load(name)
        return self._loaded[name]

    def _load(self, name: str) -> Any:
        if name in self.rows:
            return import_module(self.rows[name])
        found = _entry_points(self.group)
        if name in found:
            return found[name].load()
        raise KeyError(
            f"no {self.group} named {name!r}; there are {', '.join(self.names())}"
        )


def exports(package: str, names: Mapping[str, str]) -> Callable[[str], Any]:
    """The `__getattr__` of a package that is a door: `module -> "name name"`, each module imported when one of its
    names is first asked for. Commands start at once, whatever else lies behind the same door."""
    homes = {
        name: f"{package}.{module}"
        for module, listed in names.items()
        for name in listed.split()
    }

    def load(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(homes[name]), name)
        setattr(sys.modules[package], name, value)
        return value

    return load


@cache
def _entry_points(group: str) -> dict[str, Any]:
    from importlib.metadata import entry_points

    return {point.name: point for point in entry_points(group=group)}
