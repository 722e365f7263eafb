"""The answer to "does a session get better as it goes on?": sentences, tables and the figure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from afterglow.measure.research.length_and_position import (
    FIRST_CALLS,
    Lasted,
    LengthRow,
    RepoRow,
    Stretch,
    by_length,
    by_repo,
    chance_of_change,
    cuttable,
    going_on_after_failures,
    going_on_in_repos,
    halves,
    long_against_short,
    long_against_short_in_repos,
    shares_of_kind,
    stretches,
    went_on,
)
from afterglow.measure.research.session_course import RUNS
from afterglow.profile.compare import LONG, SHORT
from afterglow.profile.published_claims import CLAIMS
from afterglow.profile.tables import MINIMUM
from afterglow.records.profile_report import Claim, Difference, Rate
from afterglow.records.research import (
    ExpectedPanel,
    ResearchAnswer,
    ResearchFigure,
    ResearchTable,
)
from afterglow.stats.rates import FEW_SESSIONS
from afterglow.text.numbers import change, percent

MAX_REPOS = 12  # rows of a table; the smallest say nothing by themselves
MIN_REACHING = 20  # sessions behind the last stretch that a sentence names

LIMITS = (
    "Nobody was assigned a length. Sessions differ in task, model and person, and these may decide both how long a session "
    "becomes and how often it fails.",
    "A session that went badly may be ended and its task begun again in a new one: then the failures stay with the short "
    "session and the success goes to the long one.",
    "The work changes along a session. Comparing calls of one kind with calls of the same kind helps, but a test at the "
    "end is not the test at the beginning.",
    "An error is a call that its tool reports as failed. A test that is meant to fail counts, a wrong answer does not.",
)
METHOD = (
    f"Places are counted in decided calls (those that worked or failed). Halves are of sessions with at least {MINIMUM} of "
    "them; intervals allow for calls of one session being alike.",
    "Survivorship alone: every session keeps its calls, its failures and its length, and its calls are turned round in all "
    "ways there are. Then nothing changes inside a session, and what still differs by call number comes from which "
    "sessions get that far. Turning keeps runs of failures together; shuffling single calls would not.",
    f"The first {FIRST_CALLS} calls are of sessions that have more than these. Same mix: each kind of call (looks, runs, "
    "changes, anything else) is compared with itself, and the kinds weigh what they weigh in both sides together. Same "
    "repository: sessions are compared with sessions of the same repository only, each counting once.",
)


class _Numbers(NamedTuple):
    """What the sentences are made of."""

    lengths: Sequence[LengthRow]
    between: dict[str, Difference]
    in_repos: dict[str, Difference]
    within: dict[str, Difference]
    stretches: Sequence[Stretch]
    went_on: Sequence[tuple[str, Rate]]
    going_on: Difference
    going_on_in_repos: Difference
    chance: float | None
    runs: tuple[Rate, Rate]
    repos: Sequence[RepoRow]


def length_answer(
    sessions: Sequence[Lasted], claims: Sequence[Claim]
) -> ResearchAnswer:
    """`claims` are what others published about length and position, judged on these sessions."""
    calling = [session for session in sessions if session.letters]
    numbers = _Numbers(
        by_length(calling),
        long_against_short(calling),
        long_against_short_in_repos(calling),
        halves(calling),
        stretches(calling),
        went_on(calling),
        going_on_after_failures(calling),
        going_on_in_repos(calling),
        chance_of_change(calling),
        shares_of_kind(calling, RUNS),
        by_repo(calling),
    )
    enough = any(
        compared.sign is not None
        for compared in (numbers.between["whole"], numbers.within["all calls"])
    )
    return ResearchAnswer(
        question="",
        title="",
        answer=_answer(numbers, calling) if enough else _too_few(numbers, calling),
        enough=enough,
        findings=tuple(_findings(numbers)) if enough else (),
        tables=tuple(_tables(numbers, claims)) if calling else (),
        figures=(_figure(numbers.stretches),) if calling else (),
        limits=LIMITS,
        method=METHOD,
    )


def _too_few(numbers: _Numbers, sessions: Sequence[Lasted]) -> str:
    counts = {row.length: row.sessions for row in numbers.lengths}
    cut = len(cuttable(sessions))
    return (
        f"Too few sessions to tell length from position: {counts[SHORT]} of {SHORT} messages, {counts[LONG]} of {LONG}, "
        f"{cut} with the {MINIMUM} decided calls it takes to be cut in two; at least {FEW_SESSIONS} of each would be needed."
    )


def _answer(numbers: _Numbers, sessions: Sequence[Lasted]) -> str:
    between, inside = _between_words(numbers), _inside_words(numbers, sessions)
    return f"{between}; {inside}."


def _between_words(numbers: _Numbers) -> str:
    whole, early = numbers.between["whole"], numbers.between["early"]
    if whole.sign is None:
        counts = {row.length: row.sessions for row in numbers.lengths}
        return f"Too few sessions to compare lengths ({counts[SHORT]} of {SHORT} messages, {counts[LONG]} of {LONG})"
    verb = {
        -1: "Long sessions fail less often than short ones",
        0: "Long and short sessions do not clearly differ",
        1: "Long sessions fail more often than short ones",
    }[whole.sign]
    return (
        f"{verb} ({percent(whole.second.value)} over 100 messages, {percent(whole.first.value)} up to 50: "
        f"{change(whole)}){_already(whole, early)}"
    )


def _inside_words(numbers: _Numbers, sessions: Sequence[Lasted]) -> str:
    inside, same = numbers.within["all calls"], numbers.within["same mix"]
    if inside.sign is None:
        return f"too few sessions are long enough to be cut in two ({len(cuttable(sessions))})"
    changes = {
        -1: "errors become rarer",
        0: "the error rate does not clearly change",
        1: "errors become more frequent",
    }[inside.sign]
    mixed = "" if same.value is None else f"; with the same mix of calls {change(same)}"
    return (
        f"inside the same session {changes} ({percent(inside.first.value)} in the first half, "
        f"{percent(inside.second.value)} in the second: {change(inside)}{mixed})"
    )


def _already(whole: Difference, early: Difference) -> str:
    """Whether the difference was there before any of them was long."""
    if not whole.sign or early.sign is None:
        return ""
    numbers = f"{percent(early.second.value)} and {percent(early.first.value)}: {change(early)}"
    if early.sign == whole.sign:
        return (
            f", and did so in their first {FIRST_CALLS} calls already ({numbers}), so it is which sessions become long "
            "that differs"
        )
    return f", though not clearly so in their first {FIRST_CALLS} calls ({numbers})"


def _findings(numbers: _Numbers) -> Iterator[str]:
    yield from _survivorship(numbers.stretches)
    yield from _who_goes_on(numbers)
    if numbers.chance is not None:
        yield (
            f"Turning each session's calls round gives halves that differ at least as much in {percent(numbers.chance)} "
            "of all turns."
        )
    yield from _mix(numbers)
    yield from _repos(numbers.repos)


def _repos(rows: Sequence[RepoRow]) -> Iterator[str]:
    """Where repositories point in different directions, a number for all of them is nobody's."""
    falling = [row.repo for row in rows if row.same_mix.sign == -1]
    rising = [row.repo for row in rows if row.same_mix.sign == 1]
    if len(rows) < 2 or not (falling or rising):
        return
    parts = [
        f"become {word} in {', '.join(repo or 'no repository' for repo in repos)}"
        for word, repos in (("rarer", falling), ("more frequent", rising))
        if repos
    ]
    rest = len(rows) - len(falling) - len(rising)
    unclear = (
        f"; in {rest} of {len(rows)} repositories nothing is clear" if rest else ""
    )
    yield f"With the same mix of calls errors {' and '.join(parts)} from first half to second{unclear}."


