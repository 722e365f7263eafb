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

Told = Mapping[str, Sequence[KnowledgeItem]]


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

        def told_in(home: Config) -> ModelReport:
            windows = plan(home, chosen, limit=limit, tokens=tokens, text=text, now=now)
            heard = tell(home, model, windows, now=now)
            if heard.interrupted:
                raise KeyboardInterrupt
            return heard

        def walked(told: Told | None, rules: bool = True) -> ReplayReport:
            found, _ = replay(
                by_rules, chosen, budget=budget, rules=rules, told=told, jobs=jobs
            )
            return found

        alone, after = told_in(by_model), told_in(by_both)
        items = {home.home.name: _items(home) for home in (by_rules, by_model, by_both)}
        one, both = _lessons(by_model, alone), _lessons(by_both, after)
        plain = walked(None)
        ways = (
            _way("rules", items["r"], plain, plain, budget),
            _way(
                "model",
                items["m"],
                walked(one, False),
                walked(_approved(one), False),
                budget,
                alone,
            ),
            _way(
                "both", items["b"], walked(both), walked(_approved(both)), budget, after
            ),
        )
    told = [item for item in items["m"] if item.miner == MINER]
    return Comparison(
        sessions=mined.sessions,
        budget=budget,
        ways=ways,
        model_items=len(told),
        agree=sum(same(item, _near(item, items["r"])) is not None for item in told),
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


def _lessons(home: Config, heard: ModelReport) -> Told:
    """What held, by session, as items that know of no others."""
    items: dict[str, list[KnowledgeItem]] = defaultdict(list)
    for answer in heard.lessons:
        if answer.lesson is not None and answer.became.outcome != "refused":
            items[answer.session] += items_of(home, [answer.lesson])
    return items


def _approved(lessons: Told) -> Told:
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
