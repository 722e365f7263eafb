"""How old knowledge is, and how much of it is past its date."""

from __future__ import annotations

from collections.abc import Iterator

from afterglow.measure.readings import NO_ITEMS, NO_SESSIONS, Material
from afterglow.records.reading import Reading
from afterglow.stats.estimates import DAY, median, share


def read(material: Material) -> Iterator[Reading]:
    none, end = "" if material.items else NO_ITEMS, material.end
    confirmed = [
        item.last_confirmed
        for item in material.items
        if item.last_confirmed is not None
    ]
    ages = [max(end - time, 0.0) / DAY for time in confirmed] if end is not None else []
    yield Reading(
        name="age",
        unit="days",
        better="lower",
        nature="counted",
        meaning="median days since items were confirmed",
        definition="Median days from the last time a session or a person confirmed an active item to the end of the "
        "newest session, so that a quiet month does not age what nobody could confirm.",
        of="items",
        reason=none
        or (
            ""
            if ages
            else NO_SESSIONS
            if end is None
            else "no active item was ever confirmed"
        ),
        **median(ages),
    )
    dated = [item.expires for item in material.items if item.expires is not None]
    yield Reading(
        name="stale",
        unit="share",
        better="lower",
        nature="counted",
        meaning="items past the date they expire on",
        definition="Of the active items that carry a date they expire on, those whose date is past today. They are not "
        "given to sessions.",
        of="items",
        reason=none or ("" if dated else "no active item expires"),
        **share((int(expires <= material.now), 1) for expires in dated),
    )
