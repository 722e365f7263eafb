"""Mining some sources: what a worker process does. Text goes no further than this; redacted findings come out.

Each session is mined on its own: one that a miner or a screen stumbles over costs nothing but itself.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from afterglow.calls.programs import table
from afterglow.errors import Stumbled, UnreadableSource
from afterglow.flows.isolation import isolated
from afterglow.flows.redactor import redactor_with
from afterglow.harvest.events.session_events import joined
from afterglow.harvest.pipeline import MinedSession, mine_session
from afterglow.harvest.screen.injection import compile_cues
from afterglow.records.knowledge import Finding
from afterglow.records.session import Mark, Session
from afterglow.sessions import parts
from afterglow.sessions.formats import FORMATS
from afterglow.sessions.joined_parts import join
from afterglow.sessions.remote_files import fetched
from afterglow.store.events import packed_events
from afterglow.store.findings import Mined, packed
from afterglow.text.redact import Redactor

# Of a very long session so many parts are mined together: what belongs together is seldom further apart, and memory
# stays bounded.
MAX_PARTS_MINED_TOGETHER = 4


class SessionJob(Struct, frozen=True):
    """A session to mine: its key in the catalogue, and what it looks like now."""

    key: int
    id: str
    repo: str
    check: bytes


class SourceJob(Struct, frozen=True):
    """A source and the sessions of it that are to be mined, behind the line up to which they were `copied`."""

    path: str
    format: str
    size: int
    sessions: tuple[SessionJob, ...]
    names: tuple[str, ...]
    cache: str
    copied: int = 0


class MinedSource(Struct, frozen=True):
    """What came of a source: rows for the store, counts for the report. `trouble` is why none of it could be read,
    `stumbles` why single sessions could not be mined, by their keys."""

    mined: tuple[Mined, ...] = ()
    findings: dict[str, int] = {}
    redacted: dict[str, int] = {}
    trouble: str = ""
    stumbles: dict[int, str] = {}


def mine_sources(jobs: list[SourceJob]) -> list[MinedSource]:
    return [_mine_source(job) for job in jobs]


def worker_redactor(names: tuple[str, ...], cache: str) -> Redactor:
    return redactor_with(names, Path(cache))


def prepare(job: SourceJob) -> None:
    """Loads what every worker needs, once and before they part; whoever merges needs it, too."""
    worker_redactor(job.names, job.cache).redact("nothing secret")
    compile_cues()
    table()


def _mine_source(job: SourceJob) -> MinedSource:
    """Whatever is wrong with a source becomes part of the result."""
    try:
        with isolated(f"the {job.format} reader"):
            return _mine_sessions(job)
    except Stumbled as error:
        if len(job.sessions) > 1:  # which of them it was shows when each is read alone
            return _joined(
                _mine_source(replace(job, sessions=(session,)))
                for session in job.sessions
            )
        return MinedSource(stumbles={job.sessions[0].key: str(error)})
    except UnreadableSource as error:
        return MinedSource(trouble=str(error))
    except OSError as error:
        return MinedSource(trouble=error.strerror or type(error).__name__)


def _mine_sessions(job: SourceJob) -> MinedSource:
    redactor = worker_redactor(job.names, job.cache)
    jobs = {session.id: session for session in job.sessions}
    results: dict[str, list[MinedSession]] = defaultdict(list)
    stumbles: dict[int, str] = {}
    for stretch in _stretches(job, jobs):
        session = jobs[stretch.id]
        try:
            with isolated("a miner"):
                mined = mine_session(stretch, session.repo, redactor)
        except Stumbled as error:
            stumbles.setdefault(session.key, str(error))
        else:
            results[session.id].append(mined)
    rows: list[Mined] = []
    findings: Counter[str] = Counter()
    redacted: Counter[str] = Counter()
    for session in job.sessions:
        if session.key in stumbles:
            continue
        session_findings: list[Finding] = []
        for part in results[session.id]:
            session_findings += part.findings
            redacted.update(part.redacted)
        events = joined([part.events for part in results[session.id]])
        topics = list(map(packed, session_findings))
        rows.append((session.key, session.check, topics, packed_events(events)))
        findings.update(finding.miner for finding in session_findings)
    return MinedSource(tuple(rows), dict(findings), dict(redacted), stumbles=stumbles)


def _joined(parts_of_source: Iterable[MinedSource]) -> MinedSource:
    rows: list[Mined] = []
    findings: Counter[str] = Counter()
    redacted: Counter[str] = Counter()
    stumbles: dict[int, str] = {}
    trouble = ""
    for part in parts_of_source:
        rows += part.mined
        findings.update(part.findings)
        redacted.update(part.redacted)
        stumbles |= part.stumbles
        trouble = trouble or part.trouble
    return MinedSource(tuple(rows), dict(findings), dict(redacted), trouble, stumbles)


def _stretches(job: SourceJob, jobs: dict[str, SessionJob]) -> Iterator[Session]:
    """The sessions to mine, whole; very long ones in stretches."""
    waiting: dict[str, tuple[Session, int]] = {}
    format_, behind_copy = FORMATS.load(job.format), Mark(copied=job.copied)
    with fetched(Path(job.path)) as path:
        for part in parts(format_, path, behind_copy, only=set(jobs)):
            if part.id not in jobs:
                continue
            before, count = waiting.pop(part.id, (None, 0))
            whole = join(before, part) if before is not None else part
            if count + 1 >= MAX_PARTS_MINED_TOGETHER:
                yield whole
            else:
                waiting[part.id] = (whole, count + 1)
    for session, _ in waiting.values():
        yield session
