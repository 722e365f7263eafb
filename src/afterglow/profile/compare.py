"""Length and position, kept apart.

Comparing long sessions with short ones compares different sessions; comparing the end of a session with its beginning
compares it with itself. The first mixes in which sessions became long at all, the second does not.
"""

from __future__ import annotations

from collections.abc import Sequence

from afterglow.profile.tables import LENGTHS, MINIMUM, decided, length, parts
from afterglow.records.profile import Profile
from afterglow.records.profile_report import Difference, Effects
from afterglow.records.tools import TaskType
from afterglow.stats.rates import Pair, difference
from afterglow.text.numbers import change, percent

SHORT, MIDDLE, LONG = LENGTHS
HALVES = ("first half", "second half")
TENTHS = ("first tenth", "last tenth")
NOTHING: Pair = (0, 0)


def effects(profiles: Sequence[Profile]) -> Effects:
    """Every comparison the report makes, with the sentence about reading the two kinds side by side."""
    enough = [profile for profile in profiles if profile.decided >= MINIMUM]
    by_length = [(length(profile), decided(profile.outcomes)) for profile in profiles]
    between = {
        f"{second} vs {first}": between_groups(by_length, first, second)
        for first, second in ((SHORT, LONG), (SHORT, MIDDLE), (MIDDLE, LONG))
    }
    within = {
        "second vs first half": _halves(enough),
        "last vs first tenth": _tenths(enough),
        f"second vs first half, {LONG}": _halves(
            [profile for profile in enough if length(profile) == LONG]
        ),
    }
    by_start = {
        kind.value: _halves(
            [profile for profile in enough if profile.early_task_type is kind]
        )
        for kind in TaskType
    }
    return Effects(
        between=between,
        within=within,
        by_start=by_start,
        minimum=MINIMUM,
        too_short=len(profiles) - len(enough),
        survivorship=survivorship(
            between[f"{LONG} vs {SHORT}"], within["second vs first half"]
        ),
    )


def between_groups(
    grouped: Sequence[tuple[str, Pair]], first: str, second: str
) -> Difference:
    """Two groups of sessions; no session is in both."""
    pairs = [
        (pair, NOTHING) if name == first else (NOTHING, pair)
        for name, pair in grouped
        if name in (first, second)
    ]
    return difference(
        "between sessions", (f"{first} messages", f"{second} messages"), pairs
    )


def survivorship(between: Difference, within: Difference) -> str:
    """What the two numbers say together, in plain words; computed, and silent about causes."""
    if between.sign is None or within.sign is None:
        return (
            "There are not enough sessions to set the two side by side: length compares short sessions with long ones, "
            "position compares the beginning of a session with its end."
        )
    length_says = {
        -1: "long sessions have a lower error rate than short ones",
        0: "long and short sessions do not clearly differ",
        1: "long sessions have a higher error rate than short ones",
    }[between.sign]
    position_says = {
        -1: "errors become rarer from the first half to the second",
        0: "the first and the second half do not clearly differ",
        1: "errors become more frequent from the first half to the second",
    }[within.sign]
    return (
        f"Across sessions, {length_says}: {percent(between.second.value)} over 100 messages against "
        f"{percent(between.first.value)} up to 50, {change(between)}. Inside the same session, {position_says}: "
        f"{percent(within.first.value)}, then {percent(within.second.value)}, {change(within)}. "
        f"{_together(between.sign, within.sign)}"
    )


def _together(between: int, within: int) -> str:
    selection = "Sessions that go badly may be ended early, so the long ones may be those that were going well from the start"
    if between * within < 0:
        return (
            f"The two point in opposite directions, and both can be true. {selection}: the first number does not say "
            "how a session changes as it goes on. For that, read the second."
        )
    if between and within:
        return (
            f"The two point the same way, but they answer different questions. {selection}; only the second number "
            "says how a session changes as it goes on."
        )
    if between:
        return f"Only the comparison across sessions is clear, and it says nothing about a session over time. {selection}."
    if within:
        return "Only the change inside a session is clear; whether a session is long or short tells little about its rate."
    return "Neither difference stands out from chance in these sessions."


def _halves(profiles: Sequence[Profile]) -> Difference:
    return difference(
        "within sessions", HALVES, [_ends(profile.outcomes, 2) for profile in profiles]
    )


def _tenths(profiles: Sequence[Profile]) -> Difference:
    return difference(
        "within sessions", TENTHS, [_ends(profile.outcomes, 10) for profile in profiles]
    )


def _ends(letters: str, number: int) -> tuple[Pair, Pair]:
    tenths = parts(letters, number)
    return decided(tenths[0]), decided(tenths[-1])
