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
    letters = [outcomes for outcomes in sessions if outcomes]
    return Row(
        name=name,
        rate=rate(map(decided, letters)),
        sessions=len(letters),
        calls=sum(map(len, letters)),
        blocked=sum(outcomes.count("b") for outcomes in letters),
        cancelled=sum(outcomes.count("c") for outcomes in letters),
        unknown=sum(outcomes.count("u") for outcomes in letters),
    )


def tables(used: Sequence[tuple[Entry, Profile]]) -> dict[str, Table]:
    """Every table by the name it is asked for with. `used` are the sessions that made at least one call."""
    profiles = [profile for _, profile in used]

    def by(what: str, names: Iterable[str]) -> Table:
        letters = (profile.outcomes for profile in profiles)
        return _compared(what, zip(names, letters, strict=True))

    return {
        "tool": _by_tool(profiles),
        "length": _by_length(profiles),
        "position": _by_position(profiles),
        "task-type": _by_task_type(profiles),
        "early-task-type": _by_early_task_type(profiles),
        "model": by("model", (entry.model for entry, _ in used)),
        "agent": by("agent", (entry.agent for entry, _ in used)),
        "repo": by("repo", (entry.repo for entry, _ in used)),
        "request-style": by(
            "request style", (profile.manner.request_style for profile in profiles)
        ),
        "feedback-style": by(
            "feedback style", (profile.manner.feedback_style for profile in profiles)
        ),
        "week": _by_week(used),
    }


def _by_tool(profiles: Sequence[Profile]) -> Table:
    tools: dict[str, list[str]] = {}
    for profile in profiles:
        for tool, letters in profile.tools.items():
            tools.setdefault(tool, []).append(letters)
    about = "Calls of one tool, in whatever session."
    return _table("Error rate by tool", None, about, _largest(tools))


def _by_length(profiles: Sequence[Profile]) -> Table:
    return _table(
        "Error rate by length of session",
        "between sessions",
        "Compares different sessions: those that stayed short with those that grew long, in messages.",
        _inorder(
            LENGTHS, [(length(profile), profile.outcomes) for profile in profiles]
        ),
    )


def _by_position(profiles: Sequence[Profile]) -> Table:
    long_enough = [profile for profile in profiles if profile.decided >= MINIMUM]
    too_short = len(profiles) - len(long_enough)
    tenths = [
        tenth
        for profile in long_enough
        for tenth in zip(TENTHS, parts(profile.outcomes, 10), strict=True)
    ]
    return _table(
        "Error rate by position in the session",
        "within sessions",
        f"Follows the same {count(len(long_enough), 'session')} from the first to the last tenth of their calls; "
        f"{count(too_short, 'session')} with fewer than {MINIMUM} decided calls left out.",
        _inorder(TENTHS, tenths),
    )


def _by_task_type(profiles: Sequence[Profile]) -> Table:
    typed = [(profile.task_type.value, profile.outcomes) for profile in profiles]
    return _table(
        "Error rate by task type",
        "between sessions",
        "Compares sessions by what more than 60 % of their calls did.",
        _inorder(_TYPES, typed),
    )


def _by_early_task_type(profiles: Sequence[Profile]) -> Table:
    typed = [
        (profile.early_task_type.value, profile.early)
        for profile in profiles
        if profile.early
    ]
    return _table(
        f"Error rate in the first {EARLY_TURNS} turns, by what these turns did",
        "between sessions",
        f"Only calls of the first {EARLY_TURNS} turns, both for the type and for the rate.",
        _inorder(_TYPES, typed),
    )


def _by_week(used: Sequence[tuple[Entry, Profile]]) -> Table:
    dated = [
        (week(entry.start), profile.outcomes)
        for entry, profile in used
        if entry.start is not None
    ]
    about = "Compares the sessions that started in each ISO week (UTC)."
    undated = len(used) - len(dated)
    if undated:
        about += f" {count(undated, 'session')} without a time left out."
    return _table("Error rate by week", "between sessions", about, _sorted(dated))


_TYPES = tuple(kind.value for kind in TaskType)


def _table(title: str, effect: Effect | None, about: str, rows: Iterable[Row]) -> Table:
    return Table(title=title, effect=effect, about=about, rows=tuple(rows))


def _compared(what: str, named: Iterable[tuple[str, str]]) -> Table:
    about = f"Compares different sessions by their {what}; they may differ in more than that."
    return _table(
        f"Error rate by {what}", "between sessions", about, _largest(_grouped(named))
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
    return sorted(rows, key=lambda row: (-row.calls, row.name))
