"""The engine `local`: worker processes of this machine, started, fed, and none of them left behind."""

from __future__ import annotations

import gc
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from typing import TypeVar

from afterglow.errors import AfterglowError

PR_SET_PDEATHSIG = 1

Work = TypeVar("Work")
Found = TypeVar("Found")


def spread(
    function: Callable[[Work], Found],
    waiting: deque[Work],
    jobs: int,
    address: str = "",
    lost: Callable[[Work, str], Found] | None = None,
) -> Iterator[tuple[Work, Found]]:
    """Done here, or by `jobs` processes. One that is ended from outside ends the run: a machine that is short of memory
    for one piece is short of it for the next."""
    if jobs <= 1:
        while waiting:
            work = waiting.popleft()
            yield work, function(work)
        return
    from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
    from concurrent.futures.process import BrokenProcessPool
    from multiprocessing import active_children, get_context

    children_before = set(active_children())
    with ProcessPoolExecutor(
        jobs, mp_context=get_context(_start_method()), initializer=_settle_in
    ) as pool:
        running: dict[Future[Found], Work] = {}
        try:
            while waiting or running:
                while waiting and len(running) < 2 * jobs:
                    work = waiting.popleft()
                    running[pool.submit(function, work)] = work
                for future in wait(running, return_when=FIRST_COMPLETED).done:
                    yield running.pop(future), future.result()
        except BrokenProcessPool as error:
            raise AfterglowError(
                "a worker was ended from outside (too little memory?); try --jobs 1"
            ) from error
        except BaseException:
            # What they are at is of no use any more, and leaving the pool would wait for it.
            pool.shutdown(wait=False, cancel_futures=True)
            for worker in set(active_children()) - children_before:
                worker.terminate()
            raise


def in_use() -> AbstractContextManager[None]:
    """Processes start at once, so each use has its own."""
    return nullcontext()


def _settle_in() -> None:
    """What a worker does first. It needs no cycle collector (sessions are trees, freed as they are let go of), and on
    Linux it ends with its parent, however that ends."""
    gc.disable()
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


def _start_method() -> str:
    """Forked workers start at once; where that is not safe (other threads, other systems) fresh ones are started."""
    return (
        "fork" if sys.platform == "linux" and threading.active_count() == 1 else "spawn"
    )
