"""What works at the first call."""

from __future__ import annotations

from collections.abc import Iterator

from afterglow.measure.readings import Material
from afterglow.records.reading import Reading
from afterglow.stats.estimates import weekly


def read(material: Material) -> Iterator[Reading]:
    estimate = weekly(
        {
            week: [
                (session.repo, (session.at_once, session.started))
                for session in sessions
            ]
            for week, sessions in material.weeks.items()
        }
    )
    yield Reading(
        name="first-try success",
        unit="share",
        better="higher",
        nature="observational",
        meaning="goals that worked at the first call",
        definition="A failed call and every further try at the same goal (same tool, program and sub-command, or file) "
        "count as one goal that did not work at once; each other call that worked is one that did.",
        of="goals",
        reason=material.unmeasured(estimate["n"], "no calls"),
        **estimate,
    )
