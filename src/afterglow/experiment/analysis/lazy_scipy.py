"""The statistics libraries, imported when something is computed: they take a second, and not everyone has them."""

from __future__ import annotations

from functools import cache
from typing import Any

from afterglow.errors import Unsupported


def numpy() -> Any:
    return _load("numpy")


def stats() -> Any:
    return _load("scipy.stats")


@cache
def _load(name: str) -> Any:
    from importlib import import_module

    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        raise Unsupported(
            "analysing an experiment needs scipy: pip install 'afterglow-agents[stats]'"
        ) from error
