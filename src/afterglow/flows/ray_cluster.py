"""The engine `ray`: pieces of work done by a Ray cluster, or by a small one on this machine.

A worker or a node that ends costs the piece it was at. That piece is tried again; if its workers go on ending, its
parts are tried alone, and what is left of that is told as lost: one session that takes too much memory costs itself.
"""

from __future__ import annotations

import logging
import pickle
import socket
import sys
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

from msgspec import Struct
from msgspec.structs import replace

from afterglow.environment import ray_keeps_to_itself
from afterglow.errors import AfterglowError, Unreachable, Unsupported
from afterglow.flows.code_mark import code_mark
from afterglow.text.clip import first_line

if TYPE_CHECKING:
    from types import ModuleType

MAX_TRIES = 3  # of a piece, and then of each of its parts
PIECES_A_WORKER = 2  # so that none waits for the next
# Of a cluster on this machine: findings and rows are small, and Ray would take a third of the memory.
STORE_BYTES = 256 << 20
LOST = f"its workers ended {MAX_TRIES} times in a row (too little memory?)"
KNOCK_SECONDS = 5.0  # that a cluster may take to answer
INSTALL = "the engine ray needs Ray: pip install 'afterglow-agents[ray]'"
ON_THIS_MACHINE = "local"  # Ray's word for a cluster of one's own
MAX_REASON_CHARACTERS = 200

Work = TypeVar("Work")
Found = TypeVar("Found")


class _Piece(Struct, Generic[Work], frozen=True):
    work: Work
    failures: int = 0


class _Cluster:
    """The one this process is connected to. Started when it is needed, closed when its last user ends; one that ran
    before, as of a program that uses Ray itself, stays."""

    def __init__(self) -> None:
        self._users = 0
        self._is_ours = False

    def begin(self) -> None:
        self._users += 1

    def end(self) -> None:
        self._users -= 1
        if self._users == 0 and self._is_ours:
            self._is_ours = False
            _ray().shutdown()

    def start(self, jobs: int, address: str) -> ModuleType:
        ray = _ray()
        if ray.is_initialized():
            return ray
        ray_keeps_to_itself()
        quiet: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.ERROR}
        try:
            if address:
                _knock(address)
                ray.init(address, **quiet)
            else:
                ray.init(
                    ON_THIS_MACHINE,
                    num_cpus=max(jobs, 1),
                    object_store_memory=STORE_BYTES,
                    include_dashboard=False,
                    **quiet,
                )
        except (OSError, RuntimeError, ValueError) as error:
            place = f"at {address}" if address else "on this machine"
            why = first_line(str(error), MAX_REASON_CHARACTERS)
            raise Unreachable(
                f"no Ray cluster {place}: {why}; see `ray status`, or use --engine local"
            ) from error
        self._is_ours = True
        return ray


def _knock(address: str) -> None:
    """Raises OSError where nobody answers: Ray itself would go on trying for minutes."""
    host, _, port = address.rpartition("//")[2].rpartition(":")
    if host and port.isdigit():
        socket.create_connection((host, int(port)), KNOCK_SECONDS).close()


_cluster = _Cluster()


@contextmanager
def in_use() -> Iterator[None]:
    """Ray tells on the standard output of workers that ended. A command's output may be data, so that goes to where
    troubles are told."""
    with _cluster_in_use(), redirect_stdout(sys.stderr):
        yield


@contextmanager
def _cluster_in_use() -> Iterator[None]:
    _cluster.begin()
    try:
        yield
    finally:
        _cluster.end()


def spread(
    function: Callable[[Work], Found],
    waiting: deque[Work],
    jobs: int,
    address: str = "",
    lost: Callable[[Work, str], Found] | None = None,
) -> Iterator[tuple[Work, Found]]:
    """Done by the cluster at `address`, `jobs` at once, or as many as it has room for."""
    if not waiting:
        return
    with _cluster_in_use():
        ray = _cluster.start(jobs, address)
        yield from Run(ray, function, jobs, lost, code_mark()).results(waiting)


