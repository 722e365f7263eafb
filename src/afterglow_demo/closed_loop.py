"""loop: the whole circle on simulated agents, with the truth beside it.

Day by day: each session is assigned an arm, starts with what that arm gives, runs, and is written where its agent keeps
it; at night the day is scanned, settled and harvested, and the next day starts with what it taught. In the end the
experiment is analysed like any other. The agents are simulated, so every session can also be told as it would have gone
in the other arms: the truth that the analysis has to find.
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
from afterglow.experiment.outcomes import EXCLUSIONS, OUTCOMES, USUAL
from afterglow.experiment.plan import make_plan, plan_hash
from afterglow.flows.experiment import analyse
from afterglow.flows.harvest import harvest
from afterglow.flows.read import scan
from afterglow.flows.session import bootstrap, settle_deliveries, start
from afterglow.flows.workers import spread
from afterglow.records.experiment import COLD, PLACEBO, WARM, Analysis, Plan
from afterglow.store.experiments import Experiments
from afterglow.store.knowledge import Knowledge
from afterglow.store.ledger import Ledger
from afterglow_demo.agent import HEEDING, IGNORING, Potential, Temper, request
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
NOTES = "SIMULATED: nobody ran these sessions. The numbers show that the method works, and nothing about real agents."
KNOWN: Mapping[str, Callable[[Potential], float | None]] = {
    "early-error-rate": lambda one: one.error_rate,
    "errors": lambda one: float(one.failed),
    "calls": lambda one: float(one.calls),
    "first-success-seconds": lambda one: one.first_success,
}  # outcomes whose truth is known


class Effect(Struct, frozen=True):
    """What an arm really does to an outcome: the mean over all sessions of the difference to the same session cold."""

    outcome: str
    arm: str
    difference: float
    cold: float


class Known(Struct, frozen=True):
    """One session of the experiment: its arm, and what came or would have come of it in each."""

    session: str
    arm: str
    would: dict[str, Potential]


class Loop(Struct, frozen=True):
    """A finished run: what the experiment says, and what is true. `heeded` is whether contexts did anything at all.
    Of `run_in` sessions there was only learned; `proved` contexts were found in transcripts."""

    analysis: Analysis
    effects: tuple[Effect, ...]
    sessions: tuple[Known, ...]
    run_in: int
    items: int
    proved: int
    heeded: bool


class Run(Struct, frozen=True):
    """What to run: `weeks` weeks that end at `until`, in `folder`, which must not hold a run yet."""

    folder: Path
    until: float
    seed: int = 7
    sessions: int = 300
    weeks: int = 4
    temper: Temper = HEEDING


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
    found = {run.folder: done for run, done in spread(loop, deque(runs), jobs)}
    return found[runs[0].folder], found[runs[1].folder]


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
        _night(config, term, day)
    plan = _write_plan(config, term)
    known: list[Known] = []
    proved = 0
    for day in range(WEEK, term.days):
        stories = []
        with (
            ExitStack() as opened
        ):  # whoever closes a store last tidies it up, which takes longer than all the rest
            for store in (
                Knowledge(config.knowledge),
                Ledger(config.ledger),
                Experiments(config.experiments),
            ):
                opened.enter_context(store)
            for planned in term.day(day):
                told, one = _session(config, term, pool, planned)
                stories.append(told)
                known.append(one)
        term.write(stories)
        proved += _night(config, term, day)
    with Knowledge(config.knowledge) as knowledge:
        items = len(knowledge.items(status=("active",)))
    return Loop(
        analysis=analyse(config, plan.name, now=run.until),
        effects=tuple(_effects(known)),
        sessions=tuple(known),
        run_in=sum(len(term.day(day)) for day in range(WEEK)),
        items=items,
        proved=proved,
        heeded=run.temper.warned != run.temper.unwarned,
    )


def page(found: Loop) -> str:
    """The report for a browser."""
    from afterglow.experiment.report import as_html

    return as_html(
        found.analysis, {name: OUTCOMES[name] for name in found.analysis.plan.outcomes}
    )


def _session(
    config: Config, term: Term, pool: Pool, planned: Planned
) -> tuple[Story, Known]:
    """One session: it is given what its arm gives, and told; then as it would have gone in the other arms."""
    cwd, task = (
        Path(planned.cwd),
        request(planned, term.seed) if planned.agent == "hermes" else "",
    )
    given = start(
        config,
        agent=planned.agent,
        cwd=cwd,
        task=task,
        session=planned.id,
        now=planned.start,
    )
    if not given.arm:
        raise AfterglowError(f"session {planned.id} got no arm: {given.unnoted}")
    story = term.tell(planned, pool, given.text)
    would = {given.arm: term.outcome(story)}
    warm = given.text if given.arm == WARM else ""
    if not warm:
        warm = bootstrap(
            config, cwd=cwd, agent=planned.agent, task=task, now=planned.start
        )[0].text
    for arm, context in (
        (COLD, ""),
        (WARM, warm),
        (PLACEBO, warm and "nothing\nthat teaches"),
    ):
        if arm not in would:
            would[arm] = term.outcome(term.tell(planned, pool, context))
    return story, Known(planned.id, given.arm, would)


def _night(config: Config, term: Term, day: int) -> int:
    """What is done while nobody works. How many contexts were found where they were given."""
    now = term.begin + (day + 1) * DAY
    scan(config)
    proved = settle_deliveries(config, now=now).proved
    harvest(config, now=now)
    return proved


def _write_plan(config: Config, term: Term) -> Plan:
    plan = make_plan(
        NAME, arms=(COLD, WARM, PLACEBO), outcomes=(*KNOWN, "corrections", "success", "tokens"),
        created=term.begin + WEEK * DAY, salt=f"simulated {term.seed}", known=OUTCOMES, rules=EXCLUSIONS,
        hypothesis=HYPOTHESIS, min_effect=0.03, exclusions=USUAL, notes=NOTES, simulated=True,
    )  # fmt: skip
    with Experiments(config.experiments) as kept:
        kept.add_plan(plan, plan_hash(plan))
    return plan


def _effects(known: Sequence[Known]) -> list[Effect]:
    found = []
    for outcome, read in KNOWN.items():
        for arm in (WARM, PLACEBO):
            pairs = [(read(one.would[arm]), read(one.would[COLD])) for one in known]
            both = [
                (new, old) for new, old in pairs if new is not None and old is not None
            ]
            cold = fmean(old for _, old in both)
            found.append(
                Effect(outcome, arm, fmean(new for new, _ in both) - cold, cold)
            )
    return found
