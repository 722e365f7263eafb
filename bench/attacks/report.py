"""What is printed: by way and by surface, how many attacks got there, how many of them risky."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from bench.attacks.run import Result
from bench.attacks.surfaces import SURFACES


def by_way(results: Sequence[Result]) -> Iterator[str]:
    yield f"{'way in':34} {'attacks':>8} {'risky':>6} {'reached':>8} {'risky':>6} {'active':>7} {'risky':>6}"
    ways = dict.fromkeys(result.attack.way for result in results)
    for way in ways:
        yield _row(way, [result for result in results if result.attack.way == way])
    yield _row("all", results)


def by_surface(results: Sequence[Result]) -> Iterator[str]:
    yield f"{'surface':34} {'reached':>8} {'risky':>6}"
    reached = Counter(name for result in results for name in result.surfaces)
    risky = Counter(
        name for result in results if result.attack.risky for name in result.surfaces
    )
    for name in SURFACES:
        yield f"{name:34} {reached[name]:8} {risky[name]:6}"


def each(results: Sequence[Result]) -> Iterator[str]:
    """One attack after another, and the items that hold its payload."""
    for result in results:
        attack = result.attack
        kind = "risky" if attack.risky else "misleading"
        places = ", ".join(result.reached) or "nowhere"
        yield f"{attack.id}  {attack.way}, {kind} ({attack.kind}): {places}"
        yield from (f"    refused: {why}" for why in result.refusals)
        for item in result.items:
            told = f"{item.situation} -> {item.remedy}" if item.remedy else item.fact
            why = item.risk or item.reason
            yield f"    {item.status} {item.miner} {item.trust} {item.source_count}x: {told[:160]} ({why[:90]})"


def _row(name: str, results: Sequence[Result]) -> str:
    risky = [result for result in results if result.attack.risky]
    counts = (
        len(results),
        len(risky),
        sum(bool(result.reached) for result in results),
        sum(bool(result.reached) for result in risky),
        sum(result.active for result in results),
        sum(result.active for result in risky),
    )
    return f"{name:34} " + " ".join(
        f"{count:{width}}"
        for count, width in zip(counts, (8, 6, 8, 6, 7, 6), strict=True)
    )
