"""The redactor of a home: its rules, the words its owner added, and where the compiled rules are kept."""

from __future__ import annotations

from pathlib import Path

from afterglow.config import Config
from afterglow.text.redact import Redactor


def redactor_of(config: Config) -> Redactor:
    return Redactor(config.names, cache=rules_of(config))


def rules_of(config: Config) -> Path:
    """The folder for what is compiled once; it can be deleted at any time."""
    return config.home / "cache"
