"""What a person's own history holds, in under a minute: sessions, what keeps failing and what it cost, what would have
been told, the lessons worth most with the lines they rest on. Nothing is connected, no model is asked."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

from msgspec import Struct

from afterglow.config import Config
from afterglow.context.worth import words
from afterglow.flows.harvest import harvest, problems
from afterglow.flows.measure import replay
from afterglow.flows.read import scan
from afterglow.measure.replay.sentences import answer
from afterglow.records.catalog import Entry
from afterglow.records.knowledge import Evidence, KnowledgeItem
from afterglow.records.problems import Problem
from afterglow.records.selection import Selection
from afterglow.store.catalog import Catalog
from afterglow.store.knowledge import Knowledge

BYTES_AT_FIRST = (
    300_000_000  # of transcripts: what two cores harvest and replay within a minute
)
LESSONS, PROBLEMS = 3, 5  # that a person reads on the first day
WEIGHED = 300  # items, the strongest, of which the best are chosen

Step = Callable[[str], Callable[[int, int], None]]


class BestLesson(Struct, frozen=True):
    """An item and the line it rests on that says most."""

    item: KnowledgeItem
    line: Evidence | None


class FirstInsight(Struct, frozen=True, kw_only=True):
    """`agents` and `repos` say how many sessions each has. `read` of the `sessions` were learned from, the newest; the
    others wait for `afterglow harvest`. `would_tell` is what replay says in a sentence."""

    sessions: int
    agents: dict[str, int] = {}
    repos: dict[str, int] = {}
    first: float | None = None
    last: float | None = None
    calls: int = 0
    failed: int = 0
    read: int = 0
    problems: tuple[Problem, ...] = ()
    problem_count: int = 0
    lessons: tuple[BestLesson, ...] = ()
    active: int = 0
    waiting: int = 0
    would_tell: str = ""
    seconds: float = 0.0


def first_insight(
    config: Config, paths: Sequence[Path] = (), *, step: Step, jobs: int = 1
) -> FirstInsight:
    """`step` is told what is done next, and gives what hears how far that is."""
    began = time.monotonic()
    scan(config, paths, jobs=jobs, progress=step("reading your sessions"))
    with Catalog(config.catalog) as catalog:
        entries = catalog.entries()
    if not entries:
        return FirstInsight(sessions=0, seconds=time.monotonic() - began)
    newest = _newest(entries)
    learning = step("reading what they taught")
    harvest(config, newest, jobs=jobs, progress=learning)
    listing = problems(config, limit=PROBLEMS)
    walking = step("asking what would have been told")
    report, _ = replay(config, newest, jobs=jobs, progress=walking)
    active, waiting, lessons = _lessons(config)
    return FirstInsight(
        sessions=len(entries),
        agents=dict(Counter(entry.agent for entry in entries).most_common()),
        repos=dict(Counter(entry.repo or "–" for entry in entries).most_common()),
        first=min((entry.start for entry in entries if entry.start), default=None),
        last=max((entry.end for entry in entries if entry.end), default=None),
        calls=sum(entry.calls for entry in entries),
        failed=sum(entry.failed for entry in entries),
        read=sum(
            newest.fits(entry.repo, entry.agent, _time(entry)) for entry in entries
        ),
        problems=listing.problems,
        problem_count=listing.total,
        lessons=lessons,
        active=active,
        waiting=waiting,
        would_tell=answer(report),
        seconds=time.monotonic() - began,
    )


def _newest(entries: Sequence[Entry]) -> Selection:
    """The newest sessions whose files are not too much for a first look."""
    total = 0
    since = None
    sources: set[str] = set()
    for entry in sorted(entries, key=lambda entry: -(_time(entry) or 0.0)):
        if entry.source not in sources:
            sources.add(entry.source)
            total += _size(entry.source)
        if total > BYTES_AT_FIRST and since is not None:
            return Selection(since=since)
        since = _time(entry) or since
    return Selection()


def _time(entry: Entry) -> float | None:
    return entry.end or entry.start


def _size(source: str) -> int:
    try:
        return Path(source).stat().st_size
    except OSError:
        return 0


def _lessons(config: Config) -> tuple[int, int, tuple[BestLesson, ...]]:
    """How many are told, how many wait, and the best of those that are told; where none is, of those that wait."""
    if not config.knowledge.exists():
        return 0, 0, ()
    with Knowledge(config.knowledge) as knowledge:
        counts = knowledge.counts().status
        active, waiting = counts.get("active", 0), counts.get("candidate", 0)
        status = "active" if active else "candidate"
        items = knowledge.items(status=(status,), limit=WEIGHED, evidence=True)
    best = sorted(items, key=_weight, reverse=True)[:LESSONS]
    return active, waiting, tuple(BestLesson(item, _line(item)) for item in best)


def _weight(item: KnowledgeItem) -> float:
    """What knowing it would have saved: sessions that met it, calls it took them, how sure it is."""
    return max(item.source_count, 1) * max(item.cost, 1.0) * item.confidence


def _line(item: KnowledgeItem) -> Evidence | None:
    """The piece of evidence that shares most words with the lesson: a person sees at once that it fits."""
    spoken = words([item.fact])

    def shared(evidence: Evidence) -> float:
        return len(spoken & words([evidence.quote]))

    return max(item.evidence, key=shared, default=None)