def _survivorship(rows: Sequence[Stretch]) -> Iterator[str]:
    solid = [row for row in rows if row.observed.sessions >= MIN_REACHING]
    if len(solid) < 2:
        return
    first, last = solid[0], solid[-1]
    inside = sum(
        row.expected.low <= (row.observed.value or 0.0) <= row.expected.high
        for row in solid
    )
    yield (
        f"By call number the error rate goes from {percent(first.observed.value)} (calls {first.name}) to "
        f"{percent(last.observed.value)} (calls {last.name}). If nothing changed inside any session it would go from "
        f"{percent(first.expected.value)} to {percent(last.expected.value)}: {inside} of {len(solid)} stretches lie where "
        "survivorship alone would put them."
    )


def _who_goes_on(numbers: _Numbers) -> Iterator[str]:
    going_on = numbers.going_on
    if going_on.sign is None:
        return
    by_failures = dict(numbers.went_on)
    clear = "" if going_on.sign else ", which could be chance"
    inside = numbers.going_on_in_repos
    in_repos = "" if inside.value is None else f"; within repositories {change(inside)}"
    yield (
        f"Of sessions with no failure in their first {FIRST_CALLS} calls {percent(by_failures['none'].value)} went over "
        f"100 messages, of those with two or more {percent(by_failures['two or more'].value)} "
        f"({change(going_on)}{clear}{in_repos})."
    )


