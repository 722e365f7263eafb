"""How often calls fail at all."""

from __future__ import annotations

from collections.abc import Iterator

from afterglow.measure.readings import Material
from afterglow.records.reading import Reading
from afterglow.stats.estimates import weekly


def read(material: Material) -> Iterator[Reading]:
    estimate = weekly(
        {
            week: [
                (session.repo, (session.failed, session.decided))
                for session in sessions
            ]
            for week, sessions in material.weeks.items()
        }
    )
    yield Reading(
        name="error rate",
        unit="share",
        better="lower",
        nature="observational",
        meaning="calls that failed",
        definition="Failed calls of those that either worked or failed, pooled over sessions; interval over sessions. "
        "Weeks differ in what was worked on.",
        of="calls",
        reason=material.unmeasured(estimate["n"], "no calls"),
        **estimate,
    )
