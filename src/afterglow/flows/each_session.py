"""Sessions read once more from their sources, each into whatever takes them in part by part.

What is wrong with a source costs that source and becomes part of the result: its path and why.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Protocol, TypeVar

from afterglow.config import Config
from afterglow.errors import UnreadableSource
from afterglow.flows.harvest import SMALL, Progress, SourceJob, batches, source_jobs
from afterglow.flows.isolation import isolated
from afterglow.flows.workers import spread
from afterglow.records.catalog import Entry
from afterglow.records.session import Mark, Session
from afterglow.sessions import parts
from afterglow.sessions.formats import FORMATS
from afterglow.sessions.remote_files import fetched


class TakesParts(Protocol):
    """A session in the making."""

    def add(self, part: Session) -> None: ...


Taking = TypeVar("Taking", bound=TakesParts)
Result = TypeVar("Result")
SourceResult = tuple[dict[int, Result], str]  # by session's key; what was wrong


def read_each(
    config: Config,
    entries: Iterable[Entry],
    worker: Callable[[list[SourceJob]], list[SourceResult[Result]]],
    *,
    jobs: int,
    progress: Progress,
) -> tuple[dict[int, Result], list[tuple[str, str]]]:
    """What `worker` made of each session, by its key, and the sources that could not be read. The worker is a function
    of a module: it is sent to other processes."""
    sources = list(source_jobs(config, entries, {}))
    total, bytes_done = sum(job.size for job in sources), 0
    results_by_key: dict[int, Result] = {}
    troubles: list[tuple[str, str]] = []
    for chunk, results in spread(
        worker, deque(batches(sources)), jobs if total > SMALL else 1
    ):
        for job, (by_key, trouble) in zip(chunk, results, strict=True):
            results_by_key.update(by_key)
            troubles += [(job.path, trouble)] if trouble else []
            bytes_done += job.size
        progress(bytes_done, total)
    return results_by_key, troubles


def take_in(job: SourceJob, make: Callable[[], Taking]) -> SourceResult[Taking]:
    """The sessions of one source, each in what `make` gives."""
    keys = {session.id: session.key for session in job.sessions}
    taken: dict[int, Taking] = {}
    trouble = ""
    try:
        with isolated(f"the {job.format} reader"):
            format_, behind_copy = FORMATS.load(job.format), Mark(copied=job.copied)
            with fetched(Path(job.path)) as path:
                for part in parts(format_, path, behind_copy, only=set(keys)):
                    if part.id in keys:
                        taken.setdefault(keys[part.id], make()).add(part)
    except UnreadableSource as error:
        trouble = str(error)
    except OSError as error:
        trouble = error.strerror or type(error).__name__
    return taken, trouble
