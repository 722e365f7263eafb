"""experiment: how far an experiment is, and how many units it takes to show what is worth knowing."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from statistics import fmean, stdev
from typing import Any

from msgspec import Struct, field

from afterglow.config import Config
from afterglow.errors import UsageError
from afterglow.experiment.outcomes import OUTCOMES
from afterglow.flows.experiment.experiments import Collected, gathered
from afterglow.records.experiment import FairnessCheck, Plan, Trial

DAY = 86400.0
# How far back the pace is taken from: four whole weeks, so that weekends weigh alike.
PACE_SECONDS = 28 * DAY


class Standing(Struct, frozen=True):
    """One arm: its share, how many were assigned, recorded and left out (by rule), and how many of the recorded have
    the primary outcome."""

    arm: str
    share: float
    assigned: int
    recorded: int
    counted: int
    excluded: dict[str, int]


class Status(Struct, frozen=True):
    plan: Plan
    hash: str
    arms: tuple[Standing, ...]
    corrections: int
    ratio: FairnessCheck
    enough: str


class Power(Struct, frozen=True):
    """Units in the smaller of each arm and the control (pairs, in a paired design), and what that was reckoned from."""

    needed: dict[str, int]
    effect: float
    assumptions: dict[str, Any] = field(name="given")


def status(
    config: Config, name: str, *, keep: bool = True, now: float | None = None
) -> Status:
    """How far it is: per arm what was assigned, recorded and left out; whether arms have their sizes; when enough."""
    now = time.time() if now is None else now
    return status_of(gathered(config, name, keep=keep, now=now), now=now)


def status_of(collected: Collected, *, now: float) -> Status:
    from afterglow.experiment.analysis.checks import sample_ratio

    plan = collected.plan
    assigned = Counter(assignment.arm for assignment in collected.assignments)
    arms = tuple(
        _standing(collected, arm, share, assigned[arm])
        for arm, share in zip(plan.arms, plan.allocation, strict=True)
    )
    return Status(
        plan=plan,
        hash=collected.hash,
        arms=arms,
        corrections=sum(record.replaces is not None for record in collected.records),
        ratio=sample_ratio(plan, assigned),
        enough=_enough(collected, arms, now),
    )


def _standing(collected: Collected, arm: str, share: float, assigned: int) -> Standing:
    trials = [trial for trial in collected.trials if trial.arm == arm]
    return Standing(
        arm=arm,
        share=share,
        assigned=assigned,
        recorded=len(trials),
        counted=sum(_counts(trial, collected.plan) for trial in trials),
        excluded=dict(Counter(trial.excluded for trial in trials if trial.excluded)),
    )


def power(
    config: Config,
    name: str | None = None,
    *,
    outcome: str = "",
    effect: float | None = None,
    allocation: Sequence[float] = (),
    now: float | None = None,
    **choices: Any,
) -> Power:
    """How many units each arm needs against the control. A plan, if named, says what is not said here, and its data how
    the control does (which tells nothing about the difference); `choices` are the words of `needed`."""
    from afterglow.experiment.analysis import needed

    collected = gathered(config, name, now=now) if name else None
    arms: tuple[str, ...] = ("control", "arm")
    shares: tuple[float, ...] = (1.0, 1.0)
    if collected:
        plan = collected.plan
        arms, shares = plan.arms, plan.allocation
        outcome = outcome or plan.primary
        if effect is None and outcome == plan.primary:
            effect = toward_better(outcome, plan.min_effect)
    if outcome and outcome not in OUTCOMES:
        raise UsageError(f"no outcome {outcome!r}; there are {', '.join(OUTCOMES)}")
    if not effect:
        raise UsageError(
            "name the smallest difference worth knowing, on the outcome's own scale: --effect 0.1"
        )
    assumptions = _assumptions(collected, outcome, choices)
    ratios = _ratios(arms, tuple(allocation) or shares)
    units = {
        arm: needed(effect, ratio=ratio, **assumptions) for arm, ratio in ratios.items()
    }
    return Power(units, effect, assumptions)


def _ratios(arms: Sequence[str], shares: Sequence[float]) -> dict[str, float]:
    """How many times as large the larger of an arm and the control is."""
    if len(shares) != len(arms) or not all(share > 0 for share in shares):
        raise UsageError(
            f"there are {len(arms)} arms: give a share above 0 for each, the control first"
        )
    control, *arm_shares = shares
    return {
        arm: max(control, share) / min(control, share)
        for arm, share in zip(arms[1:], arm_shares, strict=True)
    }


def _assumptions(
    collected: Collected | None, outcome: str, choices: dict[str, Any]
) -> dict[str, Any]:
    """What was chosen, and for the rest what the outcome, the plan and its data say."""
    assumptions: dict[str, Any] = {}
    if outcome:
        assumptions["scale"] = OUTCOMES[outcome].scale
    if collected:
        plan = collected.plan
        assumptions["alpha"] = plan.alpha
        assumptions["power"] = plan.power
        assumptions["paired"] = plan.design == "paired"
    assumptions |= choices
    if collected and not assumptions.keys() & {"baseline", "sd"}:
        assumptions |= _control(collected, outcome)
    return assumptions


def _control(collected: Collected, outcome: str) -> dict[str, float]:
    """How the control does, where it has been seen at all."""
    control = collected.plan.control
    values = [
        value
        for trial in collected.trials
        if trial.arm == control and not trial.excluded
        if (value := trial.outcomes.get(outcome)) is not None
    ]
    if len(values) < 2:
        return {}
    if OUTCOMES[outcome].scale == "yes-no":
        return {"baseline": fmean(values)}
    return {"sd": stdev(values)}


def _counts(trial: Trial, plan: Plan) -> bool:
    return not trial.excluded and trial.outcomes.get(plan.primary) is not None


def _enough(collected: Collected, arms: Sequence[Standing], now: float) -> str:
    """When the planned size is reached, at the pace of the last weeks."""
    planned = collected.plan.planned
    if not planned:
        return "no size was planned: look whenever you like; what holds at any time decides"
    remaining = {
        standing.arm: planned - standing.counted
        for standing in arms
        if standing.counted < planned
    }
    if not remaining:
        return f"the planned {planned:,} per arm are there: the fixed-sample result can be read"
    more = ", ".join(f"{count:,} more {arm}" for arm, count in remaining.items())
    text = f"until the planned size: {more}"
    begun = min((trial.time for trial in collected.trials), default=now)
    since = max(now - PACE_SECONDS, begun)
    span_days = (now - since) / DAY
    recent = _counted_between(collected, since, now)
    if span_days < 1 or not all(recent[arm] for arm in remaining):
        return text
    days = max(count * span_days / recent[arm] for arm, count in remaining.items())
    return f"{text}; about {days:,.0f} days at the pace of the last {span_days:.0f}"


def _counted_between(collected: Collected, since: float, now: float) -> Counter[str]:
    """How many trials of each arm count in this time."""
    counted: Counter[str] = Counter()
    for trial in collected.trials:
        if since <= trial.time <= now:
            counted[trial.arm] += _counts(trial, collected.plan)
    return counted


def toward_better(outcome: str, difference: float) -> float:
    """The difference worth knowing, in the direction of better."""
    return -difference if OUTCOMES[outcome].direction == "lower" else difference
