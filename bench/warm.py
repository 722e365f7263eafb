"""Warm templates: how much of what later sessions did right they show. `python -m bench.warm --help`.

Sessions in the order of their start: templates are distilled from the first of them, one a kind (agent and task type),
each from the latest 20 that ended well and made 5 calls; the next ones are what they are judged by. A later session is
judged by the template of its own kind; one whose kind has none counts as shown nothing. Beside it, with as many
examples: calls drawn at random from the same sessions (what is frequent is drawn more often), examples drawn at random
from what was extracted of them, templates of single sessions, one template for all kinds, and the best that could have
been chosen, known only afterwards. Then what compressing costs, and the curve over the number of examples. Nothing here
says that a template helps: a shape it shows would have been in view. Results go to bench/out/warm-*.json.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from afterglow.config import Config
from afterglow.flows.read import scan
from afterglow.harvest.trail import Trail
from afterglow.records.catalog import Entry
from afterglow.records.profile_report import Difference, Rate
from afterglow.records.session import Session
from afterglow.records.template import ToolCallExample, WarmTemplate
from afterglow.records.tools import TaskType
from afterglow.sessions import load
from afterglow.stats.rates import difference
from afterglow.store.catalog import Catalog
from afterglow.text.redact import Redactor
from afterglow.warm.compress import STRATEGIES, compress
from afterglow.warm.coverage import Coverage, Curve, compare, coverage, curve
from afterglow.warm.distil import WEIGHTS, SourceSession, distil, example_shapes
from afterglow.warm.extract import SessionExtractor, examples, shape_of
from afterglow_demo import write_fleet

OUT = Path(__file__).parent / "out"
DRAWS, SOURCES, LEAST, CALLS = 20, 20, 10, 5
CANDIDATES, EXAMPLES, LONG = 40, 8, 32
BUDGETS = (2000, 1000, 500)


class Told(SourceSession, frozen=True):
    """A session, and the shapes that a template of it alone would show."""

    alone: frozenset[str] = frozenset()


class Judged(NamedTuple):
    """A kind: its template, the sessions it came from, and those it is judged by."""

    name: str
    template: WarmTemplate
    sources: list[Told]
    later: list[Told]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--corpus", type=Path, help="real sessions instead of the simulated fleet"
    )
    parser.add_argument(
        "--first", type=int, default=130, help="sessions to distil from"
    )
    parser.add_argument("--next", type=int, default=60, help="sessions to judge by")
    parser.add_argument(
        "--sessions", type=int, default=600, help="size of the simulated fleet"
    )
    options = parser.parse_args()
    OUT.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        corpus = options.corpus or Path(folder) / "fleet"
        if not options.corpus:
            write_fleet(corpus, sessions=options.sessions, scale=0.2)
        start = time.perf_counter()
        sessions = read(corpus, Path(folder) / "home")
        _out(
            f"{len(sessions)} sessions, seeds extracted in {time.perf_counter() - start:.1f} s"
        )
    first, later = options.first, options.next
    if not options.corpus:
        first, later = 2 * len(sessions) // 3, len(sessions)
    found = measure(sessions[:first], sessions[first : first + later])
    name = "real" if options.corpus else f"fleet-{options.sessions}"
    (OUT / f"warm-{name}.json").write_bytes(
        msgspec.json.format(msgspec.json.encode(found)) + b"\n"
    )


def read(corpus: Path, home: Path) -> list[Told]:
    """Sessions a person had with an agent, oldest first."""
    home.mkdir()
    config = Config(home=home, user_home=home)
    scan(config, [corpus])
    with Catalog(config.catalog) as catalog:
        entries = [
            one
            for one in catalog.entries(profiles=True)
            if one.origin == "main" and one.calls
        ]
    extractor = SessionExtractor(
        Redactor(cache=home / "cache"), max_examples=CANDIDATES
    )
    by_source: dict[str, dict[str, Entry]] = defaultdict(dict)
    for entry in entries:
        by_source[entry.source][entry.id] = entry
    found = [
        (some[session.id], told(some[session.id], session, extractor))
        for source, some in by_source.items()
        for session in load(Path(source), only=set(some))
    ]
    return [
        one
        for _, one in sorted(found, key=lambda pair: (pair[0].start or 0.0, pair[0].id))
    ]


def told(entry: Entry, session: Session, extractor: SessionExtractor) -> Told:
    assert entry.profile is not None
    trail = Trail(session, entry.repo)
    return Told(
        session=entry.id,
        repo=entry.repo,
        agent=entry.agent,
        outcome=entry.outcome,
        task_type=entry.profile.task_type,
        seed=extractor.extract(session, entry.repo),
        shapes=Counter(
            shape_of(step.tool, step.call.arguments) for step in trail.steps if step.ok
        ),
        alone=frozenset(_shape(example) for example in examples(trail, EXAMPLES)),
    )


def measure(before: Sequence[Told], after: Sequence[Told]) -> dict[str, object]:
    kinds = sorted({kind_of(one) for one in after}, key=str)
    there = [each for kind in kinds if (each := judged(kind, before, after))]
    names = {one.session for each in there for one in each.later}
    bare = [one for one in after if one.session not in names]
    _out(
        f"{len(before)} before, {len(after)} after, {len(bare)} of these of a kind without a template"
    )
    largest = max(there, key=lambda each: len(each.later))
    general = distil(
        [one for one in before if teaches(one)],
        name="all",
        task_type=TaskType.MIXED,
        max_examples=EXAMPLES,
    )
    found: dict[str, object] = {each.name: of_kind(each, general) for each in there}
    found["all"] = pooled(there, bare)
    found["one template for all kinds"] = coverage(general, after)
    _line("one template for all kinds", coverage(general, after).calls)
    found["compression"] = compression(largest)
    found["curve"] = the_curve(largest)
    return found


def kind_of(one: Told) -> tuple[str, TaskType]:
    return one.agent, one.task_type


def judged(
    kind: tuple[str, TaskType], before: Sequence[Told], after: Sequence[Told]
) -> Judged | None:
    sources = [one for one in before if kind_of(one) == kind and teaches(one)][
        -SOURCES:
    ]
    if len(sources) < LEAST:
        return None
    name = f"{kind[0]}, {kind[1].value}"
    template = distil(sources, name=name, task_type=kind[1], max_examples=EXAMPLES)
    return Judged(
        name, template, sources, [one for one in after if kind_of(one) == kind]
    )


def teaches(one: Told) -> bool:
    return one.outcome in WEIGHTS and _calls(one) >= CALLS


def of_kind(each: Judged, general: WarmTemplate) -> dict[str, object]:
    found = coverage(each.template, each.later)
    _out(
        f"\n{each.name}: {len(each.sources)} sources, {found.examples} examples, {found.tokens} tokens"
    )
    for what in ("calls", "commands", "shapes", "tools", "errors"):
        _line(f"  later {what} shown", getattr(found, what))
    usual = sum((Counter(one.shapes) for one in each.later), Counter[str]())
    best = frozenset(shape for shape, _ in usual.most_common(found.examples))
    drawn = {
        **baselines(each),
        "one template for all kinds": [example_shapes(general)],
        "the best choice, afterwards": [best],
    }
    others = {what: _mean(each.later, draws) for what, draws in drawn.items()}
    for what, value in others.items():
        _out(f"  {'shown by ' + what:<41}{value:7.1%}")
    return {"coverage": found, "others": others}


def baselines(each: Judged) -> dict[str, list[frozenset[str]]]:
    """The shapes that as many examples show when they are drawn otherwise."""
    chance = random.Random(7)
    most = len(each.template.seed.tool_examples)
    calls = [
        shape
        for one in each.sources
        for shape, times in one.shapes.items()
        for _ in range(times)
    ]
    extracted = [
        _shape(example) for one in each.sources for example in one.seed.tool_examples
    ]
    return {
        "random calls": [frozenset(chance.sample(calls, most)) for _ in range(DRAWS)],
        "random examples": [
            frozenset(chance.sample(extracted, most)) for _ in range(DRAWS)
        ],
        "a template of one session": [one.alone for one in each.sources],
    }


def pooled(there: Sequence[Judged], bare: Sequence[Told]) -> Difference:
    """All later sessions, each with the template of its kind, against calls drawn at random, on the same sessions."""
    pairs = [((0, DRAWS * _calls(one)), (0, _calls(one))) for one in bare]
    for each in there:
        draws, shapes = baselines(each)["random calls"], example_shapes(each.template)
        for one in each.later:
            at_random = sum(_count(one, drawn) for drawn in draws)
            pairs.append(
                ((at_random, DRAWS * _calls(one)), (_count(one, shapes), _calls(one)))
            )
    found = difference("within sessions", ("random calls", "templates"), pairs)
    _out("")
    _line("all later sessions: calls shown", found.second)
    _out(f"{f'random calls, mean of {DRAWS} draws':<43}{found.first.value or 0:7.1%}")
    _out(
        f"{'difference':<43}{found.value or 0:+7.1%}  [{found.low:+.1%}, {found.high:+.1%}]"
    )
    return found


def compression(each: Judged) -> list[Coverage]:
    """What every strategy keeps of a template with many examples, at several budgets."""
    whole = distil(
        each.sources,
        name=each.name,
        task_type=each.template.task_type,
        max_examples=LONG,
    )
    small = [
        compress(whole, name, budget)
        for budget in BUDGETS
        for name in STRATEGIES.names()
        if name != "model"
    ]
    rows = compare([whole, *small], each.later)
    _out(
        f"\ncompressing {each.name} with {LONG} examples (no model is configured: that strategy is left out)"
    )
    _out(
        f"  {'strategy':<19}{'budget':>7}{'tokens':>8}{'examples':>10}{'calls shown':>13}{'kept':>7}{'recoveries':>12}"
    )
    for row, template in zip(rows, [whole, *small], strict=True):
        budget = template.notes.get("budget", "")
        _out(
            f"  {row.strategy or 'whole':<19}{budget:>7}{row.tokens:>8}{row.examples:>10}{row.calls.value or 0:>13.1%}"
            f"{row.calls_kept or 0:>7.0%}{row.recoveries_kept or 0:>12.0%}"
        )
    return rows


def the_curve(each: Judged) -> Curve:
    whole = distil(
        each.sources,
        name=each.name,
        task_type=each.template.task_type,
        max_examples=LONG,
    )
    found = curve(whole, each.later)
    _out(f"\ncalls shown by the number of examples, {each.name}")
    for point in found.points:
        if point.examples in {0, 1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, LONG}:
            _line(
                f"  {point.examples:>3} examples, {point.tokens:>5} tokens", point.calls
            )
    for name, each_curve in (
        ("these", found),
        (f"the first {EXAMPLES}", curve(each.template, each.later)),
    ):
        if least := each_curve.smallest:
            _out(
                f"the smallest set with 95 % of what {name} show: {least.examples} examples, {least.tokens} tokens"
            )
    return found


def _shape(example: ToolCallExample) -> str:
    return shape_of(example.tool_name, example.arguments)


def _calls(one: Told) -> int:
    return sum(one.shapes.values())


def _count(one: Told, shapes: frozenset[str]) -> int:
    return sum(times for shape, times in one.shapes.items() if shape in shapes)


def _mean(later: Sequence[Told], draws: Sequence[frozenset[str]]) -> float:
    total = len(draws) * sum(map(_calls, later))
    return (
        sum(_count(one, drawn) for one in later for drawn in draws) / total
        if total
        else 0.0
    )


def _line(what: str, found: Rate) -> None:
    value = (
        f"{found.value:7.1%}  [{found.low:.1%}, {found.high:.1%}]"
        if found.value is not None
        else f"{'none':>7}"
    )
    _out(f"{what:<43}{value}  {found.count} of {found.n}, {found.sessions} sessions")


def _out(line: str) -> None:
    sys.stdout.write(line + "\n")


if __name__ == "__main__":
    main()
