"""Items that take up room and are never used."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from afterglow.measure.readings import Material
from afterglow.records.reading import Reading
from afterglow.stats.estimates import share

ENOUGH = 5  # deliveries after which an item should have been used once


def read(material: Material) -> Iterator[Reading]:
    deliveries: Counter[str] = Counter()
    used: set[str] = set()
    for delivery in material.deliveries:
        deliveries.update(item.item for item in delivery.items if item.used is not None)
        used.update(item.item for item in delivery.items if item.used)
    tried = [item.id for item in material.items if deliveries[item.id] >= ENOUGH]
    yield Reading(
        name="junk rate",
        unit="share",
        better="lower",
        nature="observational",
        meaning=f"items never used in {ENOUGH}+ deliveries",
        definition=f"Of the active items delivered {ENOUGH} times or more (proved, and judged), those never used once.",
        of="items",
        reason=material.undelivered
        or ("" if tried else f"no active item has been delivered {ENOUGH} times yet"),
        **share((int(id not in used), 1) for id in tried),
    )
