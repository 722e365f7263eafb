"""What a template keeps, offline: how much of what later sessions of its kind did right it shows.

    coverage(template, later) -> Coverage          later: Sequence[Good], of whatever outcome
    compare(templates, later) -> list[Coverage]    the first is what the others are measured against (`kept`)
    curve(template, later) -> Curve                over the number of examples, in the template's order (best first);
                                                   `smallest` is the first point with 95 % of the coverage of all

A shape that a template shows would have been in view; whether it would have helped is for experiments to say.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from afterglow.records.profile_report import Rate
from afterglow.records.template import WarmTemplate
from afterglow.records.tools import is_shell
from afterglow.stats.rates import rate
from afterglow.text.fingerprint import fingerprint
from afterglow.warm.compress.size import tokens
from afterglow.warm.distil import Good, remedied, shown

ENOUGH = 0.95  # of the coverage of all examples


class Coverage(Struct, frozen=True, kw_only=True):
    """One template against later sessions. `calls`: successful calls whose shape it shows; `commands`: of those, what
    ran in a shell; `shapes`: the same with every shape once a session; `tools`: tools used with success that it has an
    example of; `errors`: errors those sessions recovered from that it has a remedy for. `kept` and `recoveries_kept`
    are shares of what the template it is compared with has."""

    id: str
    name: str
    version: int
    made_by: str
    strategy: str
    examples: int
    recoveries: int
    tokens: int
    calls: Rate
    commands: Rate
    shapes: Rate
    tools: Rate
    errors: Rate
    kept: float | None = None
    recoveries_kept: float | None = None


class Point(Struct, frozen=True):
    """So many examples: what they take, and the share of later successful calls they show."""

    examples: int
    tokens: int
    calls: Rate


class Curve(Struct, frozen=True):
    """`smallest`: the minimum viable warm-up, None where no later call is shown at all."""

    points: tuple[Point, ...]
    smallest: Point | None


def coverage(template: WarmTemplate, later: Sequence[Good]) -> Coverage:
    shapes, errors = shown(template), remedied(template)
    tools = {one.tool_name for one in template.seed.tool_examples}
    met = [
        {fingerprint(pattern.error) for pattern in one.seed.recovery_patterns}
        for one in later
    ]
    used = [{tool_of(shape) for shape in one.shapes} for one in later]
    return Coverage(
        id=template.id,
        name=template.name,
        version=template.version,
        made_by=template.made_by,
        strategy=template.notes.get("strategy", ""),
        examples=len(template.seed.tool_examples),
        recoveries=len(template.seed.recovery_patterns),
        tokens=tokens(template),
        calls=_share(later, shapes, lambda _: True),
        commands=_share(later, shapes, lambda shape: is_shell(tool_of(shape))),
        shapes=rate(
            (sum(shape in shapes for shape in one.shapes), len(one.shapes))
            for one in later
        ),
        tools=rate((len(some & tools), len(some)) for some in used),
        errors=rate((len(some & errors), len(some)) for some in met),
    )


def compare(templates: Sequence[WarmTemplate], later: Sequence[Good]) -> list[Coverage]:
    """Each template against the same sessions, and against the first."""
    rows = [coverage(template, later) for template in templates]
    known = remedied(templates[0]) if templates else frozenset()
    return [
        replace(
            row,
            kept=_part(row.calls.count, rows[0].calls.count),
            recoveries_kept=_part(len(remedied(template) & known), len(known)),
        )
        for template, row in zip(templates, rows, strict=True)
    ]


def curve(template: WarmTemplate, later: Sequence[Good]) -> Curve:
    """From no example to all of them."""
    points = []
    for most in range(len(template.seed.tool_examples) + 1):
        some = replace(
            template,
            seed=replace(
                template.seed, tool_examples=template.seed.tool_examples[:most]
            ),
        )
        points.append(
            Point(most, tokens(some), _share(later, shown(some), lambda _: True))
        )
    most_shown = points[-1].calls.count
    smallest = next(
        (
            point
            for point in points
            if most_shown and point.calls.count >= ENOUGH * most_shown
        ),
        None,
    )
    return Curve(tuple(points), smallest)


def tool_of(shape: str) -> str:
    """`Bash: go test -v` -> `Bash`; `Read(file_path)` -> `Read`."""
    return shape.partition("(")[0].partition(": ")[0]


def _share(
    later: Sequence[Good], shapes: frozenset[str], counts: Callable[[str], bool]
) -> Rate:
    pairs = []
    for one in later:
        calls = {shape: times for shape, times in one.shapes.items() if counts(shape)}
        pairs.append(
            (
                sum(times for shape, times in calls.items() if shape in shapes),
                sum(calls.values()),
            )
        )
    return rate(pairs)


def _part(some: int, all_: int) -> float | None:
    return some / all_ if all_ else None
