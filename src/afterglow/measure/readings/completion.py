"""Sessions that got there."""

from __future__ import annotations

from collections.abc import Iterator

from afterglow.measure.readings import Material
from afterglow.records.reading import Reading
from afterglow.stats.estimates import weekly
from afterglow.stats.rates import Pair
from afterglow.text.numbers import number


def read(material: Material) -> Iterator[Reading]:
    pairs: dict[int | None, list[tuple[str, Pair]]] = {}
    guessed = 0
    for week, sessions in material.weeks.items():
        decided = [session for session in sessions if session.done is not None]
        pairs[week] = [
            (session.repo, (int(bool(session.done)), 1)) for session in decided
        ]
        guessed += sum(session.guessed for session in decided)
    estimate = weekly(pairs)
    undecided = len(material.sessions) - estimate["n"]
    detail = ""
    if estimate["n"]:
        detail = (
            f"{number(guessed)} guessed from the ending, {number(undecided)} not known"
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
        reason=material.unmeasured(estimate["n"], "no session has a known outcome"),
        detail=detail,
        **estimate,
    )