def _mix(numbers: _Numbers) -> Iterator[str]:
    first, second = numbers.runs
    runs = numbers.within["runs only"]
    if runs.first.value is None or runs.second.value is None:
        return
    yield (
        f"Runs (tests, builds, programs) make up {percent(first.value)} of the calls in first halves and "
        f"{percent(second.value)} in second ones, and {percent(runs.first.value)} and {percent(runs.second.value)} of them "
        "fail: that is why the mix matters."
    )


def _tables(numbers: _Numbers, claims: Sequence[Claim]) -> Iterator[ResearchTable]:
    early, later = f"first {FIRST_CALLS} calls", "after them"
    between, in_repos = numbers.between, numbers.in_repos
    yield ResearchTable(
        title="Between sessions: by length",
        heads=("messages", "sessions", "whole session", early, later),
        about="Compares different sessions. The first calls are the same stretch of all of them: what differs there "
        "is which sessions become long, not what length does to them.",
        rows=(
            *(
                (row.length, row.sessions, row.whole, row.early, row.later)
                for row in numbers.lengths
            ),
            (
                "long less short",
                None,
                between["whole"],
                between["early"],
                between["later"],
            ),
            ("… same mix", None, between["same mix"], None, None),
            (
                "… same repository",
                in_repos["whole"].sessions,
                in_repos["whole"],
                in_repos["early"],
                in_repos["later"],
            ),
        ),
    )
    yield ResearchTable(
        title="Within sessions: second half less first",
        heads=("reckoned", "sessions", "first half", "second half", "difference"),
        about="Compares the two halves of the same sessions.",
        rows=tuple(
            (name, half.sessions, half.first, half.second, half)
            for name, half in numbers.within.items()
        ),
    )
    yield ResearchTable(
        title="By call number, beside what survivorship alone would give",
        heads=("calls", "sessions", "counted", "survivorship alone"),
        about="What was counted mixes two things: which sessions get that far, and what changes inside them. Beside it "
        "nothing changes inside a session.",
        rows=tuple(
            (row.name, row.observed.sessions, row.observed, row.expected)
            for row in numbers.stretches
        ),
    )
    if len(numbers.repos) > 1:
        yield ResearchTable(
            title="By repository",
            heads=("repository", "sessions", "long less short", "halves", "same mix"),
            about="Between sessions, then second half less first within them, then that with the same mix of calls.",
            rows=tuple(
                (
                    row.repo or "none",
                    row.sessions,
                    row.between,
                    row.within,
                    row.same_mix,
                )
                for row in numbers.repos[:MAX_REPOS]
            ),
        )
    yield ResearchTable(
        title=f"Who goes on: failures in the first {FIRST_CALLS} calls",
        heads=("failures", "went over 100 messages"),
        about="Between sessions. If sessions that begin badly are ended, long sessions are those that began well.",
        rows=(
            *numbers.went_on,
            ("two or more less none", numbers.going_on),
            ("… same repository", numbers.going_on_in_repos),
        ),
    )
    yield ResearchTable(
        title=CLAIMS,
        heads=("claim", "here", "numbers"),
        rows=tuple((claim.claim, claim.verdict, claim.sentence) for claim in claims),
    )


def _figure(rows: Sequence[Stretch]) -> ResearchFigure:
    return ResearchFigure(
        name="length",
        title="The error rate by call number, and what survivorship alone would give",
        caption="Dots with lines: what was counted, with 95 % intervals. Line with band: every session keeps its own error "
        "rate throughout, and only which sessions get that far changes; the band holds 95 of 100 such histories.",
        panels=(
            ExpectedPanel(
                "Error rate by call number",
                tuple((row.name, row.observed, row.expected) for row in rows),
                observed="counted",
                expected="survivorship alone",
                axis="number of the call in its session",
            ),
        ),
    )
