"""What is measured, in a few words: glances, deliveries, and the material made of them."""

from __future__ import annotations

from afterglow.measure.readings import METRICS, Material
from afterglow.records.delivery import Delivery, Given
from afterglow.records.reading import Glance, Reading
from afterglow.stats.estimates import weeks
from keeping import DAY, NOW

ERROR = "no such pier <n>"


def glance(number: int = 1, *, day: float | None = 0, **fields) -> Glance:
    """A session of the repo `harbor`, so many days before now (None: at no known time), that called ten tools."""
    start = None if day is None else NOW - day * DAY
    told = {
        "id": f"s{number}", "repo": "harbor", "agent": "codex", "start": start, "end": start and start + 60.0,
        "failed": 0, "decided": 10, "errors": {}, "started": 10, "at_once": 10, "done": True, "guessed": True,
        "requests": 1, "corrections": 0, "compactions": 0,
    }  # fmt: skip
    return Glance(**{**told, **fields})


def met(number: int, day: float, *errors: str, **fields) -> Glance:
    """A session that met these errors, once each."""
    return glance(
        number, day=day, failed=len(errors), errors=dict.fromkeys(errors, 1), **fields
    )


def delivery(number: int, day: float, *items: Given, **fields) -> Delivery:
    """A context given out so many days before now, and proved by the session of the same number."""
    told = {
        "id": f"ag-{number:010d}", "time": NOW - day * DAY, "repo": "harbor", "agent": "codex", "state": "delivered",
        "session": f"s{number}", "items": items,
    }  # fmt: skip
    return Delivery(**{**told, **fields})


def given(item: str = "k0000001", **fields) -> Given:
    return Given(
        **{"item": item, "confidence": 0.8, "fingerprints": (ERROR,), **fields}
    )


def material(sessions=(), *, items=(), ledger=(), history=None) -> Material:
    ordered = sorted(sessions, key=lambda one: (one.start or 0.0, one.id))
    return Material(
        now=NOW,
        end=max((one.end or 0.0 for one in ordered), default=0.0) or None,
        sessions=ordered,
        history=ordered
        if history is None
        else sorted(history, key=lambda one: (one.start or 0.0, one.id)),
        weeks=weeks(ordered),
        items=items,
        deliveries=[one for one in ledger if one.state == "delivered"],
        ledger=ledger,
    )


def reading(metric: str, found: Material, name: str = "") -> Reading:
    """The reading of that name, or the only one of its metric."""
    made = list(METRICS.load(metric).read(found))
    (one,) = [one for one in made if one.name == name] if name else made
    return one
