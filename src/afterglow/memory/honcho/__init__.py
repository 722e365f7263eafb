"""Preferences on a Honcho server, in the cloud or one's own. `layout` says how, `client` how to reach it."""

from __future__ import annotations

from afterglow.config import Config
from afterglow.memory.honcho.backend import HonchoBackend, Patience
from afterglow.memory.honcho.client import require
from afterglow.text.redact import Redactor

__all__ = ["HonchoBackend", "Patience", "open_backend"]


def open_backend(settings: Config) -> HonchoBackend:
    require()
    honcho = settings.honcho
    redactor = Redactor(settings.names, cache=settings.cache)
    return HonchoBackend(honcho.key, honcho.url, honcho.workspace, redactor=redactor)
