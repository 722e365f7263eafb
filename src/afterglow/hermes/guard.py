"""Nothing of ours may disturb Hermes: what fails is noted and answered with nothing, what is slow is left behind.

The work runs in a thread of its own, with the caller's context (Hermes keeps a session's folder there). Past the
deadline the turn goes on without it; the thread ends by itself. Where no thread can be started any more, because the
program is about to end, the work is done at once.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextvars import copy_context
from functools import wraps
from pathlib import Path
from threading import Thread
from traceback import extract_tb
from typing import Any, TypeVar

from afterglow.errors import AfterglowError, ConfigError

T = TypeVar("T")
FALLBACK_SECONDS = 0.8  # the default of the settings, for when they cannot be read


def guarded(
    what: str,
    work: Callable[..., T],
    *,
    seconds: float | None = None,
    otherwise: T | None = None,
    start: Callable[[Thread], None] = Thread.start,
) -> Callable[..., T | None]:
    """`work`, which answers within `seconds` (as the settings say, if not said) or else `otherwise`; and never
    raises. `start` begins the thread, or raises RuntimeError where none can begin any more."""

    @wraps(work)
    def call(*args: Any, **options: Any) -> T | None:
        answer: list[T] = []

        def run() -> None:
            try:
                answer.append(work(*args, **options))
            except BaseException as error:  # also SystemExit: it would end Hermes, were it not for the thread
                note(what, error)

        limit = deadline() if seconds is None else seconds
        thread = Thread(
            target=copy_context().run,
            args=(run,),
            name=f"afterglow {what}",
            daemon=True,
        )
        try:
            start(thread)
        except RuntimeError:  # too late for a thread
            run()
        else:
            thread.join(limit)
            if thread.is_alive():
                note(what, f"gave up after {limit:g} s")
        return answer[0] if answer else otherwise

    return call


def tried(work: Callable[[], T]) -> T | Exception:
    """What `work` answers, or what it raised: Hermes may fail on our behalf in any way its providers know."""
    try:
        return work()
    except Exception as error:
        return error


def note(what: str, why: str | BaseException) -> None:
    """A line in our log; where that cannot be written, in Hermes' own."""
    plain = why if isinstance(why, str) else _place(why)
    try:
        from afterglow import config
        from afterglow.store.log import Log

        log, detail = Log(config.homes()[0] / "hooks.log"), plain
        if isinstance(why, AfterglowError) and not isinstance(why, ConfigError):
            from afterglow.flows.harvest import log_of

            log, detail = log_of(config.load()), str(why)
        written = log.add(f"hermes {what}", detail)
    except Exception:
        written = False
    if not written:
        logging.getLogger("afterglow").warning("%s: %s", what, plain)


def _place(error: BaseException) -> str:
    """An error by its kind and place: its words may quote what was being read."""
    text = type(error).__name__
    if isinstance(error, OSError) and error.strerror:
        text += f" {error.strerror}"
    frames = extract_tb(error.__traceback__)
    if frames:
        text += f" at {Path(frames[-1].filename).name}:{frames[-1].lineno}"
    return text


def deadline() -> float:
    """Seconds, as the settings say."""
    try:
        from afterglow import config

        return config.load().hooks.deadline_ms / 1000
    except Exception:
        return FALLBACK_SECONDS
