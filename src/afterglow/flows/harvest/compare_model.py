"""comparing: rules, a model, and both on the same sessions: what each finds, what it costs, what it would have shown.

Each way has a home of its own, below a folder that is gone afterwards: what is known is not touched. The model reads
windows twice, as it would: those that are best where nothing is known, and those that are best where rules were first.
"""

from __future__ import annotations

import shutil
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from msgspec.structs import replace

from afterglow import context
from afterglow.config import Config
from afterglow.errors import NotFound
from afterglow.flows.harvest.ask_model import ASK_LIMIT, ASK_TOKENS, plan, tell
from afterglow.flows.harvest.harvest_sessions import harvest
from afterglow.flows.harvest.keep_lessons import items_of
from afterglow.flows.harvest.written_history import NOBODY, written_by_session
from afterglow.flows.measure import replay
from afterglow.flows.read import scan
from afterglow.harvest.lessons.duplicates import same
from afterglow.harvest.lessons.prompts import Prompt
from afterglow.records.catalog import state
from afterglow.records.knowledge import KnowledgeItem
from afterglow.records.lessons import MINER
from afterglow.records.model import Model
from afterglow.records.model_harvest import Comparison, ModelReport, Way
from afterglow.records.replay import ReplayReport
from afterglow.records.selection import EVERYTHING, Selection
from afterglow.store.catalog import Catalog
from afterglow.store.knowledge import Knowledge

MAX_ITEMS_COMPARED = 100_000  # of a home: all there are
NOTES = (
    "What a model tells waits as a candidate, and sessions are shown active items only: `if approved` is the share in "
    "view if a person approved all of it, right or wrong.",
    "In view: of the errors that came again, those whose remedy stood in the context the session would have started "
    "with. Lessons about anything but errors do not show here.",
    "The model reads only its best windows; more windows, more lessons.",
)

Lessons = Mapping[str, Sequence[KnowledgeItem]]


def compare(
    config: Config,
    model: Model,
    selection: Selection = EVERYTHING,
    *,
    limit: int = ASK_LIMIT,
    tokens: int = ASK_TOKENS,
    text: Prompt | None = None,
    budget: int = context.BUDGET,
    jobs: int = 1,
    now: float | None = None,
) -> Comparison:
    """Of the sessions that fit, as the catalogue knows them. `limit` windows are read twice, so the cost is double."""
    started = time.monotonic()
    if selection.paths:
        scan(config, selection.paths, jobs=jobs)
    sources = _sources(config, selection, time.time() if now is None else now)
    chosen = replace(selection, paths=())  # the homes below hold nothing else
    with TemporaryDirectory(prefix="afterglow-compare-") as folder:
        by_rules, by_model, by_both = (
            replace(config, home=Path(folder) / name) for name in ("r", "m", "b")
        )
        scan(by_rules, sources, jobs=jobs)
        shutil.copytree(by_rules.home, by_model.home)
        mined = harvest(by_rules, chosen, jobs=jobs, now=now)
        shutil.copytree(by_rules.home, by_both.home)

        def written_in(home: Config) -> ModelReport:
            windows = plan(home, chosen, limit=limit, tokens=tokens, text=text, now=now)
            report = tell(home, model, windows, now=now)
            if report.interrupted:
                raise KeyboardInterrupt
            return report

        written_by_rules = written_by_session(by_rules, NOBODY)

        def replayed(lessons: Lessons, rules: bool = True) -> ReplayReport:
            both = _joined(written_by_rules, lessons) if rules else lessons
            report, _ = replay(
                by_rules, chosen, budget=budget, rules=rules, told=both, jobs=jobs
            )
            return report

        model_alone, model_after = written_in(by_model), written_in(by_both)
        rules_items, model_items, both_items = map(
            _items, (by_rules, by_model, by_both)
        )
        alone = _lessons(by_model, model_alone)
        after = _lessons(by_both, model_after)
        plain = replayed({})
        now_alone, approved_alone = (
            replayed(lessons, rules=False) for lessons in (alone, _approved(alone))
        )
        now_after, approved_after = map(replayed, (after, _approved(after)))
        ways = (
            _way("rules", rules_items, plain, plain, budget),
            _way("model", model_items, now_alone, approved_alone, budget, model_alone),
            _way("both", both_items, now_after, approved_after, budget, model_after),
        )
    written = [item for item in model_items if item.miner == MINER]
    return Comparison(
        sessions=mined.sessions,
        budget=budget,
        ways=ways,
        model_items=len(written),
        agree=sum(same(item, _near(item, rules_items)) is not None for item in written),
        spent=model.spent,
        notes=NOTES,
        seconds=time.monotonic() - started,
    )


def _sources(config: Config, selection: Selection, now: float) -> list[Path]:
    """The files of the finished sessions that fit."""
    with Catalog(config.catalog) as catalog:
        sources = {
            entry.source
            for entry in catalog.entries(selection)
            if entry.origin == "main" and state(entry, now) != "active"
        }
    if not sources:
        raise NotFound("no finished session fits; `afterglow scan` finds sessions")
    return [Path(source) for source in sorted(sources)]


def _items(home: Config) -> list[KnowledgeItem]:
    with Knowledge(home.knowledge) as knowledge:
        return knowledge.items(status=("active", "candidate"), limit=MAX_ITEMS_COMPARED)


def _lessons(home: Config, heard: ModelReport) -> Lessons:
    """What held, by session, as items that know of no others."""
    items: dict[str, list[KnowledgeItem]] = defaultdict(list)
    for answer in heard.lessons:
        if answer.lesson is not None and answer.became.outcome != "refused":
            items[answer.session] += items_of(home, [answer.lesson])
    return items


def _joined(first: Lessons, second: Lessons) -> Lessons:
    return {
        session: [*first.get(session, ()), *second.get(session, ())]
        for session in {**first, **second}
    }


def _approved(lessons: Lessons) -> Lessons:
    return {
        session: [
            replace(item, status="active", decided=True, reason="if approved")
            for item in items
        ]
        for session, items in lessons.items()
    }


def _near(item: KnowledgeItem, items: Sequence[KnowledgeItem]) -> list[KnowledgeItem]:
    return [
        near
        for near in items
        if near.repo in {item.repo, ""} and near.agent in {item.agent, ""}
    ]


def _way(
    name: str,
    items: Sequence[KnowledgeItem],
    now: ReplayReport,
    approved: ReplayReport,
    budget: int,
    telling: ModelReport | None = None,
) -> Way:
    return Way(
        name=name,
        active=sum(item.status == "active" for item in items),
        candidate=sum(item.status == "candidate" for item in items),
        in_view=now.shares["in view"],
        approved=approved.shares["in view"],
        harm=approved.shares["harm"],
        tokens=next(
            (point.tokens for point in approved.curve if point.budget == budget), 0.0
        ),
        telling=telling,
    )
