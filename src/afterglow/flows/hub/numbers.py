"""numbers: a hub as its home page and its metrics show it."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from afterglow.records.hub import HubPlace
from afterglow.store.hub import numbers
from afterglow.store.hub.askers import hub_connection
from afterglow.store.hub.contribution_rows import contributed_rows
from afterglow.store.hub.members import people
from afterglow.store.hub.migrations import check_layout
from afterglow.store.hub.numbers import HubNumbers


class ContributionCount(Struct, frozen=True):
    """How much a member contributes: of one machine, kind and repository; `withdrawn` was taken back."""

    person: str
    machine: str
    kind: str
    repo: str
    rows: int
    withdrawn: int
    last: float


class MachineSync(Struct, frozen=True):
    """A machine of somebody: how much it contributes, and when it last sent something."""

    person: str
    machine: str
    rows: int
    last: float


def hub_numbers(place: HubPlace) -> HubNumbers:
    with hub_connection(place) as db:
        return numbers.hub_numbers(db)


def item_counts(place: HubPlace) -> dict[str, int]:
    """By status, of those that who asks may read."""
    with hub_connection(place) as db:
        return numbers.item_counts(db)


def stores_mark(place: HubPlace) -> str:
    """A short mark of what the stores hold: a page made from another one is old."""
    with hub_connection(place) as db:
        return numbers.stores_mark(db)


def contribution_counts(place: HubPlace) -> list[ContributionCount]:
    """One's own; for an admin everybody's. The latest first, never what they say."""
    with hub_connection(place) as db:
        names = {person.id: person.name for person in people(db)}
        rows = [
            ContributionCount(
                names.get(person, ""),
                row.machine,
                row.kind,
                row.repo,
                row.rows,
                row.withdrawn,
                row.last,
            )
            for person, row in contributed_rows(db)
        ]
    return sorted(rows, key=lambda row: (-row.last, row.person, row.machine, row.kind))


def machines_of(rows: Iterable[ContributionCount]) -> list[MachineSync]:
    """The latest first."""
    machines: dict[tuple[str, str], MachineSync] = {}
    for row in rows:
        key = (row.person, row.machine)
        total = machines.get(key, MachineSync(*key, 0, 0.0))
        machines[key] = MachineSync(
            *key, total.rows + row.rows, max(total.last, row.last)
        )
    return sorted(machines.values(), key=lambda machine: -machine.last)


def check_hub(place: HubPlace) -> None:
    """Whether the database answers and has the layout this version knows."""
    check_layout(place)
