"""loop: the whole circle on simulated agents, with the truth beside it.

Day by day: each session is assigned an arm, starts with what that arm gives, runs, and is written where its agent keeps
it; at night the day is scanned, settled and harvested, and the next day starts with what it taught. In the end the
experiment is analysed like any other. The agents are simulated, so every session can also be told as it would have gone
in the other arms: the truth that the analysis has to find. `MOMENTS` are arms that differ in when sessions are told.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from statistics import fmean

from msgspec import Struct

from afterglow.config import Config
from afterglow.errors import AfterglowError
from afterglow.experiment.analysis.lazy_scipy import stats
from afterglow.experiment.moments import telling
from afterglow.experiment.outcomes import EXCLUSIONS, OUTCOMES, USUAL
from afterglow.experiment.plan import make_plan, plan_hash
from afterglow.flows.experiment import analyse
from afterglow.flows.harvest import harvest
from afterglow.flows.read import scan
from afterglow.flows.session import Start, bootstrap, settle_deliveries, start
from afterglow.flows.workers import spread
from afterglow.records.experiment import (
    BOTH,
    COLD,
    FAILURE,
    PLACEBO,
    START,
    WARM,
    Analysis,
    Plan,
)
from afterglow.store.experiments import Experiments
from afterglow.store.knowledge import Knowledge
from afterglow.store.ledger import Ledger
from afterglow_demo.agent import (
    HEEDING,
    IGNORING,
    Listens,
    Potential,
    Temper,
    request,
    silent,
)
from afterglow_demo.failure_lines import beside, known_pitfalls, line_on_failure
from afterglow_demo.filler import Pool
from afterglow_demo.plan import Plan as Planned
from afterglow_demo.story import Story
from afterglow_demo.weeks import DAY, Term

NAME = "simulated-loop"
WEEK = 7  # days
HYPOTHESIS = (
    "Simulated agents that are given what earlier sessions taught make fewer errors per call than those that start "
    "cold; a context without lessons changes nothing."
)
HYPOTHESIS_OF_MOMENTS = (
    "Simulated agents that are told a lesson right after a failure lose fewer calls to known problems than those that "
    "are told as they start, and these fewer than cold ones."
)
NOTES = "SIMULATED: nobody ran these sessions. The numbers show that the method works, and nothing about real agents."
# Outcomes whose truth is known.
TRUE_OUTCOMES: Mapping[str, Callable[[Potential], float | None]] = {
    "early-error-rate": lambda potential: potential.error_rate,
    "errors": lambda potential: float(potential.failed),
    "calls": lambda potential: float(potential.calls),
    "first-success-seconds": lambda potential: potential.first_success,
    "calls-lost": lambda potential: float(potential.lost),
}
# The smallest difference worth knowing of each primary outcome; what is planted is several times that.
MIN_EFFECTS = {"early-error-rate": 0.03, "calls-lost": 0.5}
AT_START = (COLD, WARM, PLACEBO)
MOMENTS = (COLD, START, FAILURE, BOTH, PLACEBO)


class Effect(Struct, frozen=True):
    """What an arm really does to an outcome: the mean over all sessions of the difference to the same session cold."""

    outcome: str
    arm: str
    difference: float
    cold: float


class TrueSession(Struct, frozen=True):
    """One session of the experiment: its arm, and what came or would have come of it in each."""

    session: str
    arm: str
    would: dict[str, Potential]


class Loop(Struct, frozen=True):
    """A finished run: what the experiment says, and what is true. `heeded` is whether contexts did anything at all.
    Of `run_in` sessions there was only learned; `proved` contexts were found in transcripts."""

    analysis: Analysis
    effects: tuple[Effect, ...]
    sessions: tuple[TrueSession, ...]
    run_in: int
    items: int
    proved: int
    heeded: bool


class Run(Struct, frozen=True):
    """What to run: `weeks` weeks that end at `until`, in `folder`, which must not hold a run yet; every `nights` nights
    the days before are harvested. `planned` sessions an arm are read once. With other arms than those at the start,
    what is lost to known problems is the primary outcome."""

    folder: Path
    until: float
    seed: int = 7
    sessions: int = 300
    weeks: int = 4
    temper: Temper = HEEDING
    arms: tuple[str, ...] = AT_START
    nights: int = 1
    planned: int = 0

    @property
    def outcomes(self) -> tuple[str, ...]:
        """Those whose truth is known, the primary one first."""
        if self.arms == AT_START:
            return tuple(name for name in TRUE_OUTCOMES if name != "calls-lost")
        return ("calls-lost", "errors", "calls")


def loops(
    folder: Path,
    *,
    until: float,
    seed: int = 7,
    sessions: int = 300,
    weeks: int = 4,
    jobs: int = 1,
) -> tuple[Loop, Loop]:
    """The same weeks twice, side by side: with agents that heed their contexts, and with agents that ignore them.
    Raises `Unsupported` where there is nothing to analyse with."""
    stats()
    runs = [
        Run(folder / name, until, seed, sessions, weeks, temper)
        for name, temper in (("heeded", HEEDING), ("ignored", IGNORING))
    ]
    finished = {run.folder: result for run, result in spread(loop, deque(runs), jobs)}
    heeded, ignored = (finished[run.folder] for run in runs)
    return heeded, ignored


def loop(run: Run) -> Loop:
    """The first week is run in, without any context, so that there is something to know; then the plan is written."""
    term = Term(
        run.folder / "home",
        run.seed,
        run.weeks * WEEK,
        run.sessions,
        run.until,
        run.temper,
    )
    config = Config(home=run.folder / "afterglow", user_home=term.home, experiment=NAME)
    term.checkouts()
    pool = term.pool()
    for day in range(WEEK):
        term.write([term.tell(planned, pool, "") for planned in term.day(day)])
        _night(config, term, day, run.nights)
    plan = _write_plan(config, term, run)
    homes = _Homes(config, beside(config))
    sessions: list[TrueSession] = []
    proved = 0
    for day in range(WEEK, term.days):
        sessions += _work_day(homes, term, pool, day, run.arms)
        proved += _night(config, term, day, run.nights)
    with Knowledge(config.knowledge) as knowledge:
        items = len(knowledge.items(status=("active",)))
    return Loop(
        analysis=analyse(config, plan.name, now=run.until),
        effects=tuple(_effects(sessions, run)),
        sessions=tuple(sessions),
        run_in=sum(len(term.day(day)) for day in range(WEEK)),
        items=items,
        proved=proved,
        heeded=_heeds(run.temper),
    )


def page(loop: Loop) -> str:
    """The report for a browser."""
    from afterglow.experiment.report import as_html

    outcomes = {name: OUTCOMES[name] for name in loop.analysis.plan.outcomes}
    return as_html(loop.analysis, outcomes)


def _heeds(temper: Temper) -> bool:
    return temper.warned != temper.unwarned or temper.helped != temper.stuck


class _Homes(Struct, frozen=True):
    """The home in which the experiment runs, and the one beside it in which is asked what would have been told."""

    config: Config
    beside: Config


def _work_day(
    homes: _Homes, term: Term, pool: Pool, day: int, arms: tuple[str, ...]
) -> list[TrueSession]:
    """The sessions of a day, written when it is over."""
    config = homes.config
    known_ids = known_pitfalls(config)
    stories, sessions = [], []
    with ExitStack() as stack:
        # whoever closes a store last tidies it up, which takes longer than all the rest
        stack.enter_context(Knowledge(config.knowledge))
        stack.enter_context(Ledger(config.ledger))
        stack.enter_context(Experiments(config.experiments))
        for planned in term.day(day):
            begun = _begin(config, term, planned)
            listens = line_on_failure(config, planned.id)
            story = term.tell(planned, pool, begun.text, listens)
            would = {begun.arm: term.outcome(story, known_ids)}
            for arm in arms:
                if arm not in would:
                    otherwise = _otherwise(homes, term, pool, planned, begun, arm, arms)
                    would[arm] = term.outcome(otherwise, known_ids)
            stories.append(story)
            sessions.append(TrueSession(planned.id, begun.arm, would))
    term.write(stories)
    return sessions


def _task(term: Term, planned: Planned) -> str:
    return request(planned, term.seed) if planned.agent == "hermes" else ""


def _begin(config: Config, term: Term, planned: Planned) -> Start:
    """A session is given its arm, and what that gives it."""
    begun = start(
        config,
        agent=planned.agent,
        cwd=Path(planned.cwd),
        task=_task(term, planned),
        session=planned.id,
        now=planned.start,
    )
    if not begun.arm:
        raise AfterglowError(f"session {planned.id} got no arm: {begun.unnoted}")
    return begun


def _otherwise(
    homes: _Homes,
    term: Term,
    pool: Pool,
    planned: Planned,
    begun: Start,
    arm: str,
    arms: tuple[str, ...],
) -> Story:
    """The same session as it would have gone in another arm. A placebo on failure says nothing that anybody heeds."""
    at_start = telling(arms, arm, "start")
    context = ""
    if at_start != "nothing":
        context = _warm_context(homes.config, term, planned, begun, arms)
    if at_start == "placebo" and context:
        context = "nothing\nthat teaches"
    listens: Listens = silent
    if telling(arms, arm, "failure") == "lessons":
        listens = line_on_failure(homes.beside, f"{planned.id} {arm}")
    return term.tell(planned, pool, context, listens)


def _warm_context(
    config: Config, term: Term, planned: Planned, begun: Start, arms: tuple[str, ...]
) -> str:
    if begun.text and telling(arms, begun.arm, "start") == "lessons":
        return begun.text
    context, _, _ = bootstrap(
        config,
        cwd=Path(planned.cwd),
        agent=planned.agent,
        task=_task(term, planned),
        now=planned.start,
    )
    return context.text


def _night(config: Config, term: Term, day: int, nights: int) -> int:
    """What is done while nobody works, if it is a night for it; the run-in and the last day always end with one. How
    many contexts were found where they were given."""
    if (day + 1) % nights and (day + 1) not in (WEEK, term.days):
        return 0
    now = term.begin + (day + 1) * DAY
    scan(config)
    proved = settle_deliveries(config, now=now).proved
    harvest(config, now=now)
    return proved


def _write_plan(config: Config, term: Term, run: Run) -> Plan:
    by_moment = run.arms != AT_START
    plan = make_plan(
        NAME,
        arms=run.arms,
        outcomes=(*run.outcomes, "corrections", "success", "tokens"),
        created=term.begin + WEEK * DAY,
        salt=f"simulated {term.seed}",
        specs=OUTCOMES,
        rules=EXCLUSIONS,
        hypothesis=HYPOTHESIS_OF_MOMENTS if by_moment else HYPOTHESIS,
        min_effect=MIN_EFFECTS[run.outcomes[0]],
        planned=run.planned,
        exclusions=USUAL,
        notes=NOTES,
        simulated=True,
    )
    with Experiments(config.experiments) as experiments:
        experiments.add_plan(plan, plan_hash(plan))
    return plan


def _effects(sessions: Sequence[TrueSession], run: Run) -> list[Effect]:
    return [
        _effect(sessions, outcome, arm)
        for outcome in run.outcomes
        for arm in run.arms[1:]
    ]


def _effect(sessions: Sequence[TrueSession], outcome: str, arm: str) -> Effect:
    """Over the sessions that have this outcome both in the arm and cold."""
    value_of = TRUE_OUTCOMES[outcome]
    in_arm, cold = [], []
    for session in sessions:
        value, cold_value = value_of(session.would[arm]), value_of(session.would[COLD])
        if value is not None and cold_value is not None:
            in_arm.append(value)
            cold.append(cold_value)
    return Effect(outcome, arm, fmean(in_arm) - fmean(cold), fmean(cold))
