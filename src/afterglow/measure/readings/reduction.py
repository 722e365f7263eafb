"""Did errors become rarer once their lesson was delivered?

For each item, sessions in its scope after the one that first met its error are before or after its first proved
delivery. The first meeting itself is left out: it is there by construction, and would make any lesson look good.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

from afterglow.measure.readings import Material
from afterglow.records.reading import Glance, Reading
from afterglow.stats.rates import Pair, difference
from afterglow.text.numbers import percent

NAMES = ("after", "before")
AFTER, BEFORE = 0, 1
Scope = tuple[str, str]  # repo and agent; empty is everywhere


class Delivered(NamedTuple):
    scope: Scope
    time: float
    fingerprints: tuple[str, ...]


def read(material: Material) -> Iterator[Reading]:
    first = _first_deliveries(material)
    pairs = _pairs(material.history, first.values())
    found = difference("between sessions", NAMES, pairs)
    after, before = found.first, found.second
    reason = material.undelivered or _missing(before.n, after.n)
    known = not reason and found.value is not None
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
        value=found.value if known else None,
        low=found.low if known else None,
        high=found.high if known else None,
        n=before.n + after.n if known else 0,
        reason=reason,
        detail=f"{percent(before.value)} of {before.n} before, {percent(after.value)} of {after.n} after, "
        f"{len(first)} items" if known else "",
    )  # fmt: skip


def _first_deliveries(material: Material) -> dict[str, Delivered]:
    """Each item with a known error in a delivery asked for: its scope, and when it was first delivered at all."""
    scopes = {item.id: (item.repo, item.agent) for item in material.items}
    wanted = {
        given.item
        for one in material.deliveries
        for given in one.items
        if given.fingerprints
    }
    first: dict[str, Delivered] = {}
    for one in sorted(material.ledger, key=lambda one: one.time):
        if one.state == "delivered":
            time = one.time if one.started is None else min(one.time, one.started)
            for given in one.items:
                if (
                    given.item in wanted
                    and given.item not in first
                    and given.fingerprints
                ):
                    scope = scopes.get(given.item, (one.repo, one.agent))
                    first[given.item] = Delivered(scope, time, given.fingerprints)
    return first


def _pairs(
    history: Sequence[Glance], first: Iterable[Delivered]
) -> Iterator[tuple[Pair, Pair]]:
    """Per session: errors met of items looked at, after and before the first delivery of each."""
    scopes: dict[Scope, list[Delivered]] = defaultdict(list)
    for item in first:
        scopes[item.scope].append(item)
    met_in = _places(
        history,
        {
            error
            for items in scopes.values()
            for item in items
            for error in item.fingerprints
        },
    )
    timed: dict[str, list[int]] = defaultdict(list)  # sessions by repo, and all of them
    for at, one in enumerate(history):
        if one.start is not None:
            timed[""].append(at)
            if one.repo:
                timed[one.repo].append(at)
    met, looked = (
        ([0] * len(history), [0] * len(history)) for _ in range(2)
    )  # each: after, before
    for (repo, agent), items in scopes.items():
        line = (
            [at for at in timed[repo] if history[at].agent == agent]
            if agent
            else timed[repo]
        )
        starts, fits = [history[at].start or 0.0 for at in line], set(line)
        begins = ([0] * (len(line) + 1), [0] * (len(line) + 1))
        for item in items:
            again = sorted(
                fits & {at for error in item.fingerprints for at in met_in[error]}
            )
            if again:
                begin = bisect_right(line, again[0])
                cut = max(bisect_left(starts, item.time), begin)
                begins[BEFORE][begin] += 1
                begins[BEFORE][cut] -= 1
                begins[AFTER][cut] += 1
                for at in again[1:]:
                    met[BEFORE if at <= line[cut - 1] else AFTER][at] += 1
        for side in (AFTER, BEFORE):
            for at, items_looked_at in zip(
                line, accumulate(begins[side]), strict=False
            ):
                looked[side][at] += items_looked_at
    return zip(
        zip(met[AFTER], looked[AFTER], strict=True),
        zip(met[BEFORE], looked[BEFORE], strict=True),
        strict=True,
    )


def _places(history: Sequence[Glance], errors: set[str]) -> dict[str, list[int]]:
    """In which sessions each error was met."""
    found: dict[str, list[int]] = defaultdict(list)
    for at, one in enumerate(history):
        for error in one.errors:
            if error in errors:
                found[error].append(at)
    return found


def _missing(before: int, after: int) -> str:
    if not before:
        return "no session met a delivered item's error a first time and could meet it again before the delivery"
    return "" if after else "no session has come after the first delivery yet"
