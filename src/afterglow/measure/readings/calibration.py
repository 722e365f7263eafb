"""Does confidence mean what it says?"""

from __future__ import annotations

from collections.abc import Iterator

from afterglow.measure.readings import Material
from afterglow.records.reading import Reading
from afterglow.stats.rates import rate


def read(material: Material) -> Iterator[Reading]:
    judged = [
        [
            (item.confidence, bool(item.mattered))
            for item in delivery.items
            if item.met and item.mattered is not None
        ]
        for delivery in material.deliveries
    ]
    flat = [pair for outcomes in judged for pair in outcomes]
    held_rate = rate(
        (sum(held for _, held in outcomes), len(outcomes)) for outcomes in judged
    )
    value = low = high = None
    detail = ""
    if held_rate.value is not None:
        sure = sum(confidence for confidence, _ in flat) / len(flat)
        brier = sum((confidence - held) ** 2 for confidence, held in flat) / len(flat)
        value, low, high = (
            held_rate.value - sure,
            held_rate.low - sure,
            held_rate.high - sure,
        )
        detail = f"mean confidence {sure:.2f}, held {held_rate.value:.2f}, Brier score {brier:.3f}"
    yield Reading(
        name="calibration",
        unit="points",
        better="neither",
        nature="observational",
        meaning="how often items held, less how sure they are",
        definition="Over delivered items whose situation came up: the share whose known error stayed away, less their "
        "mean confidence. Below 0 they promise too much, above 0 too little. `afterglow replay` draws the whole curve.",
        of="situations met",
        value=value,
        low=low,
        high=high,
        n=held_rate.n,
        reason=material.undelivered
        or ("" if held_rate.n else "no delivered item's situation has come up yet"),
        detail=detail,
    )
