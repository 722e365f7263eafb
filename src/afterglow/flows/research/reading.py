"""Reading the sessions of a history once, for all questions: what came up in each, and what it could teach."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from functools import lru_cache, partial
from pathlib import Path

from msgspec.structs import replace

from afterglow.config import Config
from afterglow.errors import UnreadableSource
from afterglow.flows.harvest import (
    SMALL,
    Progress,
    SourceJob,
    batches,
    source_jobs,
    worker_redactor,
)
from afterglow.flows.isolation import isolated
from afterglow.flows.measure import redacted_lived
from afterglow.flows.warm import MAX_EXAMPLES_PER_SESSION
from afterglow.flows.workers import spread
from afterglow.measure.research.material import Material, material_of
from afterglow.records.catalog import Entry
from afterglow.records.session import Mark, Session
from afterglow.sessions import parts
from afterglow.sessions.formats import FORMATS
from afterglow.sessions.joined_parts import join
from afterglow.sessions.remote_files import fetched
from afterglow.warm.extract import SessionExtractor

ReadSource = tuple[dict[int, Material], str]  # by key, and what was wrong


def materials(
    config: Config,
    entries: Iterable[Entry],
    *,
    seeds: bool,
    jobs: int,
    progress: Progress,
) -> tuple[dict[int, Material], list[tuple[str, str]]]:
    """Of each session by its key, and the sources that could not be read. Without `seeds`, which take most of the time,
    nothing of what a session could teach."""
    sources = list(source_jobs(config, entries, {}))
    total, bytes_done = sum(job.size for job in sources), 0
    by_key: dict[int, Material] = {}
    troubles: list[tuple[str, str]] = []
    workers = jobs if total > SMALL else 1
    read_chunk = partial(read_sources, seeds=seeds)
    for chunk, results in spread(read_chunk, deque(batches(sources)), workers):
        for job, (read, trouble) in zip(chunk, results, strict=True):
            by_key.update(read)
            troubles += [(job.path, trouble)] if trouble else []
            bytes_done += job.size
        progress(bytes_done, total)
    return by_key, troubles


def read_sources(chunk: list[SourceJob], *, seeds: bool) -> list[ReadSource]:
    """What a worker does. Whatever is wrong with a source becomes part of the result."""
    return [_read_source(job, seeds=seeds) for job in chunk]


def _read_source(job: SourceJob, *, seeds: bool) -> ReadSource:
    extractor = _extractor(job.names, job.cache) if seeds else None
    read: dict[int, Material] = {}
    trouble = ""
    try:
        with isolated(f"the {job.format} reader"):
            sessions = _sessions(job)
            for session_job in job.sessions:
                if session_job.id in sessions:
                    session = sessions.pop(session_job.id)
                    material = material_of(session, session_job.repo, extractor)
                    lived = redacted_lived(material.lived, job)
                    read[session_job.key] = replace(material, lived=lived)
    except UnreadableSource as error:
        trouble = str(error)
    except OSError as error:
        trouble = error.strerror or type(error).__name__
    return read, trouble


def _sessions(job: SourceJob) -> dict[str, Session]:
    """The sessions of a source by their ids, whole."""
    ids = {session.id for session in job.sessions}
    format_, behind_copy = FORMATS.load(job.format), Mark(copied=job.copied)
    sessions: dict[str, Session] = {}
    with fetched(Path(job.path)) as path:
        for part in parts(format_, path, behind_copy, only=ids):
            if part.id in ids:
                before = sessions.get(part.id)
                sessions[part.id] = part if before is None else join(before, part)
    return sessions


@lru_cache(maxsize=1)
def _extractor(names: tuple[str, ...], cache: str) -> SessionExtractor:
    redactor = worker_redactor(names, cache)
    return SessionExtractor(redactor, max_examples=MAX_EXAMPLES_PER_SESSION)
