"""Trials as columns: who is analysed, in the arm they were assigned to, in order of time; and the hash of it all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from hashlib import sha256
from typing import Any, NamedTuple

import msgspec

from afterglow.errors import UsageError
from afterglow.experiment.analysis.lazy_scipy import numpy
from afterglow.records.experiment import LARGEST, Assignment, Plan, Trial


class Columns(NamedTuple):
    """One arm and the control on one outcome, in the order of time; units without a value are left out and counted."""

    values: Any
    treated: Any  # yes: in the arm; no: in the control
    units: Any  # numbers for names, in all of these
    clusters: Any
    pairs: Any
    trials: tuple[Trial, ...]
    missing: tuple[int, int] = (0, 0)  # of the arm, of the control

    def first(self, count: int) -> Columns:
        """As it stood after `count` rows."""
        return self.only(numpy().arange(len(self.values)) < count)

    def only(self, chosen: Any) -> Columns:
        trials = tuple(
            trial for trial, keep in zip(self.trials, chosen, strict=True) if keep
        )
        parts = [column[chosen] for column in self[:5]]
        return Columns(
            parts[0], parts[1], parts[2], parts[3], parts[4], trials, self.missing
        )


def in_order(
    plan: Plan, trials: Sequence[Trial], assignments: Sequence[Assignment]
) -> list[Trial]:
    """Trials by time. Says so when an arm is unknown, or not the one that was assigned."""
    assigned = (
        {assignment.unit: assignment.arm for assignment in assignments}
        if plan.design == "blocked"
        else {}
    )
    for trial in trials:
        if trial.arm not in plan.arms:
            raise UsageError(
                f"{trial.unit} is in arm {trial.arm!r}; the plan {plan.name} has {', '.join(plan.arms)}"
            )
        if assigned.get(trial.unit, trial.arm) != trial.arm:
            raise UsageError(
                f"{trial.unit} was assigned to {assigned[trial.unit]} and recorded as {trial.arm}; record it in the "
                "arm it was assigned to, whatever it got (intention to treat)"
            )
    return sorted(
        trials, key=lambda trial: (trial.time, trial.unit, trial.arm, trial.session)
    )


def columns(trials: Sequence[Trial], outcome: str, arm: str, control: str) -> Columns:
    np = numpy()
    lost: Counter[str] = Counter()
    live: list[Trial] = []
    values: list[float] = []
    for trial in trials:
        if trial.arm not in (arm, control):
            continue
        value = value_of(trial, outcome)
        if value is None:
            lost[trial.arm] += 1
        else:
            live.append(trial)
            values.append(value)
    return Columns(
        values=np.array(values, dtype=float),
        treated=np.array([trial.arm == arm for trial in live], dtype=bool),
        units=_codes([trial.unit for trial in live]),
        clusters=_codes([trial.cluster or f"\0{trial.unit}" for trial in live]),
        pairs=_codes([trial.pair or f"\0{trial.unit}" for trial in live]),
        trials=tuple(live),
        missing=(lost[arm], lost[control]),
    )


def value_of(trial: Trial, outcome: str) -> float | None:
    """None also where it is no number that can be reckoned with."""
    value = trial.outcomes.get(outcome)
    if value is None or not abs(value) <= LARGEST:
        return None
    return value


def _codes(names: list[str]) -> Any:
    codes: dict[str, int] = {}
    return numpy().array(
        [codes.setdefault(name, len(codes)) for name in names], dtype=int
    )


def data_hash(trials: Sequence[Trial], assignments: Sequence[Assignment]) -> str:
    """The same for the same rows in any order."""
    rows = sorted(
        msgspec.json.encode(row, order="sorted") for row in (*trials, *assignments)
    )
    return sha256(b"\n".join(rows)).hexdigest()
