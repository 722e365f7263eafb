"""A plan: what is compared, by what, and what will decide, written down before there is anything to see.

Whatever could be chosen later to make a result look better is fixed here: outcomes and which of them is the primary
one, shares, exclusions, the size at which the fixed-sample result is read. The hash is that of the plan's canonical
JSON, so that `sha256sum` of an exported plan gives it again.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any, get_args

import msgspec
from msgspec.structs import asdict

from afterglow.errors import UsageError
from afterglow.experiment.assign import MAX_BLOCK_UNITS, block_of
from afterglow.experiment.moments import (
    begin_alike,
    check_taken_apart,
    check_unmixed,
    form_of,
)
from afterglow.experiment.outcomes import EXCLUSIONS, OUTCOMES
from afterglow.records.experiment import Design, OutcomeSpec, Plan, Unit
from afterglow.text.numbers import short_percent

STRATA = ("repo", "agent", "task")  # what assignment can be blocked by
MAX_ARMS = 8  # each further arm needs that many more units: nobody fills nine
MAX_TEXT_CHARACTERS = 2000  # of a hypothesis or of notes: a page, not a document

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
# What differs between two plans that say the same.
_FATE = ("created", "salt", "version")


def make_plan(
    name: str,
    *,
    arms: Sequence[str],
    outcomes: Sequence[str],
    created: float,
    salt: str,
    allocation: Sequence[float] = (),
    unit: str = "session",
    design: str = "blocked",
    strata: Sequence[str] | None = None,
    hypothesis: str = "",
    min_effect: float = 0.0,
    alpha: float = 0.05,
    power: float = 0.8,
    planned: int = 0,
    exclusions: Sequence[str] = (),
    separate: bool = False,
    notes: str = "",
    simulated: bool = False,
    version: int = 1,
    specs: Mapping[str, OutcomeSpec] = OUTCOMES,
    rules: Mapping[str, str] = EXCLUSIONS,
) -> Plan:
    """A plan that can be carried out. `specs` are the outcomes that can be measured, `rules` the exclusions that can be
    applied. Shares are equal unless said. Raises `UsageError` that says what would work."""
    if not _NAME.fullmatch(name):
        raise UsageError(
            f"{name!r} cannot name an experiment; letters, digits, dots and dashes would work, like daily-1"
        )
    if unit not in get_args(Unit):
        raise UsageError(f"a unit is {' or '.join(get_args(Unit))}, not {unit!r}")
    if design not in get_args(Design):
        raise UsageError(f"a design is {' or '.join(get_args(Design))}, not {design!r}")
    _check_arms(arms)
    if unit == "session":
        check_unmixed(arms)
    shares = tuple(map(float, allocation)) or (1.0,) * len(arms)
    _check_shares(arms, shares, design)
    chosen_strata = _strata(strata, design)
    if not outcomes:
        raise UsageError(
            f"name at least one outcome, the primary one first; there are {', '.join(specs)}"
        )
    _check_names("outcome", outcomes, specs)
    _check_names("exclusion", exclusions, rules)
    _check_conditional(specs[outcomes[0]], arms)
    _check_numbers(
        specs[outcomes[0]],
        min_effect=min_effect,
        alpha=alpha,
        power=power,
        planned=planned,
    )
    _check_text("hypothesis", hypothesis)
    _check_text("notes", notes)
    whole = math.fsum(shares)
    return Plan(
        name=name,
        arms=tuple(arms),
        allocation=tuple(share / whole for share in shares),
        outcomes=tuple(outcomes),
        created=created,
        salt=salt,
        version=version,
        hypothesis=hypothesis.strip(),
        unit=msgspec.convert(unit, Unit),
        design=msgspec.convert(design, Design),
        strata=chosen_strata,
        min_effect=min_effect,
        alpha=alpha,
        power=power,
        planned=planned,
        exclusions=tuple(exclusions),
        separate=separate,
        notes=notes.strip(),
        simulated=simulated,
    )


def _strata(strata: Sequence[str] | None, design: str) -> tuple[str, ...]:
    """What assignment is blocked by; if not said, the task of a paired plan, else place and agent."""
    usual = ("task",) if design == "paired" else ("repo", "agent")
    chosen = usual if strata is None else tuple(strata)
    _check_names("stratum", chosen, STRATA)
    if design == "paired" and chosen != usual:
        raise UsageError(
            "a paired plan is blocked by task, and by nothing else: leave the strata out"
        )
    return chosen


def plan_text(plan: Plan) -> bytes:
    """The canonical JSON of a plan. A field that is added later must be left out here while it has its default, or the
    hashes of older plans would change."""
    return msgspec.json.encode(plan, order="sorted")


def plan_hash(plan: Plan) -> str:
    return sha256(plan_text(plan)).hexdigest()


def changed(before: Plan, after: Plan) -> list[str]:
    """The names of what they say differently, whenever they were written."""
    values_after = asdict(after)
    return [
        field
        for field, value in asdict(before).items()
        if field not in _FATE and value != values_after[field]
    ]


def described(
    plan: Plan, specs: Mapping[str, OutcomeSpec], rules: Mapping[str, str]
) -> list[tuple[str, str]]:
    """A plan line by line: what it is called, and what was decided."""
    primary, *secondary = [_outcome(name, specs) for name in plan.outcomes]
    levels = f"{short_percent(plan.alpha)}; power {short_percent(plan.power)}"
    knowledge = "kept apart by arm" if plan.separate else "shared by all arms"
    lines = [
        ("hypothesis", plan.hypothesis or "none written down"),
        ("arms", _arms_text(plan)),
        ("unit", _unit_text(plan)),
        ("assignment", _assignment_text(plan)),
        ("primary", primary),
        *(("also", outcome) for outcome in secondary),
        ("worth knowing", _effect_text(plan)),
        ("false alarms", levels),
        ("size", _size_text(plan)),
        *(("left out", _exclusion_text(name, rules)) for name in plan.exclusions),
        ("knowledge", knowledge),
    ]
    return [*lines, ("notes", plan.notes)] if plan.notes else lines


def _arms_text(plan: Plan) -> str:
    shares = zip(plan.arms, plan.allocation, strict=True)
    arms = ", ".join(f"{arm} {short_percent(share)}" for arm, share in shares)
    return f"{arms}; {plan.control} is the control"


def _unit_text(plan: Plan) -> str:
    if plan.every_arm:
        return f"{plan.unit}; every task is run in every arm"
    return f"{plan.unit}; each {plan.unit} gets one arm"


def _assignment_text(plan: Plan) -> str:
    blocks = "over all units"
    if plan.strata:
        blocks = f"within each {' and '.join(plan.strata)}"
    return f"{plan.design}, in permuted blocks {blocks}"


def _effect_text(plan: Plan) -> str:
    if not plan.min_effect:
        return "any difference"
    return f"a difference of {plan.min_effect:g}"


def _size_text(plan: Plan) -> str:
    if not plan.planned:
        return "none planned: look whenever you like; what holds at any time decides"
    return f"{plan.planned:,} per arm"


def _exclusion_text(name: str, rules: Mapping[str, str]) -> str:
    return f"{name}: {rules.get(name, 'a rule this version does not know')}"


def _outcome(name: str, specs: Mapping[str, OutcomeSpec]) -> str:
    spec = specs.get(name)
    if spec is None:
        return f"{name} (not known to this version)"
    better = f"{spec.direction} is better"
    if spec.direction == "none":
        better = "it only describes"
    return f"{name}: {spec.words}{' (a proxy)' if spec.proxy else ''}; {better}"


def _check_arms(arms: Sequence[str]) -> None:
    if not 2 <= len(arms) <= MAX_ARMS:
        raise UsageError(
            f"a comparison has 2 to {MAX_ARMS} arms, not {len(arms)}; --arms cold,warm would work"
        )
    for arm in arms:
        check_taken_apart(arm)
    if odd := [arm for arm in arms if not (_NAME.fullmatch(arm) or form_of(arm))]:
        raise UsageError(
            f"{odd[0]!r} cannot name an arm; letters, digits, dots and dashes would work"
        )
    _check_twice("arm", arms)


def _check_shares(arms: Sequence[str], shares: Sequence[float], design: str) -> None:
    if len(shares) != len(arms):
        raise UsageError(
            f"{len(arms)} arms and {len(shares)} shares; give one for each, like --allocation 80,10,10"
        )
    if not all(math.isfinite(share) and share > 0 for share in shares):
        raise UsageError("shares are numbers above 0, like 80,10,10")
    if block_of(shares) is None:
        raise UsageError(
            f"these shares do not fit a block of {MAX_BLOCK_UNITS} units; rounder ones would, like 80,10,10"
        )
    if design == "paired" and len(set(shares)) > 1:
        raise UsageError(
            "in a paired plan every task is run in every arm, so shares are equal: leave them out"
        )


def _check_numbers(
    primary: OutcomeSpec, *, min_effect: float, alpha: float, power: float, planned: int
) -> None:
    if not 0 < alpha < 0.5 or not 0.5 <= power < 1:
        raise UsageError(
            "alpha lies between 0 and 0.5, power between 0.5 and 1; 0.05 and 0.8 are common"
        )
    if planned < 0 or planned == 1:
        raise UsageError(
            f"{planned} units per arm cannot be planned; give 2 or more, or none"
        )
    if not math.isfinite(min_effect) or min_effect < 0:
        raise UsageError(
            "the smallest difference worth knowing is a number, 0 or above"
        )
    if primary.scale in ("yes-no", "rate") and min_effect >= 1:
        raise UsageError(
            f"{primary.name} is a share: write five points as 0.05, not as {min_effect:g}"
        )


def _check_conditional(primary: OutcomeSpec, arms: Sequence[str]) -> None:
    if primary.conditional and not begin_alike(arms):
        raise UsageError(
            f"{primary.name} is there only where a known problem came up, and what is told at the start may keep it "
            "from coming up: as the primary outcome it compares arms that begin alike, like cold,failure or "
            "start,both; calls-lost compares all"
        )


def _check_names(
    what: str, names: Sequence[str], choices: Mapping[str, Any] | Sequence[str]
) -> None:
    for name in names:
        if name not in choices:
            raise UsageError(f"no {what} {name!r}; there are {', '.join(choices)}")
    _check_twice(what, names)


def _check_twice(what: str, names: Sequence[str]) -> None:
    if twice := [name for name in names if list(names).count(name) > 1]:
        raise UsageError(f"{what} {twice[0]!r} is named twice")


def _check_text(what: str, text: str) -> None:
    if len(text) > MAX_TEXT_CHARACTERS:
        raise UsageError(
            f"the {what} has {len(text)} characters; at most {MAX_TEXT_CHARACTERS} would work"
        )
