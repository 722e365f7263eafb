"""warm auto, compress, compare: templates from many sessions, made smaller, and measured against later sessions."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import chain, islice
from itertools import count as count_from
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from afterglow.calls import shape_of
from afterglow.config import Config
from afterglow.errors import ModelError, NotFound, UnreadableSource, UsageError
from afterglow.flows.read import STUMBLES
from afterglow.flows.redactor import redactor_of
from afterglow.flows.warm.extract_template import items_of
from afterglow.flows.warm.share_templates import redaction
from afterglow.flows.warm.templates import EXAMPLES
from afterglow.records.catalog import Entry, state
from afterglow.records.model import Model
from afterglow.records.selection import EVERYTHING, Selection
from afterglow.records.session import Outcome, Session
from afterglow.records.template import WarmTemplate
from afterglow.records.tools import TaskType
from afterglow.sessions import load
from afterglow.store.catalog import Catalog
from afterglow.store.templates.folder import Templates
from afterglow.store.templates.importing import clean
from afterglow.warm import compress as compression
from afterglow.warm import coverage
from afterglow.warm.distil import SourceSession, distil, refresh
from afterglow.warm.extract import SessionExtractor

MIN_SESSIONS = 10  # of a kind: fewer share too little that is no chance
MAX_SESSIONS = 20  # of a kind: the newest of those that went best
MIN_CALLS = 5  # a session with fewer teaches nothing about a kind of work
MAX_EXAMPLES_PER_SESSION = 64  # that distilling chooses from: every shape wants one
MAX_LATER_SESSIONS = 30  # a template is measured against: more do not move the shares
MODEL = "model"  # the strategy that asks one

Progress = Callable[[int, int], None]
Troubles = list[tuple[str, str]]  # of which source or strategy, and why
Kind = tuple[str, str, TaskType]  # repository, agent, type of work


class Made(Struct, frozen=True):
    """A template that was distilled: new, a new version, or left as it was, and why."""

    id: str
    name: str
    version: int
    state: str  # new, refreshed, unchanged
    sessions: int
    examples: int
    repo: str
    task_type: TaskType


class Auto(Struct, frozen=True, rename={"templates": "made"}):
    """What was made, kinds with too few sessions, and sources that could not be read."""

    templates: tuple[Made, ...]
    few: dict[str, int]
    sessions: int
    troubles: tuple[tuple[str, str], ...] = ()


class Compared(Struct, frozen=True):
    """Each template against the same later sessions (or, without any, `reason`), and the curve of the first."""

    rows: tuple[coverage.Coverage, ...]
    curve: coverage.Curve | None
    later: int
    reason: str = ""
    troubles: tuple[tuple[str, str], ...] = ()


def auto(
    config: Config,
    selection: Selection = EVERYTHING,
    *,
    task_type: TaskType | None = None,
    min_sessions: int = MIN_SESSIONS,
    max_examples: int = EXAMPLES,
    now: float | None = None,
    progress: Progress = lambda done, total: None,
) -> Auto:
    """One template for each kind of work (repository, agent, type) that enough good sessions were about. One that is
    there already gets a new version where the sessions of now make a better one."""
    now = time.time() if now is None else now
    kinds = _by_kind(_entries(config, selection, now), task_type)
    enough = {
        kind: _best(entries)
        for kind, entries in kinds.items()
        if len(entries) >= min_sessions
    }
    few = {
        _name(kind): len(entries)
        for kind, entries in kinds.items()
        if kind not in enough
    }
    reader = _SessionReader(config, sum(map(len, enough.values())), progress)
    folder = Templates(config.templates)
    earlier = _earlier_autos(folder)
    made = []
    for kind in sorted(enough, key=lambda kind: (kind[0], kind[1], kind[2].value)):
        sessions = reader.read(enough[kind])
        template = None
        if len(sessions) >= min_sessions:
            template = _distilled(kind, sessions, max_examples, reader, now)
        if template is None:
            few[_name(kind)] = len(sessions)
        else:
            made.append(_keep(folder, template, earlier.get(kind), sessions, now))
    return Auto(tuple(made), few, reader.count, tuple(reader.troubles))


def _by_kind(
    entries: Iterable[Entry], task_type: TaskType | None
) -> dict[Kind, list[Entry]]:
    """Sessions that did not fail, by their kind; only those of a type, if one is named."""
    kinds: dict[Kind, list[Entry]] = {}
    for entry in entries:
        assert entry.profile is not None
        kind = entry.profile.task_type
        teaches = entry.outcome != "failure" and entry.profile.decided >= MIN_CALLS
        if teaches and task_type in (None, kind):
            kinds.setdefault((entry.repo, entry.agent, kind), []).append(entry)
    return kinds


def _distilled(
    kind: Kind,
    sessions: Sequence[SourceSession],
    max_examples: int,
    reader: _SessionReader,
    now: float,
) -> WarmTemplate | None:
    """None where no example is left."""
    repo, agent, task_type = kind
    template = distil(
        sessions,
        name=_name(kind),
        task_type=task_type,
        repo=repo,
        max_examples=max_examples,
        now=now,
    )
    cleaned = clean(replace(template, agent=agent), reader.redact).template
    return cleaned if cleaned.seed.tool_examples else None


def compress(
    config: Config,
    name: str,
    strategy: str,
    *,
    budget: int = compression.BUDGET,
    model: Model | None = None,
    now: float | None = None,
) -> tuple[WarmTemplate, WarmTemplate]:
    """A smaller template beside the one it was made of, which stays: the two can be compared. Both are returned. Only
    the strategy `model` asks one."""
    folder = Templates(config.templates)
    whole = folder.get(folder.find(name))
    renamed = replace(whole, name=_free_name(f"{whole.name} ({strategy})", folder))
    small = _smaller(config, renamed, strategy, budget, model)
    new = replace(small, id="", version=1, created=0.0, updated=0.0)
    return whole, folder.add(new, time.time() if now is None else now)


def _smaller(
    config: Config, whole: WarmTemplate, strategy: str, budget: int, model: Model | None
) -> WarmTemplate:
    """Redacted before, for what a model is shown leaves the machine, and afterwards, for what it writes is kept."""
    redact = redaction(redactor_of(config))
    source = clean(whole, redact).template if strategy == MODEL else whole
    small = compression.compress(source, strategy, budget, model=model)
    return clean(small, redact).template


def compare(
    config: Config,
    names: Sequence[str],
    *,
    strategies: bool = False,
    budget: int = compression.BUDGET,
    model: Model | None = None,
    progress: Progress = lambda done, total: None,
    now: float | None = None,
) -> Compared:
    """What templates show of what later sessions of the first one's kind did with success: sessions that began after
    the last one it was made of. Never its own. With `strategies`, also what each would make of the first within
    `budget`; that of the name `model` only where there is one. Nothing is kept."""
    if not names:
        raise UsageError(
            "name at least one template; `afterglow warm list` shows what there is"
        )
    now = time.time() if now is None else now
    folder = Templates(config.templates)
    ids = dict.fromkeys(folder.find(name) for name in names)
    templates = [folder.get(id) for id in ids]
    first = templates[0]
    troubles: Troubles = []
    if strategies:
        smaller, troubles = _by_strategy(config, first, budget, model)
        templates += smaller
    later = _later_sessions(config, templates, now)
    reader = _SessionReader(config, len(later), progress)
    sessions = reader.read(later)
    reason = "no later session of its kind has been scanned; only its size can be told"
    return Compared(
        rows=tuple(coverage.compare(templates, sessions)),
        curve=coverage.curve(first, sessions) if sessions else None,
        later=len(sessions),
        reason="" if sessions else reason,
        troubles=(*troubles, *reader.troubles),
    )


def _later_sessions(
    config: Config, templates: Sequence[WarmTemplate], now: float
) -> list[Entry]:
    """Of the kind of the first template, begun after the last session that any was made of."""
    first = templates[0]
    sources = {id for template in templates for id in template.source_sessions}
    entries = _entries(config, Selection(first.repo or None, first.agent or None), now)
    starts = [entry.start or 0.0 for entry in entries if entry.id in sources]
    since = max(starts, default=first.created)
    later = [
        entry
        for entry in entries
        if (entry.start or 0.0) > since and entry.id not in sources
    ]
    of_kind = (entry for entry in later if _is_of_type(entry, first.task_type))
    return list(islice(of_kind, MAX_LATER_SESSIONS))


def _is_of_type(entry: Entry, task_type: TaskType) -> bool:
    profile = entry.profile
    if profile is None or profile.decided < MIN_CALLS:
        return False
    return profile.task_type is task_type


def _by_strategy(
    config: Config, whole: WarmTemplate, budget: int, model: Model | None
) -> tuple[list[WarmTemplate], Troubles]:
    """What each strategy makes of a template, named by it, and those that made nothing, and why."""
    templates: list[WarmTemplate] = []
    troubles: Troubles = []
    for strategy in compression.STRATEGIES.names():
        if strategy == MODEL and model is None:
            continue
        try:
            small = _smaller(config, whole, strategy, budget, model)
        except (ModelError, UsageError) as error:
            troubles.append((strategy, str(error)))
        else:
            templates.append(replace(small, id=f"{whole.id} by {strategy}"))
    return templates, troubles


class _SessionReader:
    """Reads sessions, and what each may teach. A source that cannot be read is part of the result."""

    def __init__(self, config: Config, total: int, progress: Progress) -> None:
        redactor = redactor_of(config)
        self.redact = redaction(redactor)
        self.troubles: Troubles = []
        self.count = 0
        self._config = config
        self._total = total
        self._progress = progress
        self._extractor = SessionExtractor(
            redactor, max_examples=MAX_EXAMPLES_PER_SESSION
        )

    def read(self, entries: Iterable[Entry]) -> list[SourceSession]:
        sessions = []
        for entry in entries:
            try:
                sessions.append(self._source_session(entry))
            except (
                UnreadableSource,
                NotFound,
                OSError,
                MemoryError,
                *STUMBLES,
            ) as error:
                self.troubles.append((entry.source, f"{type(error).__name__}: {error}"))
            self.count += 1
            self._progress(self.count, self._total)
        return sessions

    def _source_session(self, entry: Entry) -> SourceSession:
        session = _load(entry)
        items = items_of(self._config, entry.id)
        return SourceSession(
            session=entry.id,
            outcome=entry.outcome,
            seed=self._extractor.extract(session, entry.repo, items),
            shapes=_shapes(session),
            repo=entry.repo,
            agent=entry.agent,
            task_type=entry.profile.task_type if entry.profile else TaskType.MIXED,
        )


def _entries(config: Config, selection: Selection, now: float) -> list[Entry]:
    """Finished sessions of people, in time order, with profiles."""
    with Catalog(config.catalog) as catalog:
        entries = catalog.entries(selection, profiles=True)
    return [
        entry
        for entry in entries
        if entry.origin == "main" and state(entry, now) != "active"
    ]


def _load(entry: Entry) -> Session:
    for session in load(Path(entry.source), only={entry.id}):
        if session.id == entry.id:
            return session
    raise NotFound(f"{entry.source} no longer holds {entry.id}; scan again")


def _shapes(session: Session) -> Counter[str]:
    """How often each shape of call worked. A pipe that hid a failure did not work."""
    return Counter(
        shape_of(call.tool, call.arguments)
        for turn in session.turns
        for call in turn.calls
        if call.outcome is Outcome.OK and not call.masked
    )


def _best(entries: Sequence[Entry]) -> list[Entry]:
    """Those that are known to have succeeded before those of which nothing is known, newest first; in time order."""

    def rank(entry: Entry) -> tuple[bool, float, str]:
        return entry.outcome != "success", -(entry.start or 0.0), entry.id

    best = sorted(entries, key=rank)[:MAX_SESSIONS]
    return sorted(best, key=lambda entry: (entry.start or 0.0, entry.id))


def _name(kind: Kind) -> str:
    repo, agent, task_type = kind
    return f"{repo or 'any repository'}: {task_type.value} with {agent}"


def _free_name(name: str, folder: Templates) -> str:
    """The name, or the name with a number that no template has yet."""
    taken = {glance.name for glance in folder.glances()[0]}
    numbered = (f"{name} {n}" for n in count_from(2))
    return next(free for free in chain([name], numbered) if free not in taken)


def _earlier_autos(folder: Templates) -> dict[Kind, WarmTemplate]:
    """The distilled templates there are, by their kind; the newest of each."""
    newest = {}
    for glance in folder.glances()[0]:
        if glance.made_by != "auto":
            continue
        try:
            newest[glance.repo, glance.agent, glance.task_type] = folder.get(glance.id)
        except UnreadableSource:  # `warm list` names it; a new one is made
            continue
    return newest


def _keep(
    folder: Templates,
    new: WarmTemplate,
    old: WarmTemplate | None,
    sessions: Sequence[SourceSession],
    now: float,
) -> Made:
    if old is None:
        return _made(folder.add(new, now), "new")
    better = refresh(old, new, sessions)
    if better is None:
        return _made(old, "unchanged")
    return _made(folder.save(replace(better, version=old.version), now), "refreshed")


def _made(template: WarmTemplate, state: str) -> Made:
    return Made(
        id=template.id,
        name=template.name,
        version=template.version,
        state=state,
        sessions=len(template.source_sessions),
        examples=len(template.seed.tool_examples),
        repo=template.repo,
        task_type=template.task_type,
    )
