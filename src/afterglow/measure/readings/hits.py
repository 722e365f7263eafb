"""The ladder: of what was delivered, how much was used, and how much mattered."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from afterglow.measure.readings import Material
from afterglow.records.delivery import State
from afterglow.records.reading import Reading
from afterglow.stats.estimates import share
from afterglow.stats.rates import Pair
from afterglow.text.numbers import number

STATES: tuple[State, ...] = ("delivered", "waiting", "no data")


def read(material: Material) -> Iterator[Reading]:
    yield _used(material)
    yield _mattered(material)


def _used(material: Material) -> Reading:
    used = [
        [item.used for item in delivery.items if item.used is not None]
        for delivery in material.deliveries
    ]
    estimate = share((session.count(True), len(session)) for session in used)
    states = Counter(
        delivery.state for delivery in material.ledger if delivery.when != "compaction"
    )
    unjudged = "" if estimate["n"] else "no delivered item has been judged yet"
    return Reading(
        name="hit rate",
        unit="share",
        better="higher",
        nature="observational",
        meaning="delivered items that were used",
        definition="Of the items in contexts and hints whose delivery a transcript proves, those whose remedy shows in "
        "a later call of that session or that are cited in it. Interval over sessions. A session may use a remedy it "
        "would have found anyway.",
        of="items delivered",
        reason=material.undelivered or unjudged,
        detail=", ".join(
            f"{number(states[state])} {state}" for state in STATES if states[state]
        ),
        **estimate,
    )


def _mattered(material: Material) -> Reading:
    pairs: list[Pair] = []
    for outcomes in material.outcomes_met():
        pairs.append((sum(mattered for _, mattered in outcomes), len(outcomes)))
    estimate = share(pairs)
    unmet = "" if estimate["n"] else "no delivered item's situation has come up yet"
    return Reading(
        name="mattered",
        unit="share",
        better="higher",
        nature="observational",
        meaning="situations met without the known error",
        definition="Of the delivered items whose situation came up in the session, those whose known error did not. "
        "The error might have stayed away by itself: only an experiment can tell.",
        of="situations met",
        reason=material.undelivered or unmet,
        **estimate,
    )
