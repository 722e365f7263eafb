"""Length and position taken apart: what differs between sessions, what changes inside them, and what would be seen by
call number if nothing changed inside any session (survivorship alone).

Places are counted in decided calls: those that either worked or failed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from afterglow.measure.research.session_course import KIND_WORDS
from afterglow.profile.compare import HALVES, LONG, MIDDLE, SHORT, between_groups
from afterglow.profile.tables import MINIMUM, decided, parts
from afterglow.records.profile_report import Difference, Rate
from afterglow.records.research import SessionCourse
from afterglow.stats.intervals import mean_and_half
from afterglow.stats.rates import Pair, difference, mean_rate, rate
from afterglow.stats.rotations import chance_of_halves, expected_rate
from afterglow.stats.same_mix import Sides, same_mix
from afterglow.stats.strata import Case, difference_within

LENGTHS = (SHORT, MIDDLE, LONG)
FIRST_CALLS = 10  # a stretch that nearly every session has, however long it became
# Wider as sessions that get there become fewer.
STRETCHES = ((0, 10), (10, 20), (20, 50), (50, 100), (100, 200), (200, 10**9))
EARLY_FAILURES = ("none", "one", "two or more")
NOTHING: Pair = (0, 0)


class Lasted(NamedTuple):
    """One session: which length it came to, its calls, and its repository."""

    length: str
    course: SessionCourse
    repo: str = ""

    @property
    def letters(self) -> str:
        """The outcomes of decided calls."""
        return "".join(letter for letter in self.course.outcomes if letter in "of")

    @property
    def marks(self) -> list[int]:
        return [int(letter == "f") for letter in self.letters]


class Stretch(NamedTuple):
    """Calls of these numbers in whatever session has them, and what survivorship alone would give."""

    name: str
    observed: Rate
    expected: Rate


class LengthRow(NamedTuple):
    """Sessions of one length: their rate as a whole, in their first calls, and behind those. Only sessions with more
    calls than these are in the last two."""

    length: str
    sessions: int
    whole: Rate
    early: Rate
    later: Rate


def stretches(sessions: Sequence[Lasted]) -> list[Stretch]:
    """Those that some session reaches."""
    marks = [session.marks for session in sessions]
    rows = []
    for begin, end in STRETCHES:
        pieces = [part[begin:end] for part in marks]
        observed = rate([(sum(piece), len(piece)) for piece in pieces])
        if observed.n:
            name = f"{begin + 1}–{end}" if end < 10**6 else f"over {begin}"
            rows.append(Stretch(name, observed, expected_rate(marks, begin, end)))
    return rows


def chance_of_change(sessions: Sequence[Lasted]) -> float | None:
    """How often halves would differ as much by turning each session's calls round."""
    return chance_of_halves([session.marks for session in cuttable(sessions)])


def cuttable(sessions: Sequence[Lasted]) -> list[Lasted]:
    """Those with calls enough to be cut in two."""
    return [session for session in sessions if len(session.letters) >= MINIMUM]


def by_length(sessions: Sequence[Lasted]) -> list[LengthRow]:
    rows = []
    for length in LENGTHS:
        members = [session for session in sessions if session.length == length]
        rows.append(
            LengthRow(
                length,
                len(members),
                rate([decided(session.letters) for session in members]),
                rate([early_and_later(session)[0] for session in members]),
                rate([early_and_later(session)[1] for session in members]),
            )
        )
    return rows


def early_and_later(session: Lasted) -> tuple[Pair, Pair]:
    """The first calls and those behind them, of a session that has more than the first."""
    letters = session.letters
    if len(letters) <= FIRST_CALLS:
        return NOTHING, NOTHING
    return decided(letters[:FIRST_CALLS]), decided(letters[FIRST_CALLS:])


def long_against_short(sessions: Sequence[Lasted]) -> dict[str, Difference]:
    """Of the whole session, of its first calls, of those behind them; and of the whole as if the mix were the same."""
    whole = [(session.length, decided(session.letters)) for session in sessions]
    early = [(session.length, early_and_later(session)[0]) for session in sessions]
    later = [(session.length, early_and_later(session)[1]) for session in sessions]
    return {
        "whole": between_groups(whole, SHORT, LONG),
        "early": between_groups(early, SHORT, LONG),
        "later": between_groups(later, SHORT, LONG),
        "same mix": _lengths_of_same_mix(sessions),
    }


def long_against_short_in_repos(sessions: Sequence[Lasted]) -> dict[str, Difference]:
    """The same between sessions of one repository, each session counting once."""
    names = (f"{SHORT} messages", f"{LONG} messages")
    ends = [session for session in sessions if session.length in (SHORT, LONG)]
    stretches_of = [
        (session, decided(session.letters), *early_and_later(session))
        for session in ends
    ]
    return {
        name: difference_within(
            names,
            [
                Case(session.length == LONG, pair[0] / pair[1], session.repo)
                for session, *pairs in stretches_of
                if (pair := pairs[at])[1]
            ],
        )
        for at, name in enumerate(("whole", "early", "later"))
    }


def _lengths_of_same_mix(sessions: Sequence[Lasted]) -> Difference:
    rows: list[Mapping[str, Sides]] = []
    for session in sessions:
        if session.length in (SHORT, LONG):
            pairs = _by_kind(session.course.outcomes, session.course.kinds)
            is_short = session.length == SHORT
            rows.append(
                {
                    kind: (pair, NOTHING) if is_short else (NOTHING, pair)
                    for kind, pair in pairs.items()
                }
            )
    names = (f"{SHORT} messages", f"{LONG} messages")
    return same_mix("between sessions", names, rows)


