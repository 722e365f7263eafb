"""What a loop says: `python -m bench.closed_loop.analyse --out DIR`. Prints Markdown, writes `DIR/results.json`.

Lessons first (by kind of family), then each plan as it was written down: every arm against cold, and the arms with one
another. Nothing is left out: a family whose learning failed counts in every table.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import msgspec
from msgspec import Struct

from afterglow.config import Config
from afterglow.errors import AfterglowError
from afterglow.flows import experiment
from afterglow.records.experiment import Analysis, Estimate, Trial
from bench.closed_loop import rows
from bench.closed_loop.loop import Loop
from bench.closed_loop.plans import PLANS
from bench.closed_loop.rows import LearningRow
from bench.closed_loop.run import OUT
from bench.closed_loop.told import MISSING, RIGHT, WRONG, ToldFamily


class FamilyResult(Struct, frozen=True):
    """`learned`: some learning session ended as the person wanted. `lesson` is what later tasks were told."""

    name: str
    kind: str
    tool_quirk: bool
    learned: bool
    lesson: str
    at_start: str
    after_failure: str
    in_template: str


class ArmResult(Struct, frozen=True):
    """The mean of an outcome in an arm (a share, where it is a yes or no)."""

    value: float
    n: int


class Comparison(Struct, frozen=True):
    """One arm against another on an outcome, as planned; `discordant`: tasks that were done in one of the two only."""

    outcome: str
    arm: str
    against: str
    estimate: float
    low: float
    high: float
    p: float
    pairs: int
    clusters: int
    verdict: str
    discordant: tuple[int, int] | None = None


class PlanResult(Struct, frozen=True):
    arms: tuple[str, ...]
    tasks: int
    runs: int
    planned_at: float
    first_run: float
    last_run: float
    outcomes: dict[str, dict[str, ArmResult]]
    comparisons: tuple[Comparison, ...]
    by_kind: dict[str, dict[str, ArmResult]]  # of `success`


class LoopResults(Struct, frozen=True):
    """All that is written to results.json."""

    model: str
    learning_sessions: int
    learning_solved: int
    learning_helped: int
    families: tuple[FamilyResult, ...]
    lessons: dict[str, int]  # of families that learned: right, wrong, missing
    plans: dict[str, PlanResult]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=OUT, help="the folder of the loop")
    loop = Loop(out=parser.parse_args().out)
    results = loop_results(loop)
    text = msgspec.json.format(msgspec.json.encode(results), indent=1)
    (loop.out / "results.json").write_bytes(text + b"\n")
    for line in in_words(results):
        sys.stdout.write(f"{line}\n")


def loop_results(loop: Loop) -> LoopResults:
    learning = rows.read(loop.rows)
    told = msgspec.json.decode(
        (loop.out / "told.json").read_bytes(), type=list[ToldFamily]
    )
    families = tuple(_family_result(family, learning) for family in told)
    learned = [family for family in families if family.learned]
    plans: dict[str, PlanResult] = {}
    for plan in PLANS:
        try:
            plans[plan.name] = _plan_result(loop.config, plan.name, told)
        except AfterglowError as error:
            sys.stderr.write(f"{plan.name}: {error}\n")
    return LoopResults(
        model=(loop.out / "model.txt").read_text().strip(),
        learning_sessions=len(learning),
        learning_solved=sum(row.solved for row in learning),
        learning_helped=sum(row.helped for row in learning),
        families=families,
        lessons={
            word: sum(family.lesson == word for family in learned)
            for word in (RIGHT, WRONG, MISSING)
        },
        plans=plans,
    )


def _family_result(told: ToldFamily, learning: Sequence[LearningRow]) -> FamilyResult:
    return FamilyResult(
        told.family,
        told.kind,
        told.tool_quirk,
        any(row.solved for row in learning if row.family == told.family),
        told.lesson,
        told.start.lesson,
        told.failure.lesson,
        told.template.lesson,
    )


def _plan_result(config: Config, name: str, told: Sequence[ToldFamily]) -> PlanResult:
    analysis, _ = experiment.report(config, name)
    trials = experiment.gathered(config, name).trials
    kinds = {family.family: family.kind for family in told}
    outcomes = {
        outcome: _means(trials, analysis.plan.arms, outcome)
        for outcome in analysis.plan.outcomes
    }
    by_kind = {
        kind: _means(
            [trial for trial in trials if kinds.get(trial.cluster) == kind],
            analysis.plan.arms,
            "success",
        )
        for kind in dict.fromkeys(kinds.values())
    }
    times = [trial.time for trial in trials]
    return PlanResult(
        analysis.plan.arms,
        len({trial.unit for trial in trials}),
        len(trials),
        analysis.plan.created,
        min(times),
        max(times),
        outcomes,
        tuple(map(_comparison, _estimates(analysis))),
        by_kind,
    )


def _estimates(analysis: Analysis) -> Iterable[Estimate]:
    return (*analysis.estimates, *analysis.between)


def _means(
    trials: Sequence[Trial], arms: Sequence[str], outcome: str
) -> dict[str, ArmResult]:
    values = {
        arm: [
            value
            for trial in trials
            if trial.arm == arm and (value := trial.outcomes.get(outcome)) is not None
        ]
        for arm in arms
    }
    return {
        arm: ArmResult(sum(numbers) / len(numbers), len(numbers))
        for arm, numbers in values.items()
        if numbers
    }


def _comparison(estimate: Estimate) -> Comparison:
    return Comparison(
        estimate.outcome,
        estimate.arm,
        estimate.control,
        estimate.difference,
        estimate.interval.low,
        estimate.interval.high,
        estimate.p,
        estimate.pairs,
        estimate.clusters,
        estimate.verdict,
        estimate.discordant,
    )


def in_words(results: LoopResults) -> Iterator[str]:
    """The whole text, line by line."""
    yield (
        f"{results.model}: {results.learning_sessions} learning sessions, {results.learning_solved} solved, in "
        f"{results.learning_helped} the person had to say what was wrong."
    )
    learned = sum(results.lessons.values())
    yield f"Of {len(results.families)} families {learned} learned; told of these: {results.lessons}."
    yield from ("", *_lesson_table(results.families))
    for name, plan in results.plans.items():
        yield from ("", f"## {name}: {plan.tasks} tasks, {plan.runs} runs", "")
        yield from _plan_tables(plan)


def _lesson_table(families: Sequence[FamilyResult]) -> Iterator[str]:
    yield from _row("family", "kind", "learned", "start", "failure", "template")
    yield "|---" * 6 + "|"
    for family in families:
        yield from _row(
            family.name,
            family.kind,
            "yes" if family.learned else "no",
            family.at_start,
            family.after_failure,
            family.in_template,
        )


def _plan_tables(plan: PlanResult) -> Iterator[str]:
    yield from _row("outcome", *plan.arms)
    yield "|---" * (1 + len(plan.arms)) + "|"
    for outcome, arms in plan.outcomes.items():
        yield from _row(outcome, *(f"{arms[arm].value:.2f}" for arm in plan.arms))
    for kind, arms in plan.by_kind.items():
        shares = (f"{arms[arm].value:.2f}" if arm in arms else "" for arm in plan.arms)
        yield from _row(f"success, {kind}", *shares)
    yield ""
    yield from _row("outcome", "arm", "against", "difference (95 %)", "p", "only one")
    yield "|---" * 6 + "|"
    for one in plan.comparisons:
        yield from _row(
            one.outcome,
            one.arm,
            one.against,
            f"{one.estimate:+.2f} ({one.low:+.2f} to {one.high:+.2f})",
            f"{one.p:.2g}",
            " / ".join(map(str, one.discordant)) if one.discordant else "",
        )


def _row(*cells: str) -> Iterator[str]:
    yield f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    main()
