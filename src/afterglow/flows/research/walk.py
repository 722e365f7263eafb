"""A history walked once, in time order: what came up in each session, and what it could have been told by then.

A session sees only what ended before it began: lessons as they were known, and a template distilled from the earlier
sessions of its repository and agent, as `warm auto` would have made it that day.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import TypedDict

from msgspec import Struct

from afterglow.config import Config
from afterglow.context import BUDGET, choose
from afterglow.errors import UsageError
from afterglow.flows.harvest import (
    Progress,
    replaced_by_written,
    written_by_session,
)
from afterglow.flows.measure import History, Past, Shelf, history_of
from afterglow.flows.research.reading import materials
from afterglow.flows.warm import EXAMPLES, MIN_CALLS, best_sessions
from afterglow.measure.research.came_up import CameUp, Known, came_up
from afterglow.measure.research.came_up import Kind as CameUpKind
from afterglow.measure.research.material import Material
from afterglow.measure.research.pieces import Piece, pieces_of_context
from afterglow.records.catalog import Entry
from afterglow.records.context import Need
from afterglow.records.knowledge import KnowledgeItem, may_be_told
from afterglow.records.problems import SessionEvents
from afterglow.records.selection import Selection
from afterglow.records.template import WarmTemplate
from afterglow.records.tools import TaskType
from afterglow.text.numbers import day
from afterglow.text.tokens import estimate
from afterglow.warm.distil import SourceSession, distil
from afterglow.warm.extract.with_items import with_items

# Read at most, the newest: each is read whole, and its seed is held until the walk is over.
MAX_SESSIONS = 3000
TOO_OLD = f"older than the newest {MAX_SESSIONS:,}"
# Of a repository and agent that have ended, before a template says what recurs: fewer share too little.
MIN_EARLIER = 5

Kind = tuple[str, str]  # repository and agent: a template is made for both


class Met(Struct):
    """All that the earlier sessions of a repository met: the most that any memory of them could hold."""

    failures: set[str]
    commands: set[str]
    files: set[str]
    corrections: set[str]


class Moment(Struct, frozen=True, kw_only=True):
    """A session when it began. `items` hold in its repository and may be told; `lessons` is the context it would have
    been given of them; `template` is what its repository's earlier sessions make, None where they are too few; `met` is
    how much of what came up in it an earlier session had met."""

    entry: Entry
    start: float
    author: str
    session: CameUp
    knowledge: Known
    need: Need
    items: tuple[KnowledgeItem, ...]
    lessons: tuple[Piece, ...]
    template: WarmTemplate | None
    met: dict[CameUpKind, int]


class Walk(Struct, frozen=True, kw_only=True):
    """All moments that are judged, in time order; and in the end: what is known (`shelf`), a template for each
    repository and agent, and what each repository has met."""

    moments: tuple[Moment, ...]
    shelf: Shelf
    templates: Mapping[Kind, WarmTemplate]
    met: Mapping[str, Met]
    materials: Mapping[int, Material]
    history: History
    left_out: dict[str, int]
    troubles: tuple[tuple[str, str], ...]


def walked(
    config: Config,
    selection: Selection,
    *,
    templates: bool = True,
    jobs: int,
    progress: Progress,
) -> Walk:
    """What is known may come from all sessions; those that the selection names are judged. Without `templates` none are
    made, which is much quicker."""
    history = history_of(config, selection.paths, jobs=jobs, progress=progress)
    entries, left_out = _newest(history)
    by_key, unread = materials(
        config, entries, seeds=templates, jobs=jobs, progress=progress
    )
    if len(by_key) < len(entries):
        left_out["not readable"] = len(entries) - len(by_key)
    steps = _Steps(by_key, history, makes_templates=templates)
    past = Past(
        entries,
        history.findings,
        {key: material.lived for key, material in by_key.items()},
        written_by_session(config),
        replaced_by_written(config),
        steps.end,
    )
    moments = [
        steps.moment(past, start, entry)
        for start, entry in past.moments()
        if entry.key in by_key and selection.fits(entry.repo, entry.agent, entry.start)
    ]
    return Walk(
        moments=tuple(moments),
        shelf=past.shelf,
        templates=steps.templates(past.shelf),
        met=steps.met,
        materials=by_key,
        history=history,
        left_out=left_out,
        troubles=(*history.troubles, *unread),
    )


def _newest(history: History) -> tuple[list[Entry], dict[str, int]]:
    entries = sorted(history.entries, key=lambda entry: entry.start or 0.0)
    newest = entries[-MAX_SESSIONS:]
    left_out = dict(history.left_out)
    if len(newest) < len(entries):
        left_out[TOO_OLD] = len(entries) - len(newest)
    return newest, left_out


class _Steps:
    """What has ended so far, by repository."""

    def __init__(
        self,
        by_key: Mapping[int, Material],
        history: History,
        *,
        makes_templates: bool,
    ) -> None:
        self._makes_templates = makes_templates
        self._materials, self._history = by_key, history
        self._ended: dict[Kind, list[Entry]] = defaultdict(list)
        self.met: dict[str, Met] = defaultdict(lambda: Met(set(), set(), set(), set()))

    def end(self, entry: Entry) -> None:
        """A session has ended: what it met and what it teaches is there for later ones."""
        if entry.key not in self._materials:
            return
        if entry.outcome != "failure" and entry.calls >= MIN_CALLS:
            self._ended[entry.repo, entry.agent].append(entry)
        session, met = self._came_up(entry), self.met[entry.repo]
        met.failures.update(mishap.fingerprint for mishap in session.failures)
        met.commands.update(session.commands)
        met.files.update(session.files)
        met.corrections.update(saying.topic for saying in session.corrections)

    def moment(self, past: Past, start: float, entry: Entry) -> Moment:
        material, session = self._materials[entry.key], self._came_up(entry)
        need = Need(
            now=start,
            repo=entry.repo,
            agent=entry.agent,
            task=material.lived.task,
            sessions=past.had[entry.repo],
        )
        here = past.shelf.here(entry.repo)
        context = choose(here, need, count=estimate, budget=BUDGET)
        return Moment(
            entry=entry,
            start=start,
            author=material.author,
            session=session,
            knowledge=knowledge_of(session, past.shelf),
            need=need,
            items=tuple(filter(may_be_told, here)),
            lessons=tuple(pieces_of_context(context)),
            template=self._template((entry.repo, entry.agent), past.shelf),
            met=self._met_before(entry.repo, session),
        )

    def templates(self, shelf: Shelf) -> dict[Kind, WarmTemplate]:
        """Of each repository and agent, as it is in the end."""
        latest = ((kind, self._template(kind, shelf)) for kind in list(self._ended))
        return {kind: template for kind, template in latest if template is not None}

    def _met_before(self, repo: str, session: CameUp) -> dict[CameUpKind, int]:
        met = self.met[repo]
        fingerprints = {mishap.fingerprint for mishap in session.failures}
        topics = {saying.topic for saying in session.corrections}
        return {
            "failures": len(fingerprints & met.failures),
            "commands": len(session.commands & met.commands),
            "files": len(session.files & met.files),
            "corrections": len(topics & met.corrections),
        }

    def _came_up(self, entry: Entry) -> CameUp:
        events = self._history.events.get(entry.key, SessionEvents())
        findings = self._history.findings.get(entry.key, ())
        return came_up(self._materials[entry.key], events, findings)

    def _template(self, kind: Kind, shelf: Shelf) -> WarmTemplate | None:
        """Approved, as if a person had read it: what is measured is what it holds."""
        ended = best_sessions(self._ended[kind])
        if not self._makes_templates or len(ended) < MIN_EARLIER:
            return None
        repo, agent = kind
        items = _by_session(shelf.here(repo))
        sources = [self._source(entry, items.get(entry.id, ())) for entry in ended]
        try:
            return distil(
                sources,
                name=f"{repo or 'any repository'} with {agent}",
                task_type=TaskType.MIXED,
                repo=repo,
                max_examples=EXAMPLES,
                id="warm_20000101_000000",
            )
        except UsageError:
            return None

    def _source(self, entry: Entry, items: Sequence[KnowledgeItem]) -> SourceSession:
        material = self._materials[entry.key]
        return SourceSession(
            session=entry.id,
            outcome=entry.outcome,
            seed=with_items(material.seed, items),
            shapes=material.shapes,
            repo=entry.repo,
            agent=entry.agent,
        )


class Head(TypedDict):
    """What an answer says of the history it was made from."""

    sessions: int
    repos: int
    first_day: str
    last_day: str
    left_out: dict[str, int]


def head_of(
    walk: Walk, moments: Sequence[Moment], more_left_out: Mapping[str, int]
) -> Head:
    """Of the sessions that were judged, and of those that were not, and why."""
    days = [day(moment.start) for moment in moments]
    left_out = {**walk.left_out, **more_left_out}
    return Head(
        sessions=len(moments),
        repos=len({moment.entry.repo for moment in moments}),
        first_day=min(days, default=""),
        last_day=max(days, default=""),
        left_out={why: times for why, times in left_out.items() if times},
    )


def knowledge_of(session: CameUp, shelf: Shelf) -> Known:
    """The items that speak of what came up, wherever they hold."""
    errors = {mishap.fingerprint for mishap in session.failures}
    topics = [saying.topic for saying in session.corrections]
    ids = shelf.of_topics(topics)
    return Known(
        {error: shelf.telling(error) for error in errors},
        {topic: shelf.kept[id] for topic, id in ids.items() if id in shelf.kept},
    )


def _by_session(items: Iterable[KnowledgeItem]) -> dict[str, list[KnowledgeItem]]:
    """The items that may be told, by the sessions they rest on."""
    by_session: dict[str, list[KnowledgeItem]] = defaultdict(list)
    for item in items:
        if may_be_told(item):
            for session in {evidence.session for evidence in item.evidence}:
                by_session[session].append(item)
    return by_session
