"""Sessions whose context ran full."""

from __future__ import annotations

from collections.abc import Iterator

from afterglow.measure.readings import NO_SESSIONS, Material
from afterglow.records.reading import Reading
from afterglow.stats.estimates import weekly
from afterglow.text.numbers import number


def read(material: Material) -> Iterator[Reading]:
    events = sum(session.compactions for session in material.sessions)
    estimate = weekly(
        {
            week: [
                (session.repo, (int(session.compactions > 0), 1))
                for session in sessions
            ]
            for week, sessions in material.weeks.items()
        }
    )
    yield Reading(
        name="compactions",
        unit="share",
        better="lower",
        nature="counted",
        meaning="sessions whose context ran full",
        definition="Sessions with at least one compaction of their context, as their agent recorded it; agents that do "
        "not record it count as none.",
        of="sessions",
        reason="" if estimate["n"] else NO_SESSIONS,
        detail=f"{number(events)} compaction events" if estimate["n"] else "",
        **estimate,
    )
