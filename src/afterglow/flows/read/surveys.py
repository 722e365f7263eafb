"""Reading many sources for the catalogue: cut into pieces, spread over the workers of an engine."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterator

from msgspec.structs import replace

from afterglow.flows.read.scan_worker import Job, Survey, survey, unread
from afterglow.flows.workers import spread
from afterglow.records.engine import Engine

CHUNK_BYTES = 8 << 20  # read by one worker before it hands over
CHUNK_FILES = 200  # of small ones
NOT_SHARED = (
    "not there for its worker: put it in a folder that every node has, or in an object"
    " store"
)


def chunks(jobs: list[Job]) -> Iterator[list[Job]]:
    chunk: list[Job] = []
    size = 0
    for job in jobs:
        chunk.append(job)
        size += job.size
        if size >= CHUNK_BYTES or len(chunk) >= CHUNK_FILES:
            yield chunk
            chunk, size = [], 0
    if chunk:
        yield chunk


def spread_surveys(
    waiting: deque[list[Job]], processes: int, engine: Engine
) -> Iterator[tuple[list[Job], list[Survey]]]:
    """Each piece with what came of it."""
    pieces = spread(survey_chunk, waiting, processes, engine=engine, lost=_lost)
    if engine.is_local:
        return pieces
    return ((chunk, list(map(_seen_from_here, surveys))) for chunk, surveys in pieces)


def survey_chunk(chunk: list[Job]) -> list[Survey]:
    return [survey(job) for job in chunk]


def _lost(chunk: list[Job], why: str) -> list[Survey]:
    return [unread(job, why) for job in chunk]


def _seen_from_here(surveyed: Survey) -> Survey:
    """A file that a worker on another machine does not see is not gone."""
    source = surveyed.source
    if source.state != "gone" or not is_there(source.path):
        return surveyed
    return replace(surveyed, source=replace(source, state="busy", reason=NOT_SHARED))


def is_there(path: str) -> bool:
    """Whether a file is still there, also where we may not look at it."""
    try:
        os.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:
        return True
    return True