class Run(Generic[Work, Found]):
    """One function over many pieces, done by workers that run this `code`."""

    def __init__(
        self,
        ray: ModuleType,
        function: Callable[[Work], Found],
        jobs: int,
        lost: Callable[[Work, str], Found] | None,
        code: str,
    ) -> None:
        self._ray, self._function, self._jobs, self._lost = ray, function, jobs, lost
        self._code = code
        self._task = ray.remote(max_retries=0)(_task())
        self._again: deque[_Piece[Work]] = deque()
        self._running: dict[Any, _Piece[Work]] = {}

    def results(self, waiting: deque[Work]) -> Iterator[tuple[Work, Found]]:
        ray = self._ray
        try:
            while waiting or self._again or self._running:
                self._feed(waiting)
                ready, _ = ray.wait(list(self._running), num_returns=1)
                for reference in ready:
                    yield from self._result(reference, self._running.pop(reference))
        except ray.exceptions.RayError as error:
            why = first_line(str(error), MAX_REASON_CHARACTERS)
            raise AfterglowError(
                f"the Ray cluster does not go on: {why}; what is done is kept, run it again"
            ) from error
        except BaseException:
            # What they are at is of no use any more; others may need the room.
            for reference in self._running:
                ray.cancel(reference, force=True)
            raise

    def _feed(self, waiting: deque[Work]) -> None:
        """Asked each time: a cluster grows and shrinks."""
        room = PIECES_A_WORKER * (self._jobs or self._cores())
        while len(self._running) < room and (waiting or self._again):
            piece = self._again.popleft() if self._again else _Piece(waiting.popleft())
            packed = self._ray.cloudpickle.dumps((self._function, piece.work))
            self._running[self._task.remote(self._code, packed)] = piece

    def _cores(self) -> int:
        return max(int(self._ray.cluster_resources().get("CPU", 1)), 1)

    def _result(
        self, reference: Any, piece: _Piece[Work]
    ) -> Iterator[tuple[Work, Found]]:
        errors = self._ray.exceptions
        try:
            trouble, packed = self._ray.get(reference)
        except (
            errors.WorkerCrashedError,
            errors.NodeDiedError,
            errors.OutOfMemoryError,
            errors.ObjectLostError,
        ):
            yield from self._try_again(piece)
            return
        except errors.RayTaskError as error:  # the function's own, as it would fly here
            raise error.cause from error
        if trouble:
            raise Unsupported(
                f"{trouble}; here it is {self._code}: install the same on every node of the cluster"
            )
        yield piece.work, pickle.loads(packed)

    def _try_again(self, piece: _Piece[Work]) -> Iterator[tuple[Work, Found]]:
        failures = piece.failures + 1
        if failures < MAX_TRIES:
            self._again.append(replace(piece, failures=failures))
        elif isinstance(piece.work, list) and len(piece.work) > 1:
            parts = (cast(Work, [part]) for part in piece.work)
            self._again.extend(map(_Piece, parts))
        elif self._lost is None:
            raise AfterglowError(f"a piece of the work could not be done: {LOST}")
        else:
            yield piece.work, self._lost(piece.work, LOST)


def _task() -> Callable[[str, bytes], tuple[str, bytes]]:
    """What a worker does. A function inside a function is sent as it is, not by its name, so it can also say that
    afterglow is another one there, or missing."""

    def perform(expected: str, packed: bytes) -> tuple[str, bytes]:
        import gc
        import pickle
        import platform

        try:
            from afterglow.flows.code_mark import code_mark
        except ImportError:
            return f"the worker on {platform.node()} has no afterglow", b""
        if code_mark() != expected:
            return f"the worker on {platform.node()} has {code_mark()}", b""
        gc.disable()  # sessions are trees, freed as they are let go of
        try:
            function, work = pickle.loads(packed)
            return "", pickle.dumps(function(work))
        finally:
            gc.enable()

    return perform


def _ray() -> ModuleType:
    try:
        import ray
        import ray.exceptions
    except ImportError as error:
        raise Unsupported(INSTALL) from error
    return ray
