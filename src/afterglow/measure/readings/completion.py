"""Sessions that got there."""

from __future__ import annotations

from collections.abc import Iterator

from afterglow.measure.readings import NO_SESSIONS, Material
from afterglow.records.reading import Reading
from afterglow.stats.estimates import weekly
from afterglow.text.numbers import number


def read(material: Material) -> Iterator[Reading]:
    found = weekly(
        {
            week: [(int(one.done), 1) for one in some if one.done is not None]
            for week, some in material.weeks.items()
        }
    )
    known, rest = found["n"], len(material.sessions) - found["n"]
    guessed = sum(one.guessed for one in material.sessions if one.done is not None)
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
        if known
        else "no session has a known outcome"
        if material.sessions
        else NO_SESSIONS,
        detail=f"{number(guessed)} guessed from the ending, {number(rest)} not known"
        if known
        else "",
        **found,
    )
