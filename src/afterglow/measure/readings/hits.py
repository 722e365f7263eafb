"""The ladder: of what was delivered, how much was used, and how much mattered."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from afterglow.measure.readings import Material
from afterglow.records.delivery import State
from afterglow.records.reading import Reading
from afterglow.stats.estimates import share
from afterglow.text.numbers import number

STATES: tuple[State, ...] = ("delivered", "waiting", "no data")


def read(material: Material) -> Iterator[Reading]:
    none = material.undelivered
    used = [
        [given.used for given in one.items if given.used is not None]
        for one in material.deliveries
    ]
    found = share((some.count(True), len(some)) for some in used)
    states = Counter(one.state for one in material.ledger)
    yield Reading(
        name="hit rate",
        unit="share",
        better="higher",
        nature="observational",
        meaning="delivered items that were used",
        definition="Of the items in contexts whose delivery a transcript proves, those whose remedy shows in a later "
        "call of that session or that are cited in it. Interval over sessions. A session may use a remedy it would "
        "have found anyway.",
        of="items delivered",
        reason=none or ("" if found["n"] else "no delivered item has been judged yet"),
        detail=", ".join(
            f"{number(states[state])} contexts {state}"
            for state in STATES
            if states[state]
        ),
        **found,
    )
    met = [[bool(given.mattered) for given in one.items if given.met and given.mattered is not None]
           for one in material.deliveries]  # fmt: skip
    found = share((sum(some), len(some)) for some in met)
    yield Reading(
        name="mattered",
        unit="share",
        better="higher",
        nature="observational",
        meaning="situations met without the known error",
        definition="Of the delivered items whose situation came up in the session, those whose known error did not. "
        "The error might have stayed away by itself: only an experiment can tell.",
        of="situations met",
        reason=none
        or ("" if found["n"] else "no delivered item's situation has come up yet"),
        **found,
    )
