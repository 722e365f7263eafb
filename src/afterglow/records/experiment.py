"""A comparison of ways to start a session: what was planned, who got what, what came of it, and what it says.

A plan is written before any data and never changed: its hash stands on everything that follows from it. Assignments and
records are only ever added. What a person reads in the end is an `Analysis`.
"""

from __future__ import annotations

from typing import Literal

from msgspec import UNSET, Struct, UnsetType

Unit = Literal["session", "task"]
Design = Literal[
    "blocked", "paired"
]  # each unit gets one arm | each task is run in every arm
Direction = Literal[
    "lower", "higher", "none"
]  # which way is better; none: it only describes
Scale = Literal["yes-no", "count", "rate", "seconds", "amount"]
# Arms by the moment at which lessons are told, and by the form; `experiment.moments` says what each of them means.
COLD, START, FAILURE, BOTH, PLACEBO = "cold", "start", "failure", "both", "placebo"
CONTEXT, TEMPLATE = "context", "template"
WARM = "warm"  # the older word for `start`
LARGEST = 1e15  # no outcome is larger: squares of it can still be added up


class OutcomeSpec(Struct, frozen=True):
    """What is measured of a session: its name, which way is better, and its definition in plain words. A `proxy` stands
    for something that was not measured itself, and is labelled so wherever it is shown. A `conditional` one is there only
    where something came up that an arm may have kept from coming up."""

    name: str
    direction: Direction
    scale: Scale
    words: str
    unit: str = ""
    proxy: bool = False
    conditional: bool = False


class Plan(Struct, frozen=True, kw_only=True):
    """What was decided before any data. The first arm is the control; the first outcome is the primary one.

    `allocation` is the share of each arm. `min_effect` is the smallest difference of the primary outcome worth knowing,
    on its own scale. `strata` are the names assignment is blocked by. `exclusions` name rules of the table. With
    `separate`, knowledge harvested from sessions of one arm is kept out of the others. `salt` makes assignment
    reproducible and unguessable. `planned` is the number of units per arm the fixed-sample result is read at (0: none
    was planned; then only the anytime-valid result decides). `simulated` says that no real session takes part.
    """

    name: str
    arms: tuple[str, ...]
    allocation: tuple[float, ...]
    outcomes: tuple[str, ...]
    created: float
    salt: str
    version: int = 1
    hypothesis: str = ""
    unit: Unit = "session"
    design: Design = "blocked"
    strata: tuple[str, ...] = ("repo", "agent")
    min_effect: float = 0.0
    alpha: float = 0.05
    power: float = 0.8
    planned: int = 0
    exclusions: tuple[str, ...] = ()
    separate: bool = False
    notes: str = ""
    simulated: bool = False

    @property
    def control(self) -> str:
        return self.arms[0]

    @property
    def primary(self) -> str:
        return self.outcomes[0]

    @property
    def every_arm(self) -> bool:
        """The unit is a task that is run in every arm, so it has one assignment and one record in each."""
        return self.design == "paired" and self.unit == "task"


class Assignment(Struct, frozen=True, kw_only=True):
    """A unit was given an arm. `unit` is a session's id, or a task's name; `stratum` is the block it fell into;
    `delivery` is the context it was given (none for a cold one)."""

    experiment: str
    unit: str
    arm: str
    time: float
    stratum: str = ""
    delivery: str = ""


