"""queue: finished sessions wait here until a process of its own, at low priority, has harvested them.

One small file a session in `queue/` of the home, put in place whole, so that a hook can be killed at any moment. Who
works it off holds a lock that ends with its process. How it is worked off is told in `flows.afterwards`; hooks come by
here while an agent waits, so only what they need is loaded.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from hashlib import blake2b
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from afterglow.config import Config, environment
from afterglow.errors import StoreError
from afterglow.folders import place_file, private
from afterglow.records.catalog import IDLE
from afterglow.store.forgotten import Forgotten
from afterglow.store.log import Log

QUEUE_PAUSE = "paused"  # why: a turn is over, perhaps the session is. Any other word means that the session has ended
MAX_TRIES = 3  # a session that is not harvested by then is left aside
QUEUE_PATIENCE = 0.5  # seconds
QUEUE_SECONDS = 600.0  # one round of work takes no longer
ONCE = (
    "-P",
    "-m",
    "afterglow",
    "hook",
    "afterwards",
)  # how a round is started; see `hooks.program`
QUEUED, TAKEN = ".json", ".taken"

QueueProgress = Callable[[int, int], None]


class Waiting(Struct, frozen=True):
    """A session that waits. Without a `source` every agent's home is scanned for it. `tries` were made, and ended in
    `trouble`."""

    agent: str
    session: str
    source: str = ""
    why: str = ""
    time: float = 0.0
    tries: int = 0
    trouble: str = ""

    def __post_init__(self) -> None:
        if "\0" in self.source:  # it would end every process that tries to open it
            raise ValueError("the path of a transcript holds a NUL")

    @property
    def aside(self) -> bool:
        """Whether no further try is made, until the session goes on."""
        return self.tries >= MAX_TRIES

    def ready(self, now: float) -> bool:
        """Whether it can be harvested now: one that only paused may go on. A time to come was told by a wrong clock."""
        return not self.aside and (
            self.why != QUEUE_PAUSE or abs(now - self.time) >= IDLE
        )


class Worked(
    Struct, frozen=True, kw_only=True, rename={"missing": "gone", "remaining": "left"}
):
    """What a round did. `missing` sessions have no transcript; `proved` are contexts found in the sessions harvested;
    `lessons` were written afterwards by whom the user named. `busy`: another process is at it; `stopped`: why it did
    not come to the end."""

    harvested: int = 0
    missing: int = 0
    failed: int = 0
    created: int = 0
    proved: int = 0
    remaining: int = 0
    lessons: int = 0
    busy: bool = False
    stopped: str = ""


def log_of(config: Config) -> Log:
    """Where hooks and the work after sessions say what went wrong, redacted; `afterglow doctor` shows it."""

    def clean(text: str) -> str:
        from afterglow.flows.redactor import redactor_of

        return redactor_of(config).redact(text).text

    return Log(config.home / "hooks.log", clean)


def enqueue(
    config: Config,
    *,
    agent: str,
    source: Path | None,
    session: str,
    why: str,
    now: float | None = None,
) -> None:
    """A session is over, or may be (`why=PAUSE`). The same session again takes the place of its first entry."""
    if Forgotten(config.home).refresh().has_session(agent, session):
        return  # private, or forgotten while it ran
    at = time.time() if now is None else now
    place = str(source.absolute()) if source is not None else ""
    folder = _folder(config)
    try:
        private(folder)
        place_file(
            folder / _name(agent, session),
            msgspec.json.encode(Waiting(agent, session, place, why, at)),
        )
    except OSError as error:
        raise StoreError(
            f"{folder}: {error.strerror or error}; the session is found by the next scan"
        ) from error


def waiting(config: Config) -> list[Waiting]:
    """All that waits, oldest first; also what is being harvested, and what is left aside."""
    by_name = {path.stem: entry for path, entry in entries(config, QUEUED, TAKEN)}
    return sorted(by_name.values(), key=lambda entry: (entry.time, entry.session))


def begin(config: Config, now: float | None = None) -> bool:
    """Starts a process that works the queue off, if there is something to do and none is at it. Whether it did."""
    at = time.time() if now is None else now
    if not any(entry.ready(at) for entry in waiting(config)):
        return False
    with queue_lock(config) as mine:
        if not mine:
            return False
    import subprocess
    import sys
    import threading

    nowhere = subprocess.DEVNULL
    try:
        process = subprocess.Popen(
            [sys.executable, *ONCE],
            stdin=nowhere,
            stdout=nowhere,
            stderr=nowhere,
            cwd=config.home,
            env=environment(config),
            start_new_session=True,
        )
    except OSError as error:
        raise StoreError(
            f"no process could be started to harvest: {error.strerror or error}"
        ) from error
    threading.Thread(
        target=process.wait, daemon=True
    ).start()  # whoever outlives it must take note of its end
    return True


def entries(config: Config, *ends: str) -> Iterator[tuple[Path, Waiting]]:
    """What lies in the queue under names with these ends. What is not ours is passed over; so is what is gone, unless
    it was only taken or given back."""
    folder = _folder(config)
    try:
        stems = sorted(
            {
                path.stem
                for path in folder.iterdir()
                if path.suffix in ends and path.name[0] != "."
            }
        )
    except OSError:
        return
    for stem in stems:
        for end in (*ends, *ends[:-1]):
            path = folder / f"{stem}{end}"
            try:
                yield path, msgspec.json.decode(path.read_bytes(), type=Waiting)
            except (OSError, msgspec.DecodeError):
                continue
            break


@contextmanager
def queue_lock(
    config: Config, patience: float = 0.0, *, name: str = "queue.lock"
) -> Iterator[bool]:
    """Whether this process may work. The lock is the system's: it ends with the process, however that ends. Where there
    is no such lock (Windows) all may: two harvests at once are safe, and only a waste. `patience` outlasts those who
    only look whether somebody is at work."""
    try:
        import fcntl
    except ImportError:
        yield True
        return
    try:
        descriptor = os.open(config.home / name, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise StoreError(
            f"{config.home}: {error.strerror or error}; the queue cannot be worked off"
        ) from error
    try:
        yield _locked(fcntl, descriptor, time.monotonic() + patience)
    finally:
        os.close(descriptor)


def _locked(fcntl: Any, descriptor: int, until: float) -> bool:
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            if time.monotonic() >= until:
                return False
            time.sleep(0.02)
        else:
            return True


def _folder(config: Config) -> Path:
    return config.home / "queue"


def _name(agent: str, session: str) -> str:
    return (
        blake2b(
            f"{agent}\0{session}".encode("utf-8", "surrogatepass"), digest_size=12
        ).hexdigest()
        + QUEUED
    )
