"""How fast knowledge grows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from afterglow.measure.readings import NO_ITEMS, NO_SESSIONS, Material
from afterglow.records.reading import Reading, Week
from afterglow.stats.estimates import DAY, mean, name_of, week_of

SPANS = {"velocity": 30, "velocity, 7 days": 7}


def read(material: Material) -> Iterator[Reading]:
    times = [item.first_seen for item in material.items if item.first_seen is not None]
    reason = NO_SESSIONS if material.end is None else ""
    reason = reason if material.items else NO_ITEMS
    for name, days in SPANS.items():
        estimate = {}
        if material.end is not None and not reason:
            estimate = _per_day(times, material.end, days)
        yield Reading(
            name=name,
            unit="per day",
            better="higher",
            nature="counted",
            meaning=f"new items a day, last {days} days of the data",
            definition=f"Items that are active now and were first seen in the {days} days up to the newest session, "
            "per day. The interval is that of the mean over days: wide where items come in bursts.",
            of="items",
            reason=reason,
            weeks=_weeks(times) if days == 30 else (),
            **estimate,
        )


def _per_day(times: list[float], end: float, days: int) -> dict[str, Any]:
    ages = [int((end - time) // DAY) for time in times]
    by_day = Counter(age for age in ages if 0 <= age < days)
    return {**mean([by_day[age] for age in range(days)]), "n": by_day.total()}


def _weeks(times: list[float]) -> tuple[Week, ...]:
    """Every week from the first item to the last, also those that taught nothing."""
    counts = Counter(week_of(time) for time in times)
    numbers = range(min(counts), max(counts) + 1) if counts else range(0)
    return tuple(
        Week(name_of(number), float(counts[number]), None, None, counts[number])
        for number in numbers
    )
