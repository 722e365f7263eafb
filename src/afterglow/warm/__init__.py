"""Warm templates: sessions -> seeds -> templates -> the messages a new session starts with.

What has a cost to import is imported when it is asked for: listing templates needs no miner.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from afterglow.warm.extract import SessionExtractor
    from afterglow.warm.inject import WarmSessionBootstrapper

__all__ = ["SessionExtractor", "WarmSessionBootstrapper"]

_HOMES = {
    "SessionExtractor": "afterglow.warm.extract",
    "WarmSessionBootstrapper": "afterglow.warm.inject",
}


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
