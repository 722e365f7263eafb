"""How sessions that were told nothing got along with problems that others were told about.

Read once from the events in the catalogue and remembered there, as other summaries are, until the catalogue or what
was told changes.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from hashlib import blake2b

import msgspec
from msgspec import Struct

from afterglow.harvest.problem_key import problem_key
from afterglow.records.problems import FAILURE_KINDS
from afterglow.records.reading import UntoldRepeats
from afterglow.store.catalog import Catalog
from afterglow.store.measure_cache import remember, remembered
from afterglow.store.sql_limits import pieces

NAME = "summary of untold repeats, to measure"
ANY_PROBLEM = ""
# What a check that prints nothing was after, nobody can tell: it is never solved.
SOLVABLE_KINDS = FAILURE_KINDS - {"empty"}

_ROWS = """
SELECT id, repo, events
FROM events CROSS JOIN sessions USING (key) CROSS JOIN places USING (place)
WHERE NOT empty AND NOT copy AND NOT gone AND origin = 'main' AND repo IN ({})
ORDER BY coalesce(start, end, 0), id
"""


class _Remedy(Struct, frozen=True, gc=False):
    """That there is one is all that counts."""


class _Event(Struct, frozen=True, gc=False):
    """The part of an event that is needed: the rest is skipped, not decoded."""

    kind: str
    call: int
    keys: tuple[str, ...] = ()
    calls: int = 0
    remedy: _Remedy | None = None


class _Events(Struct, frozen=True, gc=False):
    events: tuple[_Event, ...] = ()


class _Summary(Struct, frozen=True):
    """`asked_for` says of what it is the summary: what was told to whom."""

    asked_for: str
    repeats: tuple[UntoldRepeats, ...]


_events = msgspec.msgpack.Decoder(_Events).decode
_summary = msgspec.msgpack.Decoder(_Summary).decode

Problems = Mapping[str, Collection[str]]  # by repository
SessionsTold = AbstractSet[tuple[str, str]]  # session and problem


def untold_repeats(
    catalog: Catalog, problems: Problems, sessions_told: SessionsTold
) -> tuple[UntoldRepeats, ...]:
    """Of each problem and session the first failure, as a hint would come with that; without the first session that
    met the problem, which repeats nothing, and without sessions that were told of it."""
    if not problems:
        return ()
    asked_for = _mark(problems, sessions_told)
    kept_summary = remembered(catalog, NAME)
    if kept_summary is not None:
        summary = _summary(kept_summary)
        if summary.asked_for == asked_for:
            return summary.repeats
    version = catalog.rows("PRAGMA data_version")
    repeats = tuple(_repeats(catalog, problems, sessions_told))
    packed = msgspec.msgpack.encode(_Summary(asked_for, repeats))
    remember(catalog, NAME, packed, version)
    return repeats


def _repeats(
    catalog: Catalog, problems: Problems, sessions_told: SessionsTold
) -> Iterator[UntoldRepeats]:
    by_problem: dict[tuple[str, str], list[_Event]] = defaultdict(list)
    met: set[tuple[str, str]] = set()
    for session, repo, first in _first_failures(catalog, problems):
        for problem, event in first.items():
            is_repeat = (repo, problem) in met
            met.add((repo, problem))
            is_told = not sessions_told.isdisjoint(
                {(session, problem), (session, ANY_PROBLEM)}
            )
            if is_repeat and not is_told:
                by_problem[repo, problem].append(event)
    for (repo, problem), events in sorted(by_problem.items()):
        calls = (event.calls for event in events if event.remedy is not None)
        yield UntoldRepeats(repo, problem, len(events), tuple(calls))


def _first_failures(
    catalog: Catalog, problems: Problems
) -> Iterator[tuple[str, str, dict[str, _Event]]]:
    """Of each session, in time order, its repository and the first failure of each problem."""
    calls_read: set[int] = set()  # forks and resumed sessions repeat calls
    for session, repo, body in _rows(catalog, problems):
        first: dict[str, _Event] = {}
        for event in _events(body).events:
            if event.kind not in SOLVABLE_KINDS or event.call in calls_read:
                continue
            calls_read.add(event.call)
            problem = problem_key(event.keys)
            if problem in problems[repo]:
                first.setdefault(problem, event)
        yield session, repo, first


def _rows(catalog: Catalog, repos: Iterable[str]) -> Iterator[tuple[str, str, bytes]]:
    for piece in pieces(sorted(repos)):
        marks = ", ".join("?" * len(piece))
        yield from catalog.rows(_ROWS.format(marks), piece)


def _mark(problems: Problems, sessions_told: SessionsTold) -> str:
    words = [sorted((repo, sorted(keys)) for repo, keys in problems.items())]
    text = msgspec.json.encode((words, sorted(sessions_told)))
    return blake2b(text, digest_size=16).hexdigest()
