"""holdout: a standing experiment on daily work. Each new session gets an arm of the plan that the config file names.

It is asked while an agent waits: one short transaction, little patience, few imports. Whatever is wrong with the
experiment, the session starts warm as if there were none, and the log says why.
"""

from __future__ import annotations

import msgspec

from afterglow.config import Config
from afterglow.errors import NotFound, StoreError, UsageError
from afterglow.experiment.assign import arm_of, stratum_of
from afterglow.records.experiment import COLD, PLACEBO, WARM, Assignment, Plan
from afterglow.store.experiments import Experiments

PATIENCE = 0.2  # seconds that a session which is about to start waits for another one to be assigned
ARMS = (COLD, WARM, PLACEBO)  # what a session can be started with here


def arm_for(config: Config, *, session: str, repo: str, agent: str, now: float) -> Assignment | None:
    """The arm of a session: the one it has, or a new one. None where no experiment is on, or the agent does not name
    its session. Raises `UsageError`, `NotFound` or `StoreError` where the experiment cannot be carried out."""
    if not config.experiment or not session:
        return None
    with _kept(config) as kept:
        plan = _plan(kept, config.experiment)
        asked = Assignment(
            experiment=plan.name, unit=session, arm="", time=now, stratum=stratum_of(plan, repo=repo, agent=agent)
        )
        return kept.assignment(plan.name, session) or kept.assign(asked, arm_of)[0]


def delivered(config: Config, assignment: Assignment, delivery: str) -> None:
    """Notes the context that a session was given."""
    with _kept(config) as kept:
        kept.delivered(assignment.experiment, assignment.unit, delivery)


def kept_apart(config: Config, assignment: Assignment) -> frozenset[str]:
    """The sessions of which a warm start of this experiment must know nothing: those of other arms, where the plan
    keeps arms apart. A placebo is as long as a warm start, so it is made as if it were one."""
    with _kept(config) as kept:
        if not kept.plan(assignment.experiment).separate:
            return frozenset()
        return frozenset(one.unit for one in kept.assignments(assignment.experiment) if one.arm != WARM)


def untold(config: Config, session: str) -> bool:
    """Whether a session must not be told any lesson. If that cannot be found out it is not told either: a hint is
    worth less than an arm without lessons."""
    if not config.experiment or not session:
        return False
    try:
        with _kept(config) as kept:
            found = kept.assignment(config.experiment, session)
    except StoreError:
        return True
    except NotFound:
        return False
    return found is not None and found.arm in (COLD, PLACEBO)


def _kept(config: Config) -> Experiments:
    if not config.experiments.exists():
        raise NotFound(
            f"[experiment] names {config.experiment!r}, and there is no plan yet: "
            f"`afterglow experiment new {config.experiment}` writes one"
        )
    return Experiments(config.experiments, patience=PATIENCE)


def _plan(kept: Experiments, name: str) -> Plan:
    try:
        plan = kept.plan(name)
    except msgspec.MsgspecError as error:
        raise StoreError(f"{kept.path}: the plan of {name} cannot be read ({error})") from error
    odd = [arm for arm in plan.arms if arm not in ARMS]
    if odd or plan.unit != "session" or plan.design != "blocked":
        what = f"the arm {odd[0]!r}" if odd else f"a {plan.design} plan of {plan.unit}s"
        raise UsageError(
            f"{name} cannot be a standing experiment: {what} is nothing a session can start with; "
            f"--unit session --design blocked and arms out of {', '.join(ARMS)} would work"
        )
    return plan
