"""experiment: a look at one, at any time: how far it is, what it says, and which sessions it had last."""

from __future__ import annotations

import time
from collections.abc import Mapping

from msgspec import Struct

from afterglow.config import Config
from afterglow.errors import UsageError
from afterglow.experiment.outcomes import OUTCOMES
from afterglow.flows.experiment.experiments import analysis_of, gathered
from afterglow.flows.experiment.power_and_progress import Status, status_of
from afterglow.records.experiment import Analysis, Assignment, OutcomeSpec, Trial

LATEST = 20  # assignments that are listed: those of the last days


class Latest(Struct, frozen=True):
    """One of the last assignments, and what came of it, if that is known yet."""

    assignment: Assignment
    trial: Trial | None


class Peek(Struct, frozen=True):
    """`analysis` is missing where `trouble` says why."""

    status: Status
    specs: Mapping[str, OutcomeSpec]
    latest: tuple[Latest, ...]
    analysis: Analysis | None = None
    trouble: str = ""


def peek(
    config: Config, name: str, *, keep: bool = False, now: float | None = None
) -> Peek:
    """To look changes nothing, unless the sessions that ended since are to be recorded (`keep`)."""
    now = time.time() if now is None else now
    collected = gathered(config, name, keep=keep, now=now)
    trials = {(trial.unit, trial.arm): trial for trial in collected.trials}
    newest = sorted(collected.assignments, key=lambda each: -each.time)[:LATEST]
    latest = [Latest(each, trials.get((each.unit, each.arm))) for each in newest]
    specs = {outcome: OUTCOMES[outcome] for outcome in collected.plan.outcomes}
    analysis, trouble = None, ""
    try:
        analysis = analysis_of(collected, now=now)
    except UsageError as error:
        trouble = str(error)
    return Peek(status_of(collected, now=now), specs, tuple(latest), analysis, trouble)
