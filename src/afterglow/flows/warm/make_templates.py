"""warm auto, compress, compare: templates from many sessions, made smaller, and measured against later sessions."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from afterglow.calls import shape_of
from afterglow.config import Config
from afterglow.errors import ModelError, NotFound, UnreadableSource, UsageError
from afterglow.flows.read import STUMBLES
from afterglow.flows.redactor import redactor_of
from afterglow.flows.warm.share_templates import redaction
from afterglow.flows.warm.templates import items_of
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
from afterglow.warm import compress as stage
from afterglow.warm import coverage
from afterglow.warm.distil import Good, distil, refresh
from afterglow.warm.extract import SessionExtractor

SESSIONS = 10  # of a kind, at least
MOST = 20  # of a kind, at most: the newest of those that went best
CALLS = 5  # a session with fewer teaches nothing about a kind of work
WIDE = 64  # examples of one session that distilling chooses from
MODEL = "model"  # the strategy that asks one
LATER = 30  # sessions a template is measured against, at most

Progress = Callable[[int, int], None]


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


class Auto(Struct, frozen=True):
    """What was made, kinds with too few sessions, and sources that could not be read."""

    made: tuple[Made, ...]
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
    min_sessions: int = SESSIONS,
    max_examples: int = 8,
    now: float | None = None,
    progress: Progress = lambda done, total: None,
) -> Auto:
    """One template for each kind of work (repository, agent, type) that enough good sessions were about. One that is
    there already gets a new version where the sessions of now make a better one."""
    now = time.time() if now is None else now
    kinds: dict[tuple[str, str, TaskType], list[Entry]] = {}
    for entry in _entries(config, selection, now):
        assert entry.profile is not None
        kind = entry.profile.task_type
        if (
            task_type in (None, kind)
            and entry.outcome != "failure"
            and entry.profile.decided >= CALLS
        ):
            kinds.setdefault((entry.repo, entry.agent, kind), []).append(entry)
    enough = {
        kind: _best(some) for kind, some in kinds.items() if len(some) >= min_sessions
    }
    few = {
        _named(*kind): len(some) for kind, some in kinds.items() if kind not in enough
    }
    reading = _Reading(config, sum(map(len, enough.values())), progress)
    kept = Templates(config.templates)
    known = _autos(kept)
    made = []
    for (place, who, kind), entries in sorted(
        enough.items(), key=lambda one: (one[0][0], one[0][1], one[0][2].value)
    ):
        good = reading.good(entries)
        if len(good) < min_sessions:
            few[_named(place, who, kind)] = len(good)
            continue
        name = _named(place, who, kind)
        new = distil(
            good,
            name=name,
            task_type=kind,
            repo=place,
            max_examples=max_examples,
            now=now,
        )
        new = clean(replace(new, agent=who), reading.redact).template
        if not new.seed.tool_examples:
            few[name] = len(good)
            continue
        made.append(_keep(kept, new, known.get((place, who, kind)), good, now))
    return Auto(tuple(made), few, reading.done, tuple(reading.troubles))


def compress(
    config: Config,
    name: str,
    strategy: str,
    *,
    budget: int = stage.BUDGET,
    model: Model | None = None,
    now: float | None = None,
) -> tuple[WarmTemplate, WarmTemplate]:
    """A smaller template beside the one it was made of, which stays: the two can be compared. Both are returned. Only
    the strategy `model` asks one."""
    kept = Templates(config.templates)
    whole = kept.get(kept.find(name))
    small = _smaller(
        config,
        replace(whole, name=_free(f"{whole.name} ({strategy})", kept)),
        strategy,
        budget,
        model,
    )
    new = replace(small, id="", version=1, created=0.0, updated=0.0)
    return whole, kept.add(new, time.time() if now is None else now)


def _smaller(
    config: Config, whole: WarmTemplate, strategy: str, budget: int, model: Model | None
) -> WarmTemplate:
    """Redacted before, for what a model is shown leaves the machine, and afterwards, for what it writes is kept."""
    redact = redaction(redactor_of(config))
    source = clean(whole, redact).template if strategy == MODEL else whole
    return clean(stage.compress(source, strategy, budget, model=model), redact).template


def compare(
    config: Config,
    names: Sequence[str],
    *,
    strategies: bool = False,
    budget: int = stage.BUDGET,
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
    kept = Templates(config.templates)
    templates = [
        kept.get(id) for id in dict.fromkeys(kept.find(name) for name in names)
    ]
    first = templates[0]
    unmade: list[tuple[str, str]] = []
    if strategies:
        made, unmade = _by_strategy(config, first, budget, model)
        templates += made
    own = {session for one in templates for session in one.source_sessions}
    entries = _entries(config, Selection(first.repo or None, first.agent or None), now)
    last = max(
        (entry.start or 0.0 for entry in entries if entry.id in own), default=None
    )
    later = [
        entry
        for entry in entries
        if entry.id not in own
        and (entry.start or 0.0) > (last if last is not None else first.created)
        and entry.profile is not None
        and entry.profile.decided >= CALLS
        and entry.profile.task_type is first.task_type
    ][:LATER]
    reading = _Reading(config, len(later), progress)
    good = reading.good(later)
    reason = (
        ""
        if good
        else "no later session of its kind has been scanned; only its size can be told"
    )
    return Compared(
        tuple(coverage.compare(templates, good)), coverage.curve(first, good) if good else None, len(good), reason,
        (*unmade, *reading.troubles),
    )  # fmt: skip


def _by_strategy(
    config: Config, whole: WarmTemplate, budget: int, model: Model | None
) -> tuple[list[WarmTemplate], list[tuple[str, str]]]:
    """What each strategy makes of a template, named by it, and those that made nothing, and why."""
    made, unmade = [], []
    for strategy in stage.STRATEGIES.names():
        if strategy == MODEL and model is None:
            continue
        try:
            made.append(
                replace(
                    _smaller(config, whole, strategy, budget, model),
                    id=f"{whole.id} by {strategy}",
                )
            )
        except (ModelError, UsageError) as error:
            unmade.append((strategy, str(error)))
    return made, unmade


class _Reading:
    """Reads sessions, and what each may teach. A source that cannot be read is part of the result."""

    def __init__(self, config: Config, total: int, progress: Progress) -> None:
        self.config, self.total, self.progress, self.done = config, total, progress, 0
        redactor = redactor_of(config)
        self.redact = redaction(redactor)
        self.extractor = SessionExtractor(redactor, max_examples=WIDE)
        self.troubles: list[tuple[str, str]] = []

    def good(self, entries: Iterable[Entry]) -> list[Good]:
        found = []
        for entry in entries:
            try:
                session = _session(entry)
                seed = self.extractor.extract(
                    session, entry.repo, items_of(self.config, entry.id)
                )
            except (
                UnreadableSource,
                NotFound,
                OSError,
                MemoryError,
                *STUMBLES,
            ) as error:
                self.troubles.append((entry.source, f"{type(error).__name__}: {error}"))
            else:
                kind = entry.profile.task_type if entry.profile else TaskType.MIXED
                found.append(
                    Good(session=entry.id, outcome=entry.outcome, seed=seed, shapes=_shapes(session), repo=entry.repo,
                         agent=entry.agent, task_type=kind)
                )  # fmt: skip
            self.done += 1
            self.progress(self.done, self.total)
        return found


def _entries(config: Config, selection: Selection, now: float) -> list[Entry]:
    """Finished sessions of people, in time order, with profiles."""
    with Catalog(config.catalog) as catalog:
        found = catalog.entries(selection, profiles=True)
    return [
        one for one in found if one.origin == "main" and state(one, now) != "active"
    ]


def _session(entry: Entry) -> Session:
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
    ranked = sorted(
        entries, key=lambda one: (one.outcome != "success", -(one.start or 0.0), one.id)
    )[:MOST]
    return sorted(ranked, key=lambda one: (one.start or 0.0, one.id))


def _named(repo: str, agent: str, kind: TaskType) -> str:
    return f"{repo or 'any repository'}: {kind.value} with {agent}"


def _free(name: str, kept: Templates) -> str:
    """The name, or the name with a number that no template has yet."""
    taken = {one.name for one in kept.glances()[0]}
    return next(
        free
        for n in range(1, len(taken) + 2)
        if (free := name if n == 1 else f"{name} {n}") not in taken
    )


def _autos(kept: Templates) -> dict[tuple[str, str, TaskType], WarmTemplate]:
    """The distilled templates there are, by their kind; the newest of each."""
    found = {}
    for one in kept.glances()[0]:
        if one.made_by == "auto":
            try:
                found[one.repo, one.agent, one.task_type] = kept.get(one.id)
            except UnreadableSource:  # `warm list` names it; a new one is made
                continue
    return found


def _keep(
    kept: Templates, new: WarmTemplate, old: WarmTemplate | None, good: Sequence[Good], now: float
) -> Made:  # fmt: skip
    if old is None:
        done, how = kept.add(new, now), "new"
    else:
        better = refresh(old, new, good)
        done = (
            old
            if better is None
            else kept.save(replace(better, version=old.version), now)
        )
        how = "unchanged" if better is None else "refreshed"
    return Made(
        done.id, done.name, done.version, how, len(done.source_sessions), len(done.seed.tool_examples), done.repo,
        done.task_type,
    )  # fmt: skip
