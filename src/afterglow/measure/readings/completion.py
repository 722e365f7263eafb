"""Sessions that got there."""

from __future__ import annotations

from collections.abc import Iterator

from afterglow.measure.readings import NO_SESSIONS, Material
from afterglow.records.reading import Reading
from afterglow.stats.estimates import weekly
from afterglow.text.numbers import number


def read(material: Material) -> Iterator[Reading]:
    estimate = weekly(
        {
            week: [
                (int(session.done), 1)
                for session in sessions
                if session.done is not None
            ]
            for week, sessions in material.weeks.items()
        }
    )
    decided, rest = estimate["n"], len(material.sessions) - estimate["n"]
    guessed = sum(
        session.guessed for session in material.sessions if session.done is not None
    )
    yield Reading(
        name="task completion",
        unit="share",
        better="higher",
        nature="proxy",
        meaning="sessions that ended in success (proxy)",
        definition="Sessions with outcome success of those with a known outcome. A score or a status an agent recorded "
        "wins; else it is guessed from whether the last call worked and the assistant had the last word.",
        of="sessions",
        reason=""
        if decided
        else "no session has a known outcome"
        if material.sessions
        else NO_SESSIONS,
        detail=f"{number(guessed)} guessed from the ending, {number(rest)} not known"
        if decided
        else "",
        **estimate,
    )
