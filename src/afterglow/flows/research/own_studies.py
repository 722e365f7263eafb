"""The user's own studies whose arms take a template apart, or give less of it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable

from afterglow.config import Config
from afterglow.experiment.moments import form_of
from afterglow.measure.research.own_studies import StudyArm
from afterglow.records.experiment import COLD, PLACEBO, TEMPLATE, Trial
from afterglow.records.form import Form
from afterglow.stats.rates import Pair, rate
from afterglow.store.experiments import Experiments

SUCCESS = "success"  # the outcome of a run
BESIDE = (COLD, TEMPLATE, PLACEBO)  # what the arms in question are read beside


def gives_a_part(form: Form) -> bool:
    return bool(form.part)


def gives_less(form: Form) -> bool:
    return bool(form.tokens)


def arms_run(config: Config, asks: Callable[[Form], bool]) -> list[StudyArm]:
    """Of every study that has an arm of that form: such arms, and those they are read beside, with what came of them."""
    if not config.experiments.exists():
        return []
    arms: list[StudyArm] = []
    with Experiments(config.experiments) as store:
        for plan in store.plans():
            asked_arms = [arm for arm in plan.arms if _is_asked(arm, asks)]
            if not asked_arms:
                continue
            trials = [each for each in store.trials(plan.name) if not each.excluded]
            for arm in plan.arms:
                if arm in asked_arms or arm in BESIDE:
                    runs = rate(_by_cluster(each for each in trials if each.arm == arm))
                    arms.append(StudyArm(plan=plan.name, arm=arm, runs=runs))
    return [arm for arm in arms if arm.runs.n]


def _is_asked(arm: str, asks: Callable[[Form], bool]) -> bool:
    form = form_of(arm)
    return form is not None and asks(form)


def _by_cluster(trials: Iterable[Trial]) -> list[Pair]:
    """Runs that succeeded, of all whose outcome is known, by family of tasks."""
    outcomes: dict[str, list[float]] = defaultdict(list)
    for trial in trials:
        success = trial.outcomes.get(SUCCESS)
        if success is not None:
            outcomes[trial.cluster or trial.unit].append(success)
    return [(sum(value > 0 for value in each), len(each)) for each in outcomes.values()]
