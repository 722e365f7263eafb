"""How old knowledge is, and how much of it is past its date."""

from __future__ import annotations

from collections.abc import Iterator

from afterglow.measure.readings import NO_ITEMS, NO_SESSIONS, Material
from afterglow.records.reading import Reading
from afterglow.stats.estimates import DAY, median, share


def read(material: Material) -> Iterator[Reading]:
    yield _age(material)
    yield _stale(material)


def _age(material: Material) -> Reading:
    ages = _days_since_confirmed(material)
    return Reading(
        name="age",
        unit="days",
        better="lower",
        nature="counted",
        meaning="median days since items were confirmed",
        definition="Median days from the last time a session or a person confirmed an active item to the end of the "
        "newest session, so that a quiet month does not age what nobody could confirm.",
        of="items",
        reason="" if ages else _why_no_age(material),
        **median(ages),
    )


def _days_since_confirmed(material: Material) -> list[float]:
    end = material.end
    if end is None:
        return []
    confirmed = (item.last_confirmed for item in material.items)
    return [max(end - time, 0.0) / DAY for time in confirmed if time is not None]


def _why_no_age(material: Material) -> str:
    if not material.items:
        return NO_ITEMS
    return NO_SESSIONS if material.end is None else "no active item was ever confirmed"


def _stale(material: Material) -> Reading:
    dated = [item.expires for item in material.items if item.expires is not None]
    undated = "no active item expires" if material.items else NO_ITEMS
    return Reading(
        name="stale",
        unit="share",
        better="lower",
        nature="counted",
        meaning="items past the date they expire on",
        definition="Of the active items that carry a date they expire on, those whose date is past today. They are not "
        "given to sessions.",
        of="items",
        reason="" if dated else undated,
        **share((int(expires <= material.now), 1) for expires in dated),
    )
