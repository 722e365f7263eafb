"""The table of metrics, one module each.

A metric module has `read(material) -> Iterator[Reading]`: pure, one reading or a few that belong together. Where there
is nothing to measure, a reading has no value and says why. Add a metric: one module here, one line below.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol

from msgspec import Struct

from afterglow.records.delivery import Delivery
from afterglow.records.knowledge import KnowledgeItem
from afterglow.records.reading import Glance, Reading
from afterglow.registry import Table

NO_SESSIONS = "no sessions here (`afterglow scan` finds them)"
NO_ITEMS = "no active items yet (`afterglow harvest` makes them)"
NO_DELIVERIES = "no context has been delivered yet (`afterglow bootstrap` records them)"
NO_PROOF = "no transcript shows yet that a context arrived"


class Material(Struct, frozen=True, kw_only=True):
    """What is measured: sessions in time order, and by week; active items; proved deliveries. `history` and `ledger`
    also hold what was not asked for, to look back into. `end` is when the newest session ended."""

    now: float
    end: float | None
    sessions: Sequence[Glance]
    history: Sequence[Glance]
    items: Sequence[KnowledgeItem]
    weeks: Mapping[int | None, Sequence[Glance]]
    deliveries: Sequence[Delivery] = ()
    ledger: Sequence[Delivery] = ()

    @property
    def undelivered(self) -> str:
        """Why nothing can be said about deliveries; empty when something can."""
        if not self.ledger:
            return NO_DELIVERIES
        return "" if self.deliveries else NO_PROOF

    def unmeasured(self, counted: int, nothing: str) -> str:
        """Why sessions give no value, where nothing was counted in them: there is nothing, or there are none."""
        if counted:
            return ""
        return nothing if self.sessions else NO_SESSIONS

    def outcomes_met(self) -> Iterator[list[tuple[float, bool]]]:
        """Of each delivery, the items whose situation came up: how sure they were, and whether they mattered."""
        for delivery in self.deliveries:
            outcomes: list[tuple[float, bool]] = []
            for item in delivery.items:
                if item.met and item.mattered is not None:
                    outcomes.append((item.confidence, item.mattered))
            yield outcomes


class Metric(Protocol):
    def read(self, material: Material) -> Iterator[Reading]: ...


METRICS = Table(
    "afterglow.metrics",
    {
        name: f"afterglow.measure.readings.{name}"
        for name in (
            "velocity", "coverage", "age", "hits", "junk", "calibration", "reduction", "recurrence", "errors",
            "completion", "first_try", "corrections", "compactions",
        )
    },
)  # fmt: skip


def read_all(material: Material) -> tuple[Reading, ...]:
    """Every reading of every metric, in the order of the table."""
    return tuple(
        reading
        for name in METRICS.names()
        for reading in METRICS.load(name).read(material)
    )
