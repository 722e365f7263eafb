"""Spreads work on many sessions over workers: the one place where an engine is chosen.

The function that is done to each piece is the same for every engine, and so is what comes of it. Add an engine: one
module with `spread` and `in_use`, one line in the table.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import Protocol, TypeVar, cast

from afterglow.errors import UsageError
from afterglow.records.engine import LOCAL, Engine
from afterglow.registry import Table

Work = TypeVar("Work")
Found = TypeVar("Found")

ENGINES = Table(
    "afterglow.engines",
    {
        "local": "afterglow.flows.local_processes",
        "ray": "afterglow.flows.ray_cluster",
    },
)


class EngineModule(Protocol):
    def spread(
        self,
        function: Callable[[Work], Found],
        waiting: deque[Work],
        jobs: int,
        address: str,
        lost: Callable[[Work, str], Found] | None,
    ) -> Iterator[tuple[Work, Found]]: ...

    def in_use(self) -> AbstractContextManager[None]: ...


def spread(
    function: Callable[[Work], Found],
    waiting: deque[Work],
    jobs: int,
    *,
    engine: Engine = LOCAL,
    lost: Callable[[Work, str], Found] | None = None,
) -> Iterator[tuple[Work, Found]]:
    """Each piece of work and what came of it, in the order they finish; `waiting` may grow on the way. `jobs` pieces are
    done at once; 0 of a cluster means as many as it has room for. `lost` makes a result of a piece (where pieces are
    lists, of a part of one) whose workers ended again and again, and why; an engine that cannot go on without them
    raises."""
    return _module(engine).spread(function, waiting, jobs, engine.address, lost)


def in_use(engine: Engine) -> AbstractContextManager[None]:
    """What an engine started for pieces of work inside is closed at the end, not after each."""
    return _module(engine).in_use()


def _module(engine: Engine) -> EngineModule:
    if engine.name not in ENGINES:
        names = ", ".join(ENGINES.names())
        raise UsageError(f"{engine.name} is no engine; there are: {names}")
    return cast(EngineModule, ENGINES.load(engine.name))
