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
    reason = ""
    if not material.items:
        reason = NO_ITEMS
    elif material.end is None:
        reason = NO_SESSIONS
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
    by_day = [0] * days
    for time in times:
        age = int((end - time) // DAY)
        if 0 <= age < days:
            by_day[age] += 1
    return {**mean(by_day), "n": sum(by_day)}


def _weeks(times: list[float]) -> tuple[Week, ...]:
    """Every week from the first item to the last, also those that taught nothing."""
    if not times:
        return ()
    counts = Counter(map(week_of, times))
    weeks: list[Week] = []
    for number in range(min(counts), max(counts) + 1):
        items = counts[number]
        weeks.append(Week(name_of(number), float(items), None, None, items))
    return tuple(weeks)
