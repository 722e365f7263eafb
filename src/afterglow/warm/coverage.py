"""What a template keeps, offline: how much of what later sessions of its kind did right it shows.

    coverage(template, later) -> Coverage          later: Sequence[SourceSession], of whatever outcome
    compare(templates, later) -> list[Coverage]    the first is what the others are measured against (`calls_kept`)
    curve(template, later) -> Curve                over the number of examples, in the template's order (best first);
                                                   `smallest` is the first point with 95 % of the coverage of all

A shape that a template shows would have been in view; whether it would have helped is for experiments to say.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence, Set

from msgspec import Struct
from msgspec.structs import replace

from afterglow.records.profile_report import Rate
from afterglow.records.template import WarmTemplate
from afterglow.records.tools import is_shell
from afterglow.stats.rates import Pair, rate_elsewhere
from afterglow.text.fingerprint import fingerprint
from afterglow.warm.compress.size import tokens
from afterglow.warm.distil import SourceSession, example_shapes, remedied_errors

ENOUGH_COVERAGE = 0.95  # of the coverage of all examples


class Coverage(Struct, frozen=True, kw_only=True, rename={"calls_kept": "kept"}):
    """One template against later sessions. `calls`: successful calls whose shape it shows; `commands`: of those, what
    ran in a shell; `shapes`: the same with every shape once a session; `tools`: tools used with success that it has an
    example of; `errors`: errors those sessions recovered from that it has a remedy for. `calls_kept` and `recoveries_kept`
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
    calls_kept: float | None = None
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


def coverage(template: WarmTemplate, later: Sequence[SourceSession]) -> Coverage:
    seed = template.seed
    shapes, errors = example_shapes(template), remedied_errors(template)
    tools = {example.tool_name for example in seed.tool_examples}
    errors_met = [
        {fingerprint(pattern.error) for pattern in session.seed.recovery_patterns}
        for session in later
    ]
    tools_used = [{tool_of(shape) for shape in session.shapes} for session in later]
    return Coverage(
        id=template.id,
        name=template.name,
        version=template.version,
        made_by=template.made_by,
        strategy=template.notes.get("strategy", ""),
        examples=len(seed.tool_examples),
        recoveries=len(seed.recovery_patterns),
        tokens=tokens(template),
        calls=_share(later, shapes),
        commands=_share(later, shapes, lambda shape: is_shell(tool_of(shape))),
        shapes=_covered((set(session.shapes) for session in later), shapes),
        tools=_covered(tools_used, tools),
        errors=_covered(errors_met, errors),
    )


def compare(
    templates: Sequence[WarmTemplate], later: Sequence[SourceSession]
) -> list[Coverage]:
    """Each template against the same sessions, and against the first."""
    rows = [coverage(template, later) for template in templates]
    errors = remedied_errors(templates[0]) if templates else frozenset()
    return [
        replace(
            row,
            calls_kept=_part(row.calls.count, rows[0].calls.count),
            recoveries_kept=_part(len(remedied_errors(template) & errors), len(errors)),
        )
        for template, row in zip(templates, rows, strict=True)
    ]


def curve(template: WarmTemplate, later: Sequence[SourceSession]) -> Curve:
    """From no example to all of them."""
    examples = template.seed.tool_examples
    points = []
    for most in range(len(examples) + 1):
        seed = replace(template.seed, tool_examples=examples[:most])
        shorter = replace(template, seed=seed)
        calls = _share(later, example_shapes(shorter))
        points.append(Point(most, tokens(shorter), calls))
    return Curve(tuple(points), _smallest(points))


def _smallest(points: Sequence[Point]) -> Point | None:
    most_covered = points[-1].calls.count
    if not most_covered:
        return None
    least = ENOUGH_COVERAGE * most_covered
    return next(point for point in points if point.calls.count >= least)


def tool_of(shape: str) -> str:
    """`Bash: go test -v` -> `Bash`; `Read(file_path)` -> `Read`."""
    return shape.partition("(")[0].partition(": ")[0]


def _share(
    later: Sequence[SourceSession],
    shapes: frozenset[str],
    counts: Callable[[str], bool] = lambda shape: True,
) -> Rate:
    """Of the successful calls whose shape `counts`, those whose shape is among `shapes`."""
    pairs: list[Pair] = []
    for session in later:
        covered = calls = 0
        for shape in filter(counts, session.shapes):
            calls += session.shapes[shape]
            if shape in shapes:
                covered += session.shapes[shape]
        pairs.append((covered, calls))
    return rate_elsewhere(pairs)


def _covered(by_session: Iterable[Set[str]], covered: Set[str]) -> Rate:
    return rate_elsewhere((len(values & covered), len(values)) for values in by_session)


def _part(count: int, total: int) -> float | None:
    return count / total if total else None
