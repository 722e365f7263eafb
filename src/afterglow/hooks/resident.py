"""A process that stays for a while, so that hooks on calls need not load anything.

It is the worker of a hook that has answered: all is loaded already. It waits at a socket in the home, and for each hook
that comes it forks: the child does what the hook itself would have done, with the hook's standard input and folder, by
the same code from the same state. So answers are the same, nothing grows, and what goes wrong in one ends one.

    two at once         only who holds the lock beside the socket may put a socket there
    after a crash       the lock is free: the next one replaces the socket; until then hooks work without
    other code          every module that is loaded has its file looked at; when one has changed, it ends
    home gone, idle     it ends
"""

from __future__ import annotations

import gc
import os
import signal
import socket
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from afterglow.hooks.deadline import LINGER_SECONDS, Line, Pipe

# Seconds between two looks at whether the socket is still ours, and the code still that of the disk.
LOOK_SECONDS = 20.0
CODE_SECONDS = 1.0
REQUEST_SECONDS = 0.2  # in which a hook must have sent its few words
MAX_REQUEST_BYTES = 1 << 16
BACKLOG = 128  # hooks that may wait at once

Work = Callable[[list[str], Line], None]


def stay(path: str, work: Work, load: Callable[[], None], seconds: float) -> None:
    """Answers hooks at `path` by `work` until none has come for `seconds`. Returns at once where another one does."""
    signal.alarm(0)
    _let_go()
    lock = _lock(f"{path.removesuffix('.sock')}.lock")
    if lock is None:
        return
    load()
    code = _code()
    gc.collect()
    gc.freeze()  # what is loaded stays shared with the children
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # children are not waited for
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as waiting:
        try:
            place = _bind(waiting, path)
        except OSError:  # a disk that holds no sockets: hooks work without
            return
        try:
            _serve(waiting, path, place, work, code, seconds)
        finally:
            if _place_of(path) == place:
                with suppress(OSError):
                    Path(path).unlink()


def _let_go() -> None:
    """Of everything that was opened for somebody else: whoever waits for its end would wait for ours."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nowhere, descriptor)
    os.closerange(3, 1 << 12)
    os.chdir("/")


def _lock(path: str) -> int | None:
    """The lock, if nobody has it; the system frees it however we end."""
    import fcntl

    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.truncate(descriptor, 0)
        os.write(descriptor, b"%d\n" % os.getpid())
    except OSError:
        return None
    return descriptor


def _bind(waiting: socket.socket, path: str) -> tuple[int, int]:
    """Puts the socket in its place when it is ready; one that was left there goes."""
    draft = f"{path}-{os.getpid()}"
    before = os.umask(0o177)
    try:
        waiting.bind(draft)
        waiting.listen(BACKLOG)
        Path(draft).rename(path)
    finally:
        os.umask(before)
        Path(draft).unlink(missing_ok=True)
    return _place_of(path)


def _place_of(path: str) -> tuple[int, int]:
    try:
        status = os.stat(path)
    except OSError:
        return 0, 0
    return status.st_dev, status.st_ino


def _serve(
    waiting: socket.socket,
    path: str,
    place: tuple[int, int],
    work: Work,
    code: dict[str, int],
    seconds: float,
) -> None:
    last = looked = time.monotonic()
    waiting.settimeout(min(LOOK_SECONDS, seconds))
    while time.monotonic() - last < seconds:
        try:
            connection, _ = waiting.accept()
        except TimeoutError:
            connection = None
        now = time.monotonic()
        if now - looked >= CODE_SECONDS or connection is None:
            if _place_of(path) != place or _code() != code:
                return  # whoever waits at the socket hears nothing, and works without
            looked = now
        if connection is not None:
            last = now
            with connection:
                _answer(connection, waiting, work)


def _answer(connection: socket.socket, waiting: socket.socket, work: Work) -> None:
    """One hook, in a process of its own."""
    connection.settimeout(REQUEST_SECONDS)
    try:
        request, descriptors, _, _ = socket.recv_fds(connection, MAX_REQUEST_BYTES, 2)
    except OSError:
        return
    try:
        if len(descriptors) == 2 and not os.fork():
            waiting.close()
            _be_worker(connection, request, descriptors, work)
    finally:
        for descriptor in descriptors:
            os.close(descriptor)


def _be_worker(
    connection: socket.socket, request: bytes, descriptors: list[int], work: Work
) -> None:
    try:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        signal.alarm(LINGER_SECONDS)
        os.setsid()
        connection.settimeout(None)
        connection.sendall(b"p %d\n" % os.getpid())
        hook_input, folder = descriptors
        os.dup2(hook_input, 0)
        os.fchdir(folder)
        words = request.decode("utf-8", "surrogateescape").split("\0")
        sys.argv[2:] = words
        work(words, Pipe(connection.fileno()))
    finally:
        os._exit(0)


def _code() -> dict[str, int]:
    """The files of all that is loaded, and when each was last changed; 0 for one that is gone."""
    files = [getattr(module, "__file__", None) for module in [*sys.modules.values()]]
    return {file: _changed(file) for file in files if file}


def _changed(file: str) -> int:
    try:
        return os.stat(file).st_mtime_ns
    except OSError:
        return 0
