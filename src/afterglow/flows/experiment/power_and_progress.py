"""sizing: how far an experiment is, and how many units it takes to show what is worth knowing."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from statistics import fmean, stdev
from typing import Any

from msgspec import Struct

from afterglow.config import Config
from afterglow.errors import UsageError
from afterglow.experiment.outcomes import OUTCOMES
from afterglow.flows.experiment.experiments import Data, gathered
from afterglow.records.experiment import FairnessCheck, Plan, Trial

DAY = 86400.0
RECENT = 28 * DAY  # how far back the pace is taken from


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
    given: dict[str, Any]


def status(config: Config, name: str, *, now: float | None = None) -> Status:
    """How far it is: per arm what was assigned, recorded and left out; whether arms have their sizes; when enough."""
    from afterglow.experiment.analysis.checks import sample_ratio

    now = time.time() if now is None else now
    data = gathered(config, name, now=now)
    plan = data.plan
    assigned = Counter(one.arm for one in data.assignments)
    arms = tuple(
        Standing(
            arm=arm, share=share, assigned=assigned[arm], recorded=sum(one.arm == arm for one in data.trials),
            counted=sum(_counts(one, plan) for one in data.trials if one.arm == arm),
            excluded=dict(Counter(one.excluded for one in data.trials if one.arm == arm and one.excluded)),
        )
        for arm, share in zip(plan.arms, plan.allocation, strict=True)
    )  # fmt: skip
    corrections = sum(one.replaces is not None for one in data.records)
    return Status(
        plan,
        data.hash,
        arms,
        corrections,
        sample_ratio(plan, assigned),
        _enough(data, arms, now),
    )


def power(
    config: Config,
    name: str | None = None,
    *,
    outcome: str = "",
    effect: float | None = None,
    allocation: Sequence[float] = (),
    now: float | None = None,
    **more: Any,
) -> Power:
    """How many units each arm needs against the control. A plan, if named, says what is not said here, and its data how
    the control does (which tells nothing about the difference); `more` are the words of `needed`."""
    from afterglow.experiment.analysis import needed

    data = gathered(config, name, now=now) if name else None
    plan = data.plan if data else None
    outcome = outcome or (plan.primary if plan else "")
    if outcome and outcome not in OUTCOMES:
        raise UsageError(f"no outcome {outcome!r}; there are {', '.join(OUTCOMES)}")
    if data and plan:
        more = {
            "alpha": plan.alpha,
            "power": plan.power,
            "paired": plan.design == "paired",
            **more,
        }
        effect = _toward(plan) if effect is None and outcome == plan.primary else effect
    if not effect:
        raise UsageError(
            "name the smallest difference worth knowing, on the outcome's own scale: --effect 0.1"
        )
    if outcome:
        more = {"scale": OUTCOMES[outcome].scale, **more}
    if data and not more.keys() & {"baseline", "sd"}:
        more |= _control(data, outcome)
    arms = plan.arms if plan else ("control", "arm")
    shares = tuple(allocation) or (plan.allocation if plan else (1.0, 1.0))
    if len(shares) != len(arms) or not all(share > 0 for share in shares):
        raise UsageError(
            f"there are {len(arms)} arms: give a share above 0 for each, the control first"
        )
    units = {
        arm: needed(effect, ratio=max(shares[0], share) / min(shares[0], share), **more)
        for arm, share in zip(arms[1:], shares[1:], strict=True)
    }
    return Power(units, effect, more)


def _control(data: Data, outcome: str) -> dict[str, float]:
    """How the control does, where it has been seen at all."""
    live = (
        one.outcomes.get(outcome)
        for one in data.trials
        if one.arm == data.plan.control and not one.excluded
    )
    values = [value for value in live if value is not None]
    if len(values) < 2:
        return {}
    return (
        {"baseline": fmean(values)}
        if OUTCOMES[outcome].scale == "yes-no"
        else {"sd": stdev(values)}
    )


def _counts(trial: Trial, plan: Plan) -> bool:
    return not trial.excluded and trial.outcomes.get(plan.primary) is not None


def _enough(data: Data, arms: Sequence[Standing], now: float) -> str:
    """When the planned size is reached, at the pace of the last weeks."""
    planned = data.plan.planned
    if not planned:
        return (
            "no size was planned: the anytime-valid result decides, whenever you look"
        )
    left = {one.arm: planned - one.counted for one in arms if one.counted < planned}
    if not left:
        return f"the planned {planned:,} per arm are there: the fixed-sample result can be read"
    text = "until the planned size: " + ", ".join(
        f"{count:,} more {arm}" for arm, count in left.items()
    )
    since = max(now - RECENT, min((one.time for one in data.trials), default=now))
    recent = Counter(
        one.arm
        for one in data.trials
        if since <= one.time <= now and _counts(one, data.plan)
    )
    if now - since < DAY or not all(recent[arm] for arm in left):
        return text
    days = max(
        count / (recent[arm] * DAY / (now - since)) for arm, count in left.items()
    )
    return f"{text}; about {days:,.0f} days at the pace of the last {(now - since) / DAY:.0f}"


def _toward(plan: Plan) -> float:
    """The difference worth knowing, in the direction of better."""
    return (
        -plan.min_effect
        if OUTCOMES[plan.primary].direction == "lower"
        else plan.min_effect
    )
