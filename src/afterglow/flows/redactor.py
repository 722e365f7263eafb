"""The redactor of a home: its rules, the words its owner added, and where the compiled rules are kept."""

from __future__ import annotations

from afterglow.config import Config
from afterglow.text.redact import Redactor


def redactor_of(config: Config) -> Redactor:
    return Redactor(config.names, cache=config.cache)
