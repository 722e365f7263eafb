"""Items that take up room and are never used."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from afterglow.measure.readings import Material
from afterglow.records.reading import Reading
from afterglow.stats.estimates import share

MIN_DELIVERIES = 5  # after which an item should have been used once


def read(material: Material) -> Iterator[Reading]:
    deliveries: Counter[str] = Counter()
    used: set[str] = set()
    for delivery in material.deliveries:
        for item in delivery.items:
            if item.used is not None:
                deliveries[item.item] += 1
            if item.used:
                used.add(item.item)
    active = [item.id for item in material.items]
    tried = [id for id in active if deliveries[id] >= MIN_DELIVERIES]
    untried = f"no active item has been delivered {MIN_DELIVERIES} times yet"
    yield Reading(
        name="junk rate",
        unit="share",
        better="lower",
        nature="observational",
        meaning=f"items never used in {MIN_DELIVERIES}+ deliveries",
        definition=f"Of the active items delivered {MIN_DELIVERIES} times or more (proved, and judged), those never "
        "used once.",
        of="items",
        reason=material.undelivered or ("" if tried else untried),
        **share((int(id not in used), 1) for id in tried),
    )
