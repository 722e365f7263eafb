"""The run as an experiment of afterglow's own: planned before the first measured session, assigned, recorded."""

from __future__ import annotations

from collections.abc import Sequence

from afterglow.config import Config
from afterglow.experiment.outcomes import EXCLUSIONS, OUTCOMES
from afterglow.flows import experiment
from afterglow.records.experiment import COLD, PLACEBO, WARM, Plan
from bench.closed_loop.rows import LEARN, Row

NAME = "closed-loop"
ARMS = (COLD, WARM, PLACEBO)
HYPOTHESIS = (
    "Sessions that start with what afterglow harvested from earlier ones solve more tasks than sessions that start "
    "with nothing; lessons of other projects, as long, do not help."
)


def plan(config: Config, tasks: int) -> Plan:
    """Every task is run in every arm. The same again, when a run goes on, changes nothing."""
    written = experiment.new(
        config, NAME, arms=ARMS, outcomes=("success", "errors", "calls", "tokens"), specs=OUTCOMES, rules=EXCLUSIONS,
        unit="task", design="paired", min_effect=0.1, planned=tasks, hypothesis=HYPOTHESIS,
    )  # fmt: skip
    return written.plan


def arms_of(config: Config, task: str) -> list[str]:
    """The arms in the order in which this task is to be run in them."""
    return [one.arm for one in experiment.assign(config, NAME, task)]


def record(config: Config, rows: Sequence[Row]) -> None:
    """Records those rows that are not recorded yet. Tasks of a family are alike, so a family is a cluster."""
    known = {
        (trial.unit, trial.arm) for trial in experiment.gathered(config, NAME).trials
    }
    for row in rows:
        if row.arm != LEARN and (row.task, row.arm) not in known:
            outcomes = {
                "success": row.solved,
                "errors": row.failed,
                "calls": row.calls,
                "tokens": row.tokens,
            }
            told = {
                "unit": row.task,
                "arm": row.arm,
                "time": row.start,
                "cluster": row.family,
                "session": row.session,
            }
            experiment.record(
                config,
                NAME,
                {**told, "outcomes": {name: float(n) for name, n in outcomes.items()}},
            )
