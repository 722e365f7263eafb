"""Errors that an earlier session had already met."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from afterglow.measure.readings import NO_SESSIONS, Material
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
        reason=""
        if estimate["n"]
        else "no failures to compare"
        if material.sessions
        else NO_SESSIONS,
        **estimate,
    )


def _repeats(material: Material) -> dict[int | None, list[Pair]]:
    """By week: of each session, failures an earlier one had met, and all."""
    selected = (
        {session.id for session in material.sessions}
        if len(material.sessions) < len(material.history)
        else None
    )
    met: dict[str, set[str]] = defaultdict(set)
    pairs: dict[int | None, list[Pair]] = defaultdict(list)
    for session in material.history:
        if not (session.errors and session.repo and session.start is not None):
            continue
        earlier, again, all_ = met[session.repo], 0, 0
        for error, times in session.errors.items():
            if error != NO_MESSAGE:
                all_ += times
                again += times if error in earlier else 0
        earlier.update(session.errors)
        if selected is None or session.id in selected:
            pairs[week_of(session.start)].append((again, all_))
    return pairs
