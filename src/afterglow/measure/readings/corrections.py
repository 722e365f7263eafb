"""How often people had to correct the agent."""

from __future__ import annotations

from collections.abc import Iterator

from afterglow.measure.readings import Material
from afterglow.records.reading import Reading
from afterglow.stats.estimates import mean


def read(material: Material) -> Iterator[Reading]:
    estimate = mean(
        [session.corrections for session in material.sessions if session.requests]
    )
    yield Reading(
        name="corrections",
        unit="per session",
        better="lower",
        nature="proxy",
        meaning="messages like a correction a session (proxy)",
        definition="Messages of a person that begin like a correction (no, wrong, not that, ...), per session in which "
        "a person said something. A proxy: words of other languages and quiet corrections are not seen.",
        of="sessions",
        reason=material.unmeasured(estimate["n"], "no one said anything"),
        **estimate,
    )
