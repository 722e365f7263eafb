"""The redactor of a home: its rules, the words its owner added, and where the compiled rules are kept."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from afterglow.config import Config
from afterglow.text.redact import Redactor


def redactor_of(config: Config) -> Redactor:
    return redactor_with(config.names, config.cache)


@lru_cache(maxsize=4)  # rules are loaded with the first text, and take their time
def redactor_with(names: tuple[str, ...], cache: Path) -> Redactor:
    return Redactor(names, cache=cache)
