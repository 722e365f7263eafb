"""Does confidence mean what it says?"""

from __future__ import annotations

from collections.abc import Iterator

from afterglow.measure.readings import Material
from afterglow.records.reading import Reading
from afterglow.stats.rates import Pair, rate


def read(material: Material) -> Iterator[Reading]:
    pairs: list[Pair] = []
    confidences: list[float] = []
    squares: list[float] = []
    for outcomes in material.outcomes_met():
        pairs.append((sum(held for _, held in outcomes), len(outcomes)))
        for confidence, held in outcomes:
            confidences.append(confidence)
            squares.append((confidence - held) ** 2)
    held_rate = rate(pairs)
    value = low = high = None
    detail = ""
    if held_rate.value is not None:
        sure = sum(confidences) / len(confidences)
        brier = sum(squares) / len(squares)
        value = held_rate.value - sure
        low, high = held_rate.low - sure, held_rate.high - sure
        detail = f"{sure:.0%} sure on average, {held_rate.value:.0%} held; Brier score {brier:.3f} (0 is best, 0.25 a coin)"
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
