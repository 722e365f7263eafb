"""Variables that are no settings of a home: keys by the names people gave them, and words to programs of others."""

from __future__ import annotations

import os

from afterglow.errors import ConfigError


def key_in(variable: str) -> str:
    """The key that a variable holds: its name may stand on a command line. Empty where none is named."""
    if not variable:
        return ""
    key = os.environ.get(variable, "").strip()
    if not key:
        raise ConfigError(f"{variable} is not set; it should hold the key")
    return key


def admin_token() -> str:
    """With which commands for a hub ask; empty: they ask as the owner of its database."""
    return os.environ.get("AFTERGLOW_HUB_TOKEN", "").strip()


def search_path() -> str:
    """Where programs are looked for."""
    return os.environ.get("PATH", os.defpath)


def ray_keeps_to_itself() -> None:
    """Before Ray starts on this machine: it reports its use to its makers unless told not to. What a person set stays."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")  # it warns else
