"""Errors that an earlier session had already met."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping

from afterglow.measure.readings import Material
from afterglow.profile.recurrence import NO_MESSAGE
from afterglow.records.reading import Reading
from afterglow.stats.estimates import week_of, weekly
from afterglow.stats.rates import Pair


def read(material: Material) -> Iterator[Reading]:
    estimate = weekly(_repeats(material))
    yield Reading(
        name="error recurrence",
        unit="share",
        better="lower",
        nature="observational",
        meaning="failures an earlier session of the repo met",
        definition="Of the failures with a message, in sessions with a repo and a time: those whose fingerprint an "
        "earlier session of the same repo had already met. It rises with the length of the history: the more was met, "
        "the more can repeat.",
        of="failures",
        reason=material.unmeasured(estimate["n"], "no failures to compare"),
        **estimate,
    )


def _repeats(material: Material) -> dict[int | None, list[tuple[str, Pair]]]:
    """By week: of each session, failures an earlier one had met, and all."""
    selected = {session.id for session in material.sessions}
    met: dict[str, set[str]] = defaultdict(set)
    pairs: dict[int | None, list[tuple[str, Pair]]] = defaultdict(list)
    for session in material.history:
        if session.start is None or not session.repo:
            continue
        earlier = met[session.repo]
        if session.errors and session.id in selected:
            pair = _repeated(session.errors, earlier)
            pairs[week_of(session.start)].append((session.repo, pair))
        earlier.update(session.errors)
    return pairs


def _repeated(errors: Mapping[str, int], earlier: Collection[str]) -> Pair:
    """Of one session's failures with a message: those met earlier, and all."""
    again = failures = 0
    for error, times in errors.items():
        if error == NO_MESSAGE:
            continue
        failures += times
        if error in earlier:
            again += times
    return again, failures
