"""audit_words: what a line of the audit is about, as a person reads it. The database writes rows down as they are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec import Struct

from afterglow.records.hub import HubPlace
from afterglow.store.hub.members import opened, people, teams

# What is said of a row, in this order, and how. The rest is its numbers and times.
PARTS = {
    "name": "{}",
    "label": "“{}”",
    "scope": "for {}",
    "allows": "may {}",
    "pattern": "{}",
    "is_admin": "admin",
    "session": "a browser's",
    "person": "of {}",
    "team": "of the team {}",
    "expires": "until {}",
    "revoked": "revoked",
    "left_at": "left",
}


class HolderNames(Struct, frozen=True):
    """Of the numbers that rows name: whoever has left keeps their name."""

    people: dict[int, str]
    teams: dict[int, str]


def holder_names(place: HubPlace) -> HolderNames:
    with opened(place) as db:
        return HolderNames(
            {person.id: person.name for person in people(db)},
            {team.id: team.name for team in teams(db)},
        )


def audit_words(about: str, names: HolderNames) -> str:
    """Words stay as they are."""
    if not about.startswith("{"):
        return about
    try:
        row = msgspec.json.decode(about)
    except msgspec.DecodeError:  # it was cut
        return about
    if not isinstance(row, dict):
        return about
    parts = (_part(name, row, names) for name in PARTS if row.get(name))
    return ", ".join(filter(None, parts))


def _part(name: str, row: Mapping[str, Any], names: HolderNames) -> str:
    value = row[name]
    if name == "person":
        value = names.people.get(value, f"person {value}")
    elif name == "team":
        value = names.teams.get(value, f"{value} that is gone")
    elif name == "expires":
        value = str(value)[:10]
    return PARTS[name].format(value)
