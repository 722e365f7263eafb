"""demo: the whole loop on a simulated fleet."""

from __future__ import annotations

import time
from pathlib import Path

from msgspec import Struct

from afterglow.config import Config
from afterglow.errors import Unsupported
from afterglow.flows.harvest import harvest
from afterglow.flows.measure import measure, replay
from afterglow.flows.read import profile, sample, scan
from afterglow.flows.session import bootstrap
from afterglow.flows.warm import Label, extract, try_out
from afterglow.records.catalog import ScanReport
from afterglow.records.context import Context
from afterglow.records.knowledge import CATEGORIES, HarvestReport, KnowledgeItem
from afterglow.records.profile_report import Report
from afterglow.records.reading import Measured
from afterglow.records.replay import ReplayReport
from afterglow.records.sample import Sample
from afterglow.records.template import WarmTemplate
from afterglow.store.knowledge import Knowledge
from afterglow.warm.inject import Warm
from afterglow_demo import Truth, write_fleet
from afterglow_demo.closed_loop import Loop, loops

DAY = 86400
MIN_LOOP_SESSIONS = 60  # of the closed loop: fewer show nothing of its effect
MAX_LOOP_SESSIONS = 300  # enough to find it, and a minute of a person's time
SESSIONS_A_WEEK = 50  # of the closed loop, which takes two to four weeks
MAX_ITEMS_A_CATEGORY = 3  # a screen shows all categories
REPO, TASK = "otterquay/harbor", "run the tests and open a pull request"


class Demo(Struct, frozen=True):
    """What was planted, and what each step made of it. `loops` are the experiments with agents that heed contexts and
    with agents that ignore them, or why there are none."""

    folder: str
    truth: Truth
    scan: ScanReport
    profile: Report
    sample: Sample
    harvest: HarvestReport
    learned: tuple[KnowledgeItem, ...]
    context: Context
    template: WarmTemplate
    warm: Warm
    replay: ReplayReport
    measured: Measured
    loops: tuple[Loop, Loop] | str


def demo(folder: Path, *, seed: int = 7, sessions: int = 300, jobs: int = 1) -> Demo:
    """Writes a fleet whose history ends today into `folder` (which must be empty) and runs every step on it."""
    until = float(time.time() // DAY * DAY)
    truth = write_fleet(
        folder / "fleet", seed=seed, sessions=sessions, until=until, jobs=jobs
    )
    config = Config(
        home=folder / "afterglow",
        user_home=folder / "fleet",
        paths=(folder / "fleet" / "openai",),
        cores=jobs,
    )
    scanned = scan(config, jobs=jobs)
    profiled = profile(config, simulated=True)
    sampled = sample(config, count=10)
    harvested = harvest(config, jobs=jobs)
    with Knowledge(config.knowledge) as knowledge:
        learned = tuple(
            item
            for kind in CATEGORIES
            for item in knowledge.items(
                status=("active",), category=kind, limit=MAX_ITEMS_A_CATEGORY
            )
        )
    context, _, _ = bootstrap(
        config, cwd=folder, repo=REPO, agent="claude-code", task=TASK, now=until
    )
    best = extract(
        config,
        sampled.picks[0].id,
        Label(name="The session worth learning from first"),
        max_examples=3,
    )
    template, warmed = try_out(config, best.id, TASK, even_unapproved=True)
    replayed, _ = replay(config, jobs=jobs)
    loop_sessions = max(MIN_LOOP_SESSIONS, min(sessions, MAX_LOOP_SESSIONS))
    return Demo(
        folder=str(folder),
        truth=truth,
        scan=scanned,
        profile=profiled,
        sample=sampled,
        harvest=harvested,
        learned=learned,
        context=context,
        template=template,
        warm=warmed,
        replay=replayed,
        measured=measure(config),
        loops=_loops(folder / "loop", until, seed, loop_sessions, jobs),
    )


def _loops(
    folder: Path, until: float, seed: int, sessions: int, jobs: int
) -> tuple[Loop, Loop] | str:
    try:
        weeks = max(2, min(4, sessions // SESSIONS_A_WEEK))
        return loops(
            folder, until=until, seed=seed, sessions=sessions, weeks=weeks, jobs=jobs
        )
    except Unsupported as error:
        return str(error)
