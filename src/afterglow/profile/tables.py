"""Error rates by tool, length, position, task type, model, agent, repo and week. One row a group, one rule for all."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

from afterglow.records.catalog import Entry
from afterglow.records.profile import EARLY_TURNS, Profile
from afterglow.records.profile_report import Effect, Row, Table
from afterglow.records.tools import TaskType
from afterglow.stats.rates import Pair, rate
from afterglow.text.numbers import count, week

LENGTHS = ("0–50", "51–100", "over 100")
TENTHS = tuple(f"{10 * tenth}–{10 * tenth + 10} %" for tenth in range(10))
MINIMUM = 20  # decided calls a session needs before it is cut into halves and tenths
UNNAMED = "not known"


def length(profile: Profile) -> str:
    return LENGTHS[(profile.messages > 50) + (profile.messages > 100)]


def decided(letters: str) -> Pair:
    """Failed calls, and all that either worked or failed."""
    failed = letters.count("f")
    return failed, failed + letters.count("o")


def parts(letters: str, number: int) -> list[str]:
    """Equal parts by the index of the call: call `i` of `n` is in part `number * i // n`."""
    cuts = [-(-len(letters) * part // number) for part in range(number + 1)]
    return [letters[start:end] for start, end in pairwise(cuts)]


def row(name: str, sessions: Iterable[str]) -> Row:
    """One group, given the outcome letters of its calls session by session."""
    letters = [found for found in sessions if found]
    return Row(
        name=name,
        rate=rate(map(decided, letters)),
        sessions=len(letters),
        calls=sum(map(len, letters)),
        blocked=sum(found.count("b") for found in letters),
        cancelled=sum(found.count("c") for found in letters),
        unknown=sum(found.count("u") for found in letters),
    )


def tables(used: Sequence[tuple[Entry, Profile]]) -> dict[str, Table]:
    """Every table by the name it is asked for with. `used` are the sessions that made at least one call."""
    long_enough = [profile for _, profile in used if profile.decided >= MINIMUM]
    undated = sum(entry.start is None for entry, _ in used)
    tools: dict[str, list[str]] = {}
    for _, profile in used:
        for tool, letters in profile.tools.items():
            tools.setdefault(tool, []).append(letters)
    return {
        "tool": _table(
            "Error rate by tool",
            None,
            "Calls of one tool, in whatever session.",
            _largest(tools),
        ),
        "length": _table(
            "Error rate by length of session",
            "between sessions",
            "Compares different sessions: those that stayed short with those that grew long, in messages.",
            _inorder(
                LENGTHS, [(length(profile), profile.outcomes) for _, profile in used]
            ),
        ),
        "position": _table(
            "Error rate by position in the session",
            "within sessions",
            f"Follows the same {count(len(long_enough), 'session')} from the first to the last tenth of their calls; "
            f"{count(len(used) - len(long_enough), 'session')} with fewer than {MINIMUM} decided calls left out.",
            _inorder(
                TENTHS,
                [
                    pair
                    for p in long_enough
                    for pair in zip(TENTHS, parts(p.outcomes, 10), strict=True)
                ],
            ),
        ),
        "task-type": _table(
            "Error rate by task type",
            "between sessions",
            "Compares sessions by what more than 60 % of their calls did.",
            _inorder(
                _TYPES,
                [(profile.task_type.value, profile.outcomes) for _, profile in used],
            ),
        ),
        "early-task-type": _table(
            f"Error rate in the first {EARLY_TURNS} turns, by what these turns did",
            "between sessions",
            f"Only calls of the first {EARLY_TURNS} turns, both for the type and for the rate.",
            _inorder(
                _TYPES,
                [
                    (profile.early_task_type.value, profile.early)
                    for _, profile in used
                    if profile.early
                ],
            ),
        ),
        "model": _compared(
            "model", [(entry.model, profile.outcomes) for entry, profile in used]
        ),
        "agent": _compared(
            "agent", [(entry.agent, profile.outcomes) for entry, profile in used]
        ),
        "repo": _compared(
            "repo", [(entry.repo, profile.outcomes) for entry, profile in used]
        ),
        "request-style": _compared(
            "request style", [(p.manner.request_style, p.outcomes) for _, p in used]
        ),
        "feedback-style": _compared(
            "feedback style", [(p.manner.feedback_style, p.outcomes) for _, p in used]
        ),
        "week": _table(
            "Error rate by week",
            "between sessions",
            "Compares the sessions that started in each ISO week (UTC)."
            + (
                f" {count(undated, 'session')} without a time left out."
                if undated
                else ""
            ),
            _sorted(
                [
                    (week(entry.start), p.outcomes)
                    for entry, p in used
                    if entry.start is not None
                ]
            ),
        ),
    }


_TYPES = tuple(kind.value for kind in TaskType)


def _table(title: str, effect: Effect | None, about: str, rows: Iterable[Row]) -> Table:
    return Table(title=title, effect=effect, about=about, rows=tuple(rows))


def _compared(thing: str, named: Iterable[tuple[str, str]]) -> Table:
    about = f"Compares different sessions by their {thing}; they may differ in more than that."
    return _table(
        f"Error rate by {thing}", "between sessions", about, _largest(_grouped(named))
    )


def _grouped(named: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    groups: dict[str, list[str]] = {}
    for name, letters in named:
        groups.setdefault(name or UNNAMED, []).append(letters)
    return groups


def _inorder(names: Sequence[str], named: Iterable[tuple[str, str]]) -> list[Row]:
    """A row for every name, also for those nothing fell under."""
    groups = _grouped(named)
    return [row(name, groups.get(name, ())) for name in names]


def _sorted(named: Iterable[tuple[str, str]]) -> list[Row]:
    return [row(name, letters) for name, letters in sorted(_grouped(named).items())]


def _largest(groups: Mapping[str, Iterable[str]]) -> list[Row]:
    rows = [row(name, letters) for name, letters in groups.items()]
    return sorted(rows, key=lambda found: (-found.calls, found.name))
