"""The answer to "do sessions that start with running code go better?": sentences, tables and the figure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from afterglow.measure.research.code_first import (
    ALL_AGENTS,
    LONG_REQUEST,
    MIN_REST,
    OTHER_STARTS,
    SHORT_REQUEST,
    START_CALLS,
    Began,
    Compared,
    Trend,
    alike,
    any_session,
    by_first_call,
    by_repo,
    compare,
    counted,
    ended_well,
    error_rate,
    error_rate_for_its_mix,
    error_rate_of_runs,
    same_repo,
    session_before,
    trends,
    was_corrected,
)
from afterglow.profile.published_claims import CLAIMS
from afterglow.records.profile import EARLY_TURNS
from afterglow.records.profile_report import Claim, Difference
from afterglow.records.research import (
    Cell,
    DifferencePanel,
    ResearchAnswer,
    ResearchFigure,
    ResearchTable,
)
from afterglow.stats.rates import FEW_SESSIONS
from afterglow.stats.strata import SHUFFLES, Shuffled
from afterglow.text.numbers import change, count, percent, points_range

PUBLISHED = {
    "code": "ran code",
    "file": "worked on files",
}  # starts that were reported on
MAX_REPOS = 12  # rows of a table; the smallest say nothing by themselves

LIMITS = (
    "Nobody was told how to begin. A task that needs a run at once (a failing test, a broken build) is another task than "
    "one that begins with reading, also in the same repository and after a request as long.",
    "The agent's program and its model decide much of how a session begins; with one agent and one model in a repository "
    "they cannot be told apart from it.",
    "What a run is, is read from the command: a script that only prints counts as one, a test behind an unknown tool does "
    "not.",
    "How a session ended is mostly guessed from its last turns. An experiment that tells sessions how to begin would say "
    "what this cannot.",
)
METHOD = (
    f"Ran early: one of the first {START_CALLS} calls runs tests, a build, a program or a script; the others look, change "
    f"or talk in all of them. Only what came behind these calls is counted, in sessions with at least {MIN_REST} decided "
    "calls there; each session counts once.",
    "Alike: sessions are compared only with sessions of the same repository, the same agent and a first request as long "
    f"(up to {SHORT_REQUEST} words, from {LONG_REQUEST}, between). Groups weigh by what they can tell.",
    f"Shuffled starts: within these groups the same split is dealt out at random, up to {SHUFFLES:,} times. p is the share "
    "of deals that came out at least as far from zero.",
    "Same mix: a session's error rate less what its own mix of looks, runs and changes would lead to expect.",
    "The session before: the same comparison on the session that came before in the repository. How a session begins "
    "cannot have changed it; a difference there is one between kinds of work.",
)


class _Rows(NamedTuple):
    """Comparisons by name: the primary one apart."""

    primary: Compared
    reckoned: dict[str, Compared]
    starts: dict[str, Compared]
    outcomes: dict[str, Compared]
    trends: list[Trend]


def code_first_answer(
    sessions: Sequence[Began], claims: Sequence[Claim]
) -> ResearchAnswer:
    """`claims` are what others published about how sessions start, judged on these sessions."""
    rows = _rows(sessions)
    enough = rows.primary.difference.sign is not None
    has_rows = bool(counted(sessions))
    return ResearchAnswer(
        question="",
        title="",
        answer=_answer(rows.primary) if enough else _too_few(sessions),
        enough=enough,
        findings=tuple(_findings(rows)) if enough else (),
        tables=tuple(_tables(sessions, rows, claims)) if has_rows else (),
        figures=(_figure(rows),) if enough else (),
        limits=LIMITS,
        method=METHOD,
    )


def _rows(sessions: Sequence[Began]) -> _Rows:
    primary = compare(sessions, error_rate())
    reckoned = {
        "all sessions": compare(sessions, error_rate(), any_session),
        "same repository": compare(sessions, error_rate(), same_repo),
        "alike": primary,
        "alike, same mix": compare(sessions, error_rate_for_its_mix(sessions)),
    }
    starts = {
        _calls(calls): compare(sessions, error_rate(calls), alike, calls)
        for calls in OTHER_STARTS
    }
    outcomes = {
        "failed, of runs": compare(sessions, error_rate_of_runs),
        "was corrected": compare(sessions, was_corrected),
        "ended well": compare(sessions, ended_well),
        "session before": compare(sessions, session_before),
    }
    return _Rows(primary, reckoned, starts, outcomes, trends(sessions))


def _calls(calls: int) -> str:
    return "first call" if calls == 1 else f"first {calls} calls"


def _too_few(sessions: Sequence[Began]) -> str:
    members = counted(sessions)
    early = sum(session.ran_early(START_CALLS) for session in members)
    return (
        f"Too few sessions to compare: {count(early, 'session')} ran something in the first {START_CALLS} calls, "
        f"{len(members) - early} did not, and at least {FEW_SESSIONS} of each are needed in repositories that have both."
    )


def _answer(primary: Compared) -> str:
    difference = primary.difference
    verb = {
        -1: "fail less often afterwards than",
        0: "do not clearly fail less or more often afterwards than",
        1: "fail more often afterwards than",
    }[difference.sign or 0]
    return (
        f"Sessions that run something in their first {START_CALLS} calls {verb} those that look or talk first "
        f"({percent(difference.second.value)} and {percent(difference.first.value)} of the rest of their calls; "
        f"{change(difference)} between sessions alike, {difference.second.n} and {difference.first.n} of them"
        f"{_chance(primary)})."
    )


def _chance(compared: Compared) -> str:
    if compared.shuffled is None:
        return ""
    return f"; shuffled starts give as much in {percent(compared.shuffled.p)}"


def _findings(rows: _Rows) -> Iterator[str]:
    raw, mix = rows.reckoned["all sessions"], rows.reckoned["alike, same mix"]
    yield (
        f"Without holding anything equal the difference is {change(raw.difference)}. Between sessions alike, and with the "
        f"same mix of calls, it is {change(mix.difference)}."
    )
    clear = [name for name, each in rows.starts.items() if each.difference.sign]
    beginnings = ", ".join(
        f"{name} {change(each.difference)}"
        for name, each in rows.starts.items()
        if each.difference.value is not None
    )
    if beginnings:
        together = (
            "None of these is clear" if not clear else f"Clear: {', '.join(clear)}"
        )
        yield f"With other beginnings: {beginnings}. {together}; they were not planned one by one."
    before = rows.outcomes["session before"].difference
    if before.sign is not None:
        warns = (
            "so the groups differ in more than how they begin"
            if before.sign
            else "as it should be if only the beginning differed"
        )
        yield f"The session before differs by {change(before)}, {warns}."

    yield from _along(rows.trends)


def _along(rows: Sequence[Trend]) -> Iterator[str]:
    """The published form of the question: do sessions that start so improve, or degrade, as they go on?"""
    for kind, words in PUBLISHED.items():
        by_agent = {row.agent: row for row in rows if row.kind == kind}
        together = by_agent.pop(ALL_AGENTS, None)
        if together is None:
            continue
        agents = [f"{agent} {_trend_words(row)}" for agent, row in by_agent.items()]
        apart = f". By agent: {'; '.join(agents)}" if agents else ""
        yield (
            f"Sessions whose first {EARLY_TURNS} turns mostly {words} go from their first half to their second by "
            f"{_trend_words(together)}; with the same mix of calls in both halves by {change(together.same_mix)}{apart}."
        )


def _trend_words(row: Trend) -> str:
    return f"{change(row.halves)} ({count(row.halves.sessions, 'session')})"


def _tables(
    sessions: Sequence[Began], rows: _Rows, claims: Sequence[Claim]
) -> Iterator[ResearchTable]:
    yield ResearchTable(
        title="The error rate of the rest: ran early less others",
        heads=_HEADS,
        about="Compares different sessions. From row to row more is held equal; alike is the one that was decided on first.",
        rows=tuple(_row(name, each) for name, each in rows.reckoned.items()),
    )
    yield ResearchTable(
        title="The same with other beginnings",
        heads=_HEADS,
        about="What counts as early is a choice; between sessions alike.",
        rows=tuple(_row(name, each) for name, each in rows.starts.items()),
    )
    yield ResearchTable(
        title="Other outcomes",
        heads=_HEADS,
        about="Between sessions alike. The session before cannot have been changed by how this one begins.",
        rows=tuple(_row(name, each) for name, each in rows.outcomes.items()),
    )
    yield ResearchTable(
        title="By repository",
        heads=("repository", "sessions", "looked or talked", "ran early", "difference"),
        about="Calls of the rest, pooled. Repositories that have both.",
        rows=tuple(
            (repo or "none", each.sessions, each.first, each.second, each)
            for repo, each in by_repo(sessions)[:MAX_REPOS]
        ),
    )
    yield ResearchTable(
        title="How sessions begin",
        heads=("first call", "sessions", "failed of the rest"),
        about="By the very first call; talks: the person spoke again before any call.",
        rows=tuple(by_first_call(sessions)),
    )
    yield ResearchTable(
        title=f"Along the session, by what the first {EARLY_TURNS} turns mostly did",
        heads=(
            "start",
            "agent",
            "sessions",
            "halves",
            "same mix",
            f"behind {EARLY_TURNS} turns",
        ),
        about="Second half less first, within sessions. An agent that does everything in a shell starts with code whatever "
        "it does, so agents stand apart where there are several.",
        rows=tuple(
            (
                row.kind,
                row.agent,
                row.halves.sessions,
                row.halves,
                row.same_mix,
                row.behind,
            )
            for row in rows.trends
        ),
    )
    yield ResearchTable(
        title=CLAIMS,
        heads=("claim", "here", "numbers"),
        rows=tuple((claim.claim, claim.verdict, claim.sentence) for claim in claims),
    )


_HEADS = ("compared", "others", "ran early", "difference", "shuffled starts", "p")


def _row(name: str, compared: Compared) -> tuple[Cell, ...]:
    difference, by_chance = compared
    if difference.value is None or by_chance is None:
        return (name, None, None, None, "–", "–")
    return (
        name,
        difference.first,
        difference.second,
        difference,
        points_range(by_chance.low, by_chance.high),
        f"{by_chance.p:.3f}",
    )


def _figure(rows: _Rows) -> ResearchFigure:
    sides = ("fails less", "fails more")
    reckoned = [(name, each.difference) for name, each in rows.reckoned.items()]
    if rows.primary.shuffled is not None:
        by_chance = _by_chance(rows.primary.difference, rows.primary.shuffled)
        reckoned.append(("shuffled starts", by_chance))
    starts = tuple((name, each.difference) for name, each in rows.starts.items())
    return ResearchFigure(
        name="code-first",
        title="The error rate behind the start: sessions that ran early less those that looked or talked first",
        caption="95 % intervals. Alike: same repository, agent and length of request. Shuffled starts: the same split dealt "
        "out at random, 95 of 100 deals.",
        panels=(
            DifferencePanel("What is held equal", tuple(reckoned), sides),
            DifferencePanel("What counts as early", starts, sides),
        ),
    )


def _by_chance(primary: Difference, by_chance: Shuffled) -> Difference:
    """What shuffled starts give, drawn as the others are."""
    return replace(
        primary, value=by_chance.mean, low=by_chance.low, high=by_chance.high
    )
