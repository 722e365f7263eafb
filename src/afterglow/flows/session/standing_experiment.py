"""holdout: a standing experiment on daily work. Each new session gets an arm of the plan that the config file names.

It is asked while an agent waits: short transactions, little patience, few imports. Whatever is wrong with the
experiment, the session starts warm as if there were none, and the log says why.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from afterglow.config import Config
from afterglow.errors import AfterglowError, NotFound, StoreError, UsageError
from afterglow.experiment.assign import arm_of, check_name, stratum_of
from afterglow.records.experiment import COLD, PLACEBO, WARM, Assignment, Plan
from afterglow.store.experiments import Experiments

# seconds that a session which is about to start waits for another one to be assigned:
# a quarter of what a hook has in all
ASSIGN_SECONDS = 0.2
ARMS = (COLD, WARM, PLACEBO)  # what a session can be started with here


class Seat:
    """A session's place in the experiment: its arm (empty: it has none), the sessions whose lessons are kept from it,
    and what went wrong, if something did."""

    def __init__(
        self,
        experiments: Experiments | None = None,
        assignment: Assignment | None = None,
    ) -> None:
        self._experiments, self._assignment = experiments, assignment
        self.arm = assignment.arm if assignment else ""
        self.without: frozenset[str] = frozenset()
        self.trouble = ""

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
    it is done once. Whatever is wrong, there is a seat, if only an empty one."""
    with ExitStack() as stack:
        seat = Seat()
        try:
            experiments = stack.enter_context(_experiments(config))
            plan = _plan(experiments, config.experiment)
            assignment = _assigned(experiments, plan, session, repo, agent, now)
            seat = Seat(experiments, assignment)
            if plan.separate and seat.arm != COLD:
                seat.without = _not_warm(experiments, plan)
        except AfterglowError as error:
            seat.trouble = f"[experiment] {error}"
        yield seat


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


def _not_warm(experiments: Experiments, plan: Plan) -> frozenset[str]:
    """The sessions of which a warm start must know nothing. A placebo is as long as a warm start, so it is made as if
    it were one."""
    return frozenset(
        assignment.unit
        for assignment in experiments.assignments(plan.name)
        if assignment.arm != WARM
    )


def untold(config: Config, session: str) -> bool:
    """Whether a session must not be told any lesson. If that cannot be found out it is not told either: a hint is
    worth less than an arm without lessons."""
    if not config.experiment or not session:
        return False
    try:
        with _experiments(config) as experiments:
            assignment = experiments.assignment(config.experiment, session)
    except StoreError:
        return True
    except NotFound:
        return False
    return assignment is not None and assignment.arm in (COLD, PLACEBO)


def _experiments(config: Config) -> Experiments:
    if not config.experiments.exists():
        raise NotFound(
            f"{config.experiment!r} is named, and there is no plan yet: "
            f"`afterglow experiment new {config.experiment}` writes one"
        )
    return Experiments(config.experiments, patience=ASSIGN_SECONDS)


def _plan(experiments: Experiments, name: str) -> Plan:
    plan = experiments.plan(name)
    odd_arms = [arm for arm in plan.arms if arm not in ARMS]
    if odd_arms:
        problem = f"the arm {odd_arms[0]!r}"
    elif (plan.unit, plan.design) != ("session", "blocked"):
        problem = f"a {plan.design} plan of {plan.unit}s"
    else:
        return plan
    raise UsageError(
        f"{name} cannot be a standing experiment: {problem} is nothing a session can start with; "
        f"--unit session --design blocked and arms out of {', '.join(ARMS)} would work"
    )