class RunConditions(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Under what a unit was run, as far as that is recorded; empty is not known. `task_hash` is of the files of the
    task's folder, `source` what the author of a task says about where it comes from. `deliveries` is how often it was
    told something, lessons or a placebo, and `delivered_tokens` how much in all; None is not known."""

    agent: str = ""
    agent_version: str = ""
    model: str = ""
    afterglow_version: str = ""
    repo: str = ""
    task_hash: str = ""
    source: str = ""
    deliveries: int | None = None
    delivered_tokens: int | None = None


class Trial(Struct, frozen=True, kw_only=True):
    """One unit with what came of it, in the arm it was *assigned* to. An outcome that is None could not be computed.

    `cluster` is what units share that makes them alike (a repository, a task family); `pair` names the task in a paired
    design. `before` holds what was known before the start (covariates). `excluded` names the rule that leaves it out.
    `session` is the one it was read from, if any. `run` is left out where nothing is recorded of it, so that rows of
    before keep their hash.
    """

    experiment: str
    unit: str
    arm: str
    time: float
    outcomes: dict[str, float | None]
    stratum: str = ""
    cluster: str = ""
    pair: str = ""
    before: dict[str, float] = {}
    session: str = ""
    excluded: str = ""
    run: RunConditions | UnsetType = UNSET

    @property
    def conditions(self) -> RunConditions:
        return self.run if isinstance(self.run, RunConditions) else RunConditions()


class Interval(Struct, frozen=True):
    low: float
    high: float


class Estimate(Struct, frozen=True, kw_only=True):
    """One arm against the control on one outcome. `difference` is arm minus control.

    `interval` and `p` are read once, at the planned size; `sequence` and `e` hold whenever they are read. `holm` is `p`
    corrected for all outcomes. `adjusted` is the difference after covariates. `needed` is how many units per arm would
    show `min_effect` with the planned power. `discordant`: of tasks run once in both
    arms, how many were a yes in the arm alone, and in the control alone. `verdict` is one of the words; `says` is the
    sentence.
    """

    outcome: str
    arm: str
    control: str
    n: int
    n_control: int
    mean: float
    mean_control: float
    difference: float
    interval: Interval
    p: float
    sequence: Interval
    e: float
    method: str
    verdict: Literal["better", "worse", "no difference that matters", "could not tell"]
    says: str
    holm: float | None = None
    ratio: float | None = None
    ratio_interval: Interval | None = None
    effect_size: float | None = None
    adjusted: float | None = None
    adjusted_interval: Interval | None = None
    needed: int | None = None
    missing: int = 0
    clusters: int = 0
    pairs: int = 0
    discordant: tuple[int, int] | None = None


class FairnessCheck(Struct, frozen=True):
    """Something that could make the comparison unfair, and whether it looks so. `ok` is None: it cannot be told."""

    name: str
    ok: bool | None
    says: str
    p: float | None = None


PLANNED_FIRST = "plan first"  # the check that the plan is older than the data


class Step(Struct, frozen=True):
    """The evidence after `n` units, at `time`: the primary outcome of one arm, as it would have been read then."""

    time: float
    n: int
    arm: str
    difference: float
    sequence: Interval
    e: float


class StratumEffect(Struct, frozen=True):
    stratum: str
    arm: str
    n: int
    n_control: int
    difference: float
    interval: Interval


class StudyTimes(Struct, frozen=True, kw_only=True):
    """When the plan was written, the first unit was given an arm, and the first and the last trial are dated; None is not
    known."""

    planned: float | None = None
    assigned: float | None = None
    first: float | None = None
    last: float | None = None


class WorkerCount(Struct, frozen=True, kw_only=True):
    """An agent with its model, and how many trials of each arm are its work; empty names are not recorded."""

    agent: str
    agent_version: str
    model: str
    afterglow_version: str
    trials: dict[str, int]


class ArmTold(Struct, frozen=True, kw_only=True):
    """What the trials of an arm were in fact told, of those of which it is known: how many were told something, and the
    mean of the tokens."""

    arm: str
    trials: int
    told_trials: int
    tokens: float


class TaskEntry(Struct, frozen=True, kw_only=True):
    """A task that was worked on, with what came of it in each arm: the mean of the primary outcome."""

    name: str
    family: str
    repo: str
    source: str
    task_hash: str
    values: dict[str, float]


class RepoCount(Struct, frozen=True, kw_only=True):
    """Units of one repository, and how many families they are of; without a name it is not recorded."""

    repo: str
    units: int
    families: int


class PairTable(Struct, frozen=True, kw_only=True):
    """Tasks run once in both of two arms, by where the answer was yes. `p` is the exact McNemar test's, which takes every
    task for independent of the others; `holm` is it corrected for all pairs of this outcome."""

    outcome: str
    arm: str
    control: str
    both: int
    only_arm: int
    only_control: int
    neither: int
    p: float
    holm: float


class ArmLevel(Struct, frozen=True, kw_only=True):
    """What one arm reached on one outcome: the mean of `n` units. `interval` is read once and allows for clusters; there
    is none where all units are of one."""

    outcome: str
    arm: str
    n: int
    mean: float
    interval: Interval | None = None


class Analysis(Struct, frozen=True, kw_only=True):
    """What an experiment says now. `assigned`, `excluded` and `analysed` are counts per arm (excluded: per arm and
    reason). Hashes are of the plan and of the data it was computed from. `between` compares arms by moment with each
    other, on the primary outcome. `levels` are what the arms reached by themselves. `drawn` says that assignments were
    kept; if not, that arms were drawn is only what was planned, and `assigned` are those with a record. `workers`,
    `tasks` and `repos` are of the trials analysed."""

    plan: Plan
    plan_hash: str
    data_hash: str
    time: float
    assigned: dict[str, int]
    excluded: dict[str, dict[str, int]]
    analysed: dict[str, int]
    estimates: tuple[Estimate, ...]
    checks: tuple[FairnessCheck, ...]
    evidence: tuple[Step, ...] = ()
    strata: tuple[StratumEffect, ...] = ()
    between: tuple[Estimate, ...] = ()
    levels: tuple[ArmLevel, ...] = ()
    simulated: bool = False
    drawn: bool = True
    times: StudyTimes = StudyTimes()
    workers: tuple[WorkerCount, ...] = ()
    told_by_arm: tuple[ArmTold, ...] = ()
    tasks: tuple[TaskEntry, ...] = ()
    repos: tuple[RepoCount, ...] = ()
    pair_tables: tuple[PairTable, ...] = ()
