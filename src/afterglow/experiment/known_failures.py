"""What came of failures that were known when a session began: how long each took to be solved, and how often it came.

The same in every arm: a failure is known by its own keys, whether or not anything was said about it. The first known
failure of a session is where arms by moment part: until then only what was told at the start can have made a
difference, from then on also what was told on failure.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from afterglow.records.problems import Event, EventKind

# Harvest looks for a solution in the 16 calls behind a failure; what had none by then counts as if it came right after.
MAX_CALLS_COUNTED = 17
# Failures whose solution can be seen. A check that prints nothing is solved by nothing; the rest are people's words.
SOLVABLE: frozenset[EventKind] = frozenset({"failed", "hidden", "ci"})


class MetFailure(Struct, frozen=True):
    """A failure in its session, and what it was known as when that began: lessons, or a check of the session's own
    state. Empty: it was not known."""

    event: Event
    known_as: frozenset[str]


class KnownFailures(Struct, frozen=True):
    """Of one session. `until_solved` are the calls from the first known failure to the one that got what it was after,
    `further` are failures of the same kind behind it; both None where none came up. `lost` are the calls until solved
    of every known failure, each kind once; 0 where none came up."""

    until_solved: int | None = None
    further: int | None = None
    lost: int = 0


def known_failures(met: Sequence[MetFailure]) -> KnownFailures:
    """`met` are the failures of a session in their order."""
    recognised = [failure for failure in met if _counts(failure)]
    if not recognised:
        return KnownFailures()
    first = recognised[0]
    further = [later for later in recognised[1:] if later.known_as & first.known_as]
    return KnownFailures(
        until_solved=_calls(first.event),
        further=len(further),
        lost=sum(_calls(failure.event) for failure in _first_of_each_kind(recognised)),
    )


def _counts(failure: MetFailure) -> bool:
    return bool(failure.known_as) and failure.event.kind in SOLVABLE


def _calls(event: Event) -> int:
    if event.remedy is None:
        return MAX_CALLS_COUNTED
    return min(event.calls, MAX_CALLS_COUNTED)


def _first_of_each_kind(recognised: Sequence[MetFailure]) -> list[MetFailure]:
    came_up: set[str] = set()
    firsts = []
    for failure in recognised:
        if came_up.isdisjoint(failure.known_as):
            firsts.append(failure)
        came_up |= failure.known_as
    return firsts