class RepoRow(NamedTuple):
    """One repository: long sessions less short ones, second halves less first ones, and these with the same mix."""

    repo: str
    sessions: int
    between: Difference
    within: Difference
    same_mix: Difference


def by_repo(sessions: Sequence[Lasted]) -> list[RepoRow]:
    """The largest first; those without sessions enough for either are left out."""
    groups: dict[str, list[Lasted]] = {}
    for session in sessions:
        groups.setdefault(session.repo, []).append(session)
    rows = []
    for repo, members in groups.items():
        whole = [(session.length, decided(session.letters)) for session in members]
        between, inside = between_groups(whole, SHORT, LONG), halves(members)
        row = RepoRow(
            repo, len(members), between, inside["all calls"], inside["same mix"]
        )
        if between.sign is not None or row.within.sign is not None:
            rows.append(row)
    return sorted(rows, key=lambda row: (-row.sessions, row.repo))


def halves(sessions: Sequence[Lasted]) -> dict[str, Difference]:
    """The second half less the first, reckoned in several ways; each name says which."""
    long_enough = cuttable(sessions)
    by_kind = [halves_by_kind(session.course) for session in long_enough]
    compared = {
        "all calls": halves_of([session.course.outcomes for session in long_enough]),
        "sessions alike": _alike(long_enough),
        f"{LONG} messages": halves_of(
            [
                session.course.outcomes
                for session in long_enough
                if session.length == LONG
            ]
        ),
        "same mix": same_mix("within sessions", HALVES, by_kind),
    }
    for kind, words in KIND_WORDS.items():
        pairs = [row.get(kind, (NOTHING, NOTHING)) for row in by_kind]
        compared[f"{words} only"] = difference("within sessions", HALVES, pairs)
    return compared


def halves_of(outcomes: Sequence[str]) -> Difference:
    pairs = [_two(parts(letters, 2)) for letters in outcomes]
    return difference("within sessions", HALVES, pairs)


def _two(pieces: Sequence[str]) -> tuple[Pair, Pair]:
    return decided(pieces[0]), decided(pieces[1])


def halves_by_kind(course: SessionCourse) -> dict[str, Sides]:
    outcomes, kinds = parts(course.outcomes, 2), parts(course.kinds, 2)
    first, second = (_by_kind(outcomes[half], kinds[half]) for half in (0, 1))
    return {
        kind: (first.get(kind, NOTHING), second.get(kind, NOTHING))
        for kind in {**first, **second}
    }


def _by_kind(outcomes: str, kinds: str) -> dict[str, Pair]:
    letters: dict[str, str] = {}
    for outcome, kind in zip(outcomes, kinds, strict=True):
        letters[kind] = letters.get(kind, "") + outcome
    return {kind: decided(part) for kind, part in letters.items()}


def _alike(sessions: Sequence[Lasted]) -> Difference:
    """The mean of the sessions' own changes: a session of a thousand calls counts as one of twenty."""
    shares = list(_half_shares(sessions))
    first, second = (mean_rate([pair[half] for pair in shares]) for half in (0, 1))
    changes = [later - earlier for earlier, later in shares]
    value, low, high = None, -1.0, 1.0
    if len(changes) > 1:
        value, half_width = mean_and_half(changes)
        low, high = value - half_width, value + half_width
    return Difference(
        effect="within sessions",
        first_name=HALVES[0],
        second_name=HALVES[1],
        first=first,
        second=second,
        value=value,
        low=low,
        high=high,
        sessions=len(shares),
    )


def _half_shares(sessions: Sequence[Lasted]) -> Iterator[tuple[float, float]]:
    for session in sessions:
        first, second = _two(parts(session.letters, 2))
        yield first[0] / first[1], second[0] / second[1]


def shares_of_kind(sessions: Sequence[Lasted], kind: str) -> tuple[Rate, Rate]:
    """How much of the first halves, and of the second, was of a kind."""
    pieces = [parts(session.course.kinds, 2) for session in cuttable(sessions)]
    first, second = (
        rate([(piece[half].count(kind), len(piece[half])) for piece in pieces])
        for half in (0, 1)
    )
    return first, second


def went_on(sessions: Sequence[Lasted]) -> list[tuple[str, Rate]]:
    """By failures in the first calls: the share of sessions that came to the greatest length."""
    groups: dict[str, list[Pair]] = {name: [] for name in EARLY_FAILURES}
    for session in sessions:
        failed, n = early_and_later(session)[0]
        if n:
            groups[EARLY_FAILURES[min(failed, 2)]].append((session.length == LONG, 1))
    return [(name, rate(pairs)) for name, pairs in groups.items()]


def going_on_in_repos(sessions: Sequence[Lasted]) -> Difference:
    """The same between sessions of one repository."""
    cases = []
    for session in sessions:
        failed, n = early_and_later(session)[0]
        if n and failed != 1:
            is_long = float(session.length == LONG)
            cases.append(Case(failed > 1, is_long, session.repo))
    return difference_within(("none", "two or more"), cases)


def going_on_after_failures(sessions: Sequence[Lasted]) -> Difference:
    """Sessions with two or more early failures against those with none: how many more of them became long."""
    pairs: list[tuple[Pair, Pair]] = []
    for session in sessions:
        failed, n = early_and_later(session)[0]
        became_long: Pair = (int(session.length == LONG), 1)
        if n and not failed:
            pairs.append((became_long, NOTHING))
        elif failed > 1:
            pairs.append((NOTHING, became_long))
    return difference("between sessions", ("none", "two or more"), pairs)
