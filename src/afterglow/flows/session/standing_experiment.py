"""holdout: a standing experiment on daily work. Each new session gets an arm of the plan that the config file names.

An arm says at which moments the session is told lessons, and in which form. `seated` draws it when the session starts; at
every later moment `allowed` says what the arm lets it be told. Both are asked while an agent waits: short transactions,
little patience, few imports. Whatever is wrong with the experiment, the session starts as if there were none, and the log
says why.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from afterglow.config import Config
from afterglow.errors import AfterglowError, NotFound
from afterglow.experiment.assign import arm_of, check_name, stratum_of
from afterglow.experiment.moments import (
    check_standing,
    forms,
    lesson_arms,
    telling,
)
from afterglow.flows.session.permission import Permission
from afterglow.records.delivery import When
from afterglow.records.experiment import PLACEBO, Assignment, Plan
from afterglow.store.experiments import Experiments

# seconds that a session which is about to start waits for another one to be assigned:
# a quarter of what a hook has in all
ASSIGN_SECONDS = 0.2


class Seat:
    """A session's place in the experiment while it starts, and what it may be told then."""

    def __init__(
        self,
        permission: Permission,
        experiments: Experiments | None = None,
        assignment: Assignment | None = None,
    ) -> None:
        self.permission = permission
        self._experiments, self._assignment = experiments, assignment

    def delivered(self, context: str) -> None:
        """Notes the context that the session was given."""
        experiments, assignment = self._experiments, self._assignment
        if experiments and assignment and not assignment.delivery:
            experiments.delivered(assignment.experiment, assignment.unit, context)


@contextmanager
def seated(
    config: Config, *, session: str, repo: str, agent: str, now: float
) -> Iterator[Seat]:
    """The place of a session, while it is started: to open and close a database that is written to takes its time, so
    it is done once. Whatever is wrong, there is a seat, if only one outside of the experiment."""
    with ExitStack() as stack:
        try:
            experiments = stack.enter_context(_experiments(config))
            plan = _plan(experiments, config.experiment)
            assignment = _assigned(experiments, plan, session, repo, agent, now)
            at_start = _permission(experiments, plan, assignment.arm, "start")
            seat = Seat(at_start, experiments, assignment)
        except AfterglowError as error:
            seat = Seat(Permission(trouble=f"[experiment] {error}"))
        yield seat


def allowed(config: Config, session: str, when: When) -> Permission:
    """What the arm of a session that runs already lets it be told. If the arm cannot be found out that is nothing: a
    line is worth less than an arm that was kept."""
    try:
        with _experiments(config) as experiments:
            assignment = experiments.assignment(config.experiment, session)
            if assignment is None:
                return Permission()
            plan = experiments.plan(config.experiment)
            return _permission(experiments, plan, assignment.arm, when)
    except AfterglowError as error:
        return Permission("nothing", trouble=f"[experiment] {error}")


def of_arm(config: Config, when: When) -> Permission:
    """The same in a home that is made for one arm: whatever session it is, that is its arm."""
    try:
        with _experiments(config) as experiments:
            plan = experiments.plan(config.experiment)
            return _permission(experiments, plan, config.arm, when)
    except AfterglowError as error:
        return Permission("nothing", trouble=f"[experiment] {error}")


def _assigned(
    experiments: Experiments,
    plan: Plan,
    session: str,
    repo: str,
    agent: str,
    now: float,
) -> Assignment:
    check_name("session", session)
    request = Assignment(
        experiment=plan.name,
        unit=session,
        arm="",
        time=now,
        stratum=stratum_of(plan, repo=repo, agent=agent),
    )
    earlier = experiments.assignment(plan.name, session)
    return earlier or experiments.assign(request, arm_of)[0]


def _permission(
    experiments: Experiments, plan: Plan, arm: str, when: When
) -> Permission:
    arms = plan.arms
    tells = telling(arms, arm, when)
    without: frozenset[str] = frozenset()
    if plan.separate and tells != "nothing":
        without = _sessions_of_other_arms(experiments, plan, arm, when)
    own_arms = lesson_arms(arms, when) if arm == PLACEBO else [arm]
    told_forms = tuple(forms(arms, own_arm, when) for own_arm in own_arms)
    return Permission(tells, arm, without, forms=told_forms)


def _sessions_of_other_arms(
    experiments: Experiments, plan: Plan, arm: str, when: When
) -> frozenset[str]:
    """A placebo is as long as what it stands in for, so it is made as if it were of the first arm told lessons then."""
    own_arm = lesson_arms(plan.arms, when)[0] if arm == PLACEBO else arm
    return frozenset(
        assignment.unit
        for assignment in experiments.assignments(plan.name)
        if assignment.arm != own_arm
    )


def _experiments(config: Config) -> Experiments:
    if not config.experiments.exists():
        raise NotFound(
            f"{config.experiment!r} is named, and there is no plan yet: "
            f"`afterglow experiment new {config.experiment}` writes one"
        )
    return Experiments(config.experiments, patience=ASSIGN_SECONDS)


def _plan(experiments: Experiments, name: str) -> Plan:
    plan = experiments.plan(name)
    check_standing(plan)
    return plan
