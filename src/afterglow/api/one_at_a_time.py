"""Programs call from many threads, and msgspec reads a half-built type, and ends the process, where two of them decode into
the same kind of record for the first time: so one call at a time."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from threading import RLock
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

ONE_AT_A_TIME = RLock()


def alone(method: Callable[P, T]) -> Callable[P, T]:
    """A method that waits for its turn."""

    @wraps(method)
    def waiting(*words: P.args, **options: P.kwargs) -> T:
        with ONE_AT_A_TIME:
            return method(*words, **options)

    return waiting
