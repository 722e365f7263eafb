"""Did errors become rarer once their lesson was delivered?

For each item, sessions in its scope after the one that first met its error are before or after its first proved
delivery. The first meeting itself is left out: it is there by construction, and would make any lesson look good.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate
from typing import NamedTuple

from afterglow.measure.readings import Material
from afterglow.records.delivery import Delivery, Given
from afterglow.records.reading import Glance, Reading
from afterglow.stats.rates import Pair, difference
from afterglow.text.numbers import percent

NAMES = ("after", "before")
Scope = tuple[str, str]  # repo and agent; empty is everywhere


class Delivered(NamedTuple):
    scope: Scope
    time: float
    fingerprints: tuple[str, ...]


def read(material: Material) -> Iterator[Reading]:
    first = _first_deliveries(material)
    pairs = _pairs(material.history, first.values())
    reduction = difference("between sessions", NAMES, pairs)
    after, before = reduction.first, reduction.second
    reason = material.undelivered or _missing(before.n, after.n)
    measured = not reason and reduction.value is not None
    yield Reading(
        name="error reduction",
        unit="points",
        better="higher",
        nature="observational",
        meaning="drop of an error's rate once its item was delivered",
        definition="For each delivered item with a known error: the share of sessions in its scope that met the error, "
        "before its first proved delivery less after it, pooled over items; interval over sessions. Sessions count "
        "from the one after the error was first met. Errors also fade by themselves (what is learned from is often a "
        "bad stretch), so this is no proof of cause.",
        of="sessions x items",
        value=reduction.value if measured else None,
        low=reduction.low if measured else None,
        high=reduction.high if measured else None,
        n=before.n + after.n if measured else 0,
        reason=reason,
        detail=f"{percent(before.value)} of {before.n} before, {percent(after.value)} of {after.n} after, "
        f"{len(first)} items"
        if measured
        else "",
    )


def _first_deliveries(material: Material) -> dict[str, Delivered]:
    """Each item with a known error in a delivery asked for: its scope, and when it was first delivered at all."""
    scopes = {item.id: (item.repo, item.agent) for item in material.items}
    asked_for: set[str] = set()
    for delivery in material.deliveries:
        asked_for.update(item.item for item in _with_errors(delivery))
    first: dict[str, Delivered] = {}
    for delivery in sorted(material.ledger, key=lambda delivery: delivery.time):
        if delivery.state != "delivered":
            continue
        for item in _with_errors(delivery):
            if item.item in first or item.item not in asked_for:
                continue
            scope = scopes.get(item.item, (delivery.repo, delivery.agent))
            time = _delivery_time(delivery)
            first[item.item] = Delivered(scope, time, item.fingerprints)
    return first


def _with_errors(delivery: Delivery) -> list[Given]:
    return [item for item in delivery.items if item.fingerprints]


def _delivery_time(delivery: Delivery) -> float:
    if delivery.started is None:
        return delivery.time
    return min(delivery.time, delivery.started)


def _pairs(
    history: Sequence[Glance], first: Iterable[Delivered]
) -> Iterator[tuple[Pair, Pair]]:
    """Per session: errors met of items looked at, after and before the first delivery of each."""
    scopes: dict[Scope, list[Delivered]] = defaultdict(list)
    errors: set[str] = set()
    for item in first:
        scopes[item.scope].append(item)
        errors.update(item.fingerprints)
    met_in = _places(history, errors)
    dated = _dated(history)
    after, before = _Side(len(history)), _Side(len(history))
    for (repo, agent), items in scopes.items():
        places = dated[repo]
        if agent:
            places = [at for at in places if history[at].agent == agent]
        _count_scope(places, items, history, met_in, (after, before))
    return zip(after.pairs(), before.pairs(), strict=True)


class _Side:
    """Sessions on one side of the first deliveries: how many errors each met, of how many it could have met."""

    def __init__(self, sessions: int) -> None:
        self.met = [0] * sessions
        self.looked_at = [0] * sessions

    def pairs(self) -> Iterator[Pair]:
        return zip(self.met, self.looked_at, strict=True)


def _count_scope(
    places: Sequence[int],
    items: Iterable[Delivered],
    history: Sequence[Glance],
    met_in: Mapping[str, Sequence[int]],
    sides: tuple[_Side, _Side],
) -> None:
    """Adds the items of one scope, whose sessions stand at these places, to both sides."""
    after, before = sides
    starts, in_scope = [history[at].start or 0.0 for at in places], set(places)
    after_begins, before_begins = [0] * (len(places) + 1), [0] * (len(places) + 1)
    for item in items:
        meetings: set[int] = set()
        for error in item.fingerprints:
            meetings.update(met_in[error])
        again = sorted(in_scope & meetings)
        if not again:
            continue
        begin = bisect_right(places, again[0])
        cut = max(bisect_left(starts, item.time), begin)
        before_begins[begin] += 1
        before_begins[cut] -= 1
        after_begins[cut] += 1
        for at in again[1:]:
            side = before if at <= places[cut - 1] else after
            side.met[at] += 1
    for side, begins in ((after, after_begins), (before, before_begins)):
        for at, looked_at in zip(places, accumulate(begins), strict=False):
            side.looked_at[at] += looked_at


def _dated(history: Sequence[Glance]) -> dict[str, list[int]]:
    """Places of sessions with a time: by repository, and all of them under no name."""
    places: dict[str, list[int]] = defaultdict(list)
    for at, session in enumerate(history):
        if session.start is None:
            continue
        places[""].append(at)
        if session.repo:
            places[session.repo].append(at)
    return places


def _places(history: Sequence[Glance], errors: set[str]) -> dict[str, list[int]]:
    """In which sessions each error was met."""
    places: dict[str, list[int]] = defaultdict(list)
    for at, session in enumerate(history):
        for error in errors.intersection(session.errors):
            places[error].append(at)
    return places


def _missing(before: int, after: int) -> str:
    if not before:
        return "no session met a delivered item's error a first time and could meet it again before the delivery"
    return "" if after else "no session has come after the first delivery yet"
