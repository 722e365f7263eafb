"""Sessions that run something early against those that first look or talk: what came of the rest of them.

The start and the rest do not overlap: a session's first calls say how it began, only those behind them are counted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from afterglow.measure.research.length_and_position import halves_by_kind, halves_of
from afterglow.measure.research.session_course import (
    CHANGES,
    ELSE,
    KIND_WORDS,
    LOOKS,
    RUNS,
)
from afterglow.profile.compare import HALVES
from afterglow.profile.tables import MINIMUM, decided
from afterglow.records.profile_report import Difference, Rate
from afterglow.records.research import SessionCourse
from afterglow.stats.rates import Pair, difference, rate
from afterglow.stats.same_mix import same_mix
from afterglow.stats.strata import Case, Shuffled, difference_within, shuffled

START_CALLS = 10  # most sessions look around first: of few the very first call runs
OTHER_STARTS = (1, 3, 5, 20)  # the same with other beginnings, for whoever doubts it
MIN_REST = 5  # decided calls behind the start; fewer make no rate
MIN_RUNS = 3  # the same for runs alone
SHORT_REQUEST, LONG_REQUEST = 20, 100  # words of the first request: up to; from
TALK = "talks"
ALL_AGENTS = "all"  # sorts before the name of most agents
NAMES = ("looked or talked first", "ran early")
NOTHING: Pair = (0, 0)


class Began(NamedTuple):
    """One session, with what is held equal. `corrected`: the person put something right; `success`: how it ended, where
    that is known; `before`: the error rate of the session before it in the repository. `early_kind` is what the calls
    of the first turns mostly did, `early_calls` how many these were."""

    course: SessionCourse
    repo: str
    agent: str
    corrected: bool = False
    success: bool | None = None
    before: float | None = None
    early_kind: str = ""
    early_calls: int = 0

    def ran_early(self, calls: int) -> bool:
        return RUNS in self.course.kinds[:calls]

    def rest(self, calls: int) -> Pair:
        return decided(self.course.outcomes[calls:])

    def rest_by_kind(self, calls: int) -> dict[str, Pair]:
        outcomes, kinds = self.course.outcomes[calls:], self.course.kinds[calls:]
        return {
            kind: decided(
                "".join(o for o, k in zip(outcomes, kinds, strict=True) if k == kind)
            )
            for kind in (LOOKS, RUNS, CHANGES, ELSE)
        }


Stratum = Callable[[Began], str]
Value = Callable[[Began], float | None]


class Compared(NamedTuple):
    """One comparison, and what shuffled starts give in its place (nothing where there was nothing to compare)."""

    difference: Difference
    shuffled: Shuffled | None


def any_session(session: Began) -> str:
    return ""


def same_repo(session: Began) -> str:
    return session.repo


def alike(session: Began) -> str:
    """The same repository, agent, and length of request."""
    return f"{session.repo}\0{session.agent}\0{request_size(session.course.words)}"


def request_size(words: int) -> str:
    if words <= SHORT_REQUEST:
        return "short"
    return "long" if words >= LONG_REQUEST else "middle"


def counted(sessions: Iterable[Began], calls: int = START_CALLS) -> list[Began]:
    """Those with enough behind their start."""
    return [session for session in sessions if session.rest(calls)[1] >= MIN_REST]


def compare(
    sessions: Sequence[Began],
    value: Value,
    stratum: Stratum = alike,
    calls: int = START_CALLS,
) -> Compared:
    """Sessions that ran early less the others, on what `value` gives; each session counts once."""
    cases = []
    for session in counted(sessions, calls):
        outcome = value(session)
        if outcome is not None:
            case = Case(session.ran_early(calls), outcome, stratum(session))
            cases.append(case)
    compared = difference_within(NAMES, cases)
    if compared.value is None:
        return Compared(compared, None)
    return Compared(compared, shuffled(cases, compared.value))


def error_rate(calls: int = START_CALLS) -> Value:
    """Of the rest."""

    def value(session: Began) -> float | None:
        failed, n = session.rest(calls)
        return failed / n if n else None

    return value


def error_rate_for_its_mix(
    sessions: Sequence[Began], calls: int = START_CALLS
) -> Value:
    """The error rate of the rest less what its mix of looks, runs and changes would lead to expect, plus that of all:
    a session that runs more fails more without doing anything worse."""
    every = [session.rest_by_kind(calls) for session in counted(sessions, calls)]
    rate_of = {
        kind: _pooled([pairs[kind] for pairs in every])
        for kind in (LOOKS, RUNS, CHANGES, ELSE)
    }
    overall = _pooled([pair for pairs in every for pair in pairs.values()])

    def value(session: Began) -> float | None:
        by_kind = session.rest_by_kind(calls)
        failed = sum(pair[0] for pair in by_kind.values())
        n = sum(pair[1] for pair in by_kind.values())
        if not n:
            return None
        expected = sum(rate_of[kind] * pair[1] for kind, pair in by_kind.items())
        return (failed - expected) / n + overall

    return value


def _pooled(pairs: Sequence[Pair]) -> float:
    n = sum(pair[1] for pair in pairs)
    return sum(pair[0] for pair in pairs) / n if n else 0.0


def error_rate_of_runs(session: Began) -> float | None:
    """Of runs in the rest, where there are some."""
    failed, n = session.rest_by_kind(START_CALLS)[RUNS]
    return failed / n if n >= MIN_RUNS else None


def was_corrected(session: Began) -> float:
    return float(session.corrected)


def ended_well(session: Began) -> float | None:
    return None if session.success is None else float(session.success)


def session_before(session: Began) -> float | None:
    return session.before


def by_repo(sessions: Sequence[Began]) -> list[tuple[str, Difference]]:
    """The rest of the two groups in each repository that has both, calls pooled."""
    repos: dict[str, list[tuple[Pair, Pair]]] = {}
    for session in counted(sessions):
        pair = session.rest(START_CALLS)
        sides = (NOTHING, pair) if session.ran_early(START_CALLS) else (pair, NOTHING)
        repos.setdefault(session.repo, []).append(sides)
    rows = [
        (repo, difference("between sessions", NAMES, pairs))
        for repo, pairs in repos.items()
    ]
    both = [row for row in rows if row[1].first.n and row[1].second.n]
    return sorted(both, key=lambda row: (-row[1].sessions, row[0]))


class Trend(NamedTuple):
    """Second halves less first ones, of sessions that start alike: as they are, with the same mix of calls in both, and
    of what comes behind the turns by which the start is told."""

    kind: str
    agent: str
    halves: Difference
    same_mix: Difference
    behind: Difference


def trends(sessions: Sequence[Began]) -> list[Trend]:
    """By what the first turns mostly did, all agents together and then one by one where there are several."""
    groups: dict[tuple[str, str], list[Began]] = {}
    for session in sessions:
        if session.early_kind:
            groups.setdefault((session.early_kind, ALL_AGENTS), []).append(session)
            groups.setdefault((session.early_kind, session.agent), []).append(session)
    rows = [_trend(*names, groups[names]) for names in sorted(groups)]
    told_apart = [row for row in rows if row.halves.sign is not None]
    return [row for row in told_apart if not _is_everybody(row, told_apart)]


def _is_everybody(row: Trend, rows: Sequence[Trend]) -> bool:
    """An agent that all sessions of a kind are of: the row before says the same."""
    return row.agent != ALL_AGENTS and any(
        (other_row.kind, other_row.agent) == (row.kind, ALL_AGENTS)
        and other_row.halves.sessions == row.halves.sessions
        for other_row in rows
    )


def _trend(kind: str, agent: str, sessions: Sequence[Began]) -> Trend:
    courses = [session.course for session in sessions]
    behind = [
        session.course.outcomes[session.early_calls :]
        for session in sessions
        if decided(session.course.outcomes[session.early_calls :])[1] >= MINIMUM
    ]
    long_enough = [
        course for course in courses if decided(course.outcomes)[1] >= MINIMUM
    ]
    by_kind = [halves_by_kind(course) for course in long_enough]
    return Trend(
        kind,
        agent,
        halves_of([course.outcomes for course in long_enough]),
        same_mix("within sessions", HALVES, by_kind),
        halves_of(behind),
    )


def by_first_call(sessions: Sequence[Began]) -> list[tuple[str, int, Rate]]:
    """How sessions begin, and the error rate of the rest: by the very first call, or by talking before any."""
    groups: dict[str, list[Pair]] = {name: [] for name in (*KIND_WORDS.values(), TALK)}
    for session in counted(sessions):
        groups[first_call(session.course)].append(session.rest(START_CALLS))
    return [(name, len(pairs), rate(pairs)) for name, pairs in groups.items()]


def first_call(course: SessionCourse) -> str:
    return TALK if course.talked else KIND_WORDS[course.kinds[0]]
