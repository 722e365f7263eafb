"""`config.toml` read and checked: tables and keys that do not exist are errors, since what is misspelt would do nothing."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeVar

from msgspec import Struct, ValidationError, convert

from afterglow.errors import ConfigError
from afterglow.records.settings import EXAMPLES, TABLES

TableT = TypeVar("TableT", bound=Struct)


class ConfigFile:
    """The file as tables; `path` is for its errors."""

    def __init__(self, path: Path, text: str) -> None:
        self.path = path
        self.tables: dict[str, dict[str, Any]] = {}
        for name, table in _parsed(path, text).items():
            if name not in TABLES:
                raise ConfigError(
                    f"{path}: there is no table [{name}]; {_there_are(name, list(TABLES))}"
                )
            if not isinstance(table, dict):
                raise self.error(name, f"must be a table; {EXAMPLES[name]}")
            self.tables[name] = table

    def table(self, name: str, kind: type[TableT]) -> TableT:
        table, names = self.tables.get(name, {}), kind.__struct_encode_fields__
        for key in table:
            if key not in names:
                choices = _there_are(key, names)
                raise self.error(name, f"there is no key {key}; {choices}")
        try:
            return convert(table, kind)
        except ValidationError as error:
            raise self.error(name, f"{_in_words(error)}; {EXAMPLES[name]}") from error

    def repos(self) -> dict[str, str]:
        """Any key is an alias there."""
        aliases = self.tables.get("repos", {})
        for alias, name in aliases.items():
            if not isinstance(name, str):
                problem = f"{alias}: Expected `str`, got `{type(name).__name__}`"
                raise self.error("repos", f"{problem}; {EXAMPLES['repos']}")
        return aliases

    def error(self, table: str, problem: str) -> ConfigError:
        return ConfigError(f"{self.path}: [{table}] {problem}")


def _there_are(misspelt: str, names: Sequence[str]) -> str:
    from difflib import get_close_matches  # on use: hooks are waited for

    choices = f"there are {', '.join(names)}"
    nearest = get_close_matches(misspelt, names, n=1)
    return f"did you mean {nearest[0]}? {choices}" if nearest else choices


def _in_words(error: ValidationError) -> str:
    """`paths: Expected ...` from msgspec's `Expected ... - at $.paths`."""
    problem, _, place = str(error).partition(" - at `$")
    key = place.rstrip("`").lstrip(".")
    return f"{key}: {problem}" if key else problem


def text_of(path: Path) -> str:
    if not path.exists():
        return ""
    if not path.is_file():
        raise ConfigError(f"{path} is not a file")
    try:
        return path.read_bytes().decode("utf-8")
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: {error}") from error


def _parsed(path: Path, text: str) -> dict[str, object]:
    if not text:
        return {}
    import tomllib  # on use: most homes have no such file, and hooks are waited for

    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{path}: {error}") from error
