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

PATIENCE = 0.2  # seconds that a session which is about to start waits for another one to be assigned
ARMS = (COLD, WARM, PLACEBO)  # what a session can be started with here


class Seat:
    """A session's place in the experiment: its arm (empty: it has none), the sessions whose lessons are kept from it,
    and what went wrong, if something did."""

    def __init__(
        self, kept: Experiments | None = None, mine: Assignment | None = None
    ) -> None:
        self._kept, self._mine = kept, mine
        self.arm = mine.arm if mine else ""
        self.without: frozenset[str] = frozenset()
        self.trouble = ""

    def delivered(self, context: str) -> None:
        """Notes the context that the session was given."""
        if self._kept and self._mine and not self._mine.delivery:
            self._kept.delivered(self._mine.experiment, self._mine.unit, context)


@contextmanager
def seated(
    config: Config, *, session: str, repo: str, agent: str, now: float
) -> Iterator[Seat]:
    """The place of a session, while it is started: to open and close a database that is written to takes its time, so
    it is done once. Whatever is wrong, there is a seat, if only an empty one."""
    with ExitStack() as stack:
        seat = Seat()
        try:
            kept = stack.enter_context(_kept(config))
            plan = _plan(kept, config.experiment)
            seat = Seat(kept, _assigned(kept, plan, session, repo, agent, now))
            if plan.separate and seat.arm != COLD:
                seat.without = _others(kept, plan)
        except AfterglowError as error:
            seat.trouble = f"[experiment] {error}"
        yield seat


def arm_for(
    config: Config, *, session: str, repo: str, agent: str, now: float
) -> Assignment | None:
    """The arm of a session: the one it has, or a new one. None where no experiment is on, or the agent does not name
    its session. Raises `UsageError`, `NotFound` or `StoreError` where the experiment cannot be carried out."""
    if not config.experiment or not session:
        return None
    with _kept(config) as kept:
        return _assigned(
            kept, _plan(kept, config.experiment), session, repo, agent, now
        )


def _assigned(
    kept: Experiments, plan: Plan, session: str, repo: str, agent: str, now: float
) -> Assignment:
    check_name("session", session)
    asked = Assignment(
        experiment=plan.name,
        unit=session,
        arm="",
        time=now,
        stratum=stratum_of(plan, repo=repo, agent=agent),
    )
    return kept.assignment(plan.name, session) or kept.assign(asked, arm_of)[0]


def _others(kept: Experiments, plan: Plan) -> frozenset[str]:
    """The sessions of which a warm start must know nothing. A placebo is as long as a warm start, so it is made as if
    it were one."""
    return frozenset(one.unit for one in kept.assignments(plan.name) if one.arm != WARM)


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
            f"{config.experiment!r} is named, and there is no plan yet: "
            f"`afterglow experiment new {config.experiment}` writes one"
        )
    return Experiments(config.experiments, patience=PATIENCE)


def _plan(kept: Experiments, name: str) -> Plan:
    plan = kept.plan(name)
    odd = [arm for arm in plan.arms if arm not in ARMS]
    if odd or plan.unit != "session" or plan.design != "blocked":
        what = f"the arm {odd[0]!r}" if odd else f"a {plan.design} plan of {plan.unit}s"
        raise UsageError(
            f"{name} cannot be a standing experiment: {what} is nothing a session can start with; "
            f"--unit session --design blocked and arms out of {', '.join(ARMS)} would work"
        )
    return plan
