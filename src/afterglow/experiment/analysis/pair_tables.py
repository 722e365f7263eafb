"""Tasks by where the answer was yes, for each pair of arms: in both, in one alone, in neither.

Only the tasks in one alone say which arm is better; the exact McNemar test asks whether they fall on one side by more
than chance. It takes tasks for independent, so where tasks of a family are alike it can be surer than it should be: the
verdicts do not rest on it then.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

from msgspec.structs import replace

from afterglow.experiment.analysis.lazy_scipy import stats
from afterglow.experiment.analysis.rows import value_of
from afterglow.experiment.analysis.verdicts import holm
from afterglow.records.experiment import OutcomeSpec, PairTable, Plan, Trial


def pair_tables(
    plan: Plan, live: Sequence[Trial], specs: Mapping[str, OutcomeSpec]
) -> Iterator[PairTable]:
    """Of every outcome that is yes or no, where tasks were run in several arms, once in each."""
    if plan.design != "paired":
        return
    for outcome in plan.outcomes:
        if specs[outcome].scale == "yes-no":
            yield from _tables(plan, live, outcome)


def _tables(plan: Plan, live: Sequence[Trial], outcome: str) -> Iterator[PairTable]:
    answers = {arm: _answers(live, outcome, arm) for arm in plan.arms}
    tables = []
    for control, arm in combinations(plan.arms, 2):
        table = _table(outcome, (arm, answers[arm]), (control, answers[control]))
        if table is not None:
            tables.append(table)
    corrected = holm([table.p for table in tables])
    for table, p in zip(tables, corrected, strict=True):
        yield replace(table, holm=p)


def _answers(live: Sequence[Trial], outcome: str, arm: str) -> dict[str, bool] | None:
    """Task -> yes or no; None where a task was run several times: its answers are then no longer one."""
    answers: dict[str, bool] = {}
    for trial in live:
        value = value_of(trial, outcome)
        if trial.arm != arm or value is None:
            continue
        task = trial.pair or trial.unit
        if task in answers:
            return None
        answers[task] = value > 0
    return answers


def _table(
    outcome: str,
    arm: tuple[str, dict[str, bool] | None],
    control: tuple[str, dict[str, bool] | None],
) -> PairTable | None:
    if not arm[1] or not control[1]:
        return None
    shared_tasks = arm[1].keys() & control[1].keys()
    if not shared_tasks:
        return None
    cells = Counter((arm[1][task], control[1][task]) for task in shared_tasks)
    only_arm, only_control = cells[True, False], cells[False, True]
    p = mcnemar(only_arm, only_control)
    return PairTable(
        outcome=outcome,
        arm=arm[0],
        control=control[0],
        both=cells[True, True],
        only_arm=only_arm,
        only_control=only_control,
        neither=cells[False, False],
        p=p,
        holm=p,
    )


def mcnemar(only_arm: int, only_control: int) -> float:
    """Exact, two-sided; 1 where no task tells the arms apart."""
    discordant = only_arm + only_control
    if not discordant:
        return 1.0
    return float(stats().binomtest(only_arm, discordant).pvalue)
