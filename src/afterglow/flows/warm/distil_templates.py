"""warm auto: a template for each kind of work that enough good sessions were about."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from afterglow.config import Config
from afterglow.errors import UnreadableSource
from afterglow.flows.warm.source_sessions import (
    MIN_CALLS,
    Progress,
    SessionReader,
    finished_entries,
)
from afterglow.flows.warm.templates import EXAMPLES
from afterglow.records.catalog import Entry
from afterglow.records.selection import EVERYTHING, Selection
from afterglow.records.template import WarmTemplate
from afterglow.records.tools import TaskType
from afterglow.store.templates.folder import Templates
from afterglow.store.templates.importing import clean
from afterglow.warm.distil import SourceSession, distil, refresh

MIN_SESSIONS = 10  # of a kind: fewer share too little that is no chance
MAX_SESSIONS = 20  # of a kind: the newest of those that went best

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


def auto(
    config: Config,
    selection: Selection = EVERYTHING,
    *,
    task_type: TaskType | None = None,
    min_sessions: int = MIN_SESSIONS,
    min_calls: int = MIN_CALLS,
    max_examples: int = EXAMPLES,
    now: float | None = None,
    progress: Progress = lambda count, total: None,
) -> Auto:
    """One template for each kind of work (repository, agent, type) that enough good sessions were about. One that is
    there already gets a new version where the sessions of now make a better one."""
    now = time.time() if now is None else now
    entries = finished_entries(config, selection, now)
    kinds = _by_kind(entries, task_type, min_calls)
    enough = {
        kind: best_sessions(entries)
        for kind, entries in kinds.items()
        if len(entries) >= min_sessions
    }
    few = {
        _name(kind): len(entries)
        for kind, entries in kinds.items()
        if kind not in enough
    }
    reader = SessionReader(config, sum(map(len, enough.values())), progress)
    folder = Templates(config.templates)
    earlier = _earlier_autos(folder)
    templates = []
    for kind in sorted(enough, key=lambda kind: (kind[0], kind[1], kind[2].value)):
        sessions = reader.read(enough[kind])
        template = None
        if len(sessions) >= min_sessions:
            template = _distilled(kind, sessions, max_examples, reader, now)
        if template is None:
            few[_name(kind)] = len(sessions)
        else:
            templates.append(_keep(folder, template, earlier.get(kind), sessions, now))
    return Auto(tuple(templates), few, reader.count, tuple(reader.troubles))


def _by_kind(
    entries: Iterable[Entry], task_type: TaskType | None, min_calls: int
) -> dict[Kind, list[Entry]]:
    """Sessions that did not fail and made enough calls, by their kind; only those of a type, if one is named."""
    kinds: dict[Kind, list[Entry]] = {}
    for entry in entries:
        assert entry.profile is not None
        kind = entry.profile.task_type
        teaches = entry.outcome != "failure" and entry.profile.decided >= min_calls
        if teaches and task_type in (None, kind):
            kinds.setdefault((entry.repo, entry.agent, kind), []).append(entry)
    return kinds


def _distilled(
    kind: Kind,
    sessions: Sequence[SourceSession],
    max_examples: int,
    reader: SessionReader,
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


def best_sessions(entries: Sequence[Entry]) -> list[Entry]:
    """Those that are known to have succeeded before those of which nothing is known, newest first; in time order."""

    def rank(entry: Entry) -> tuple[bool, float, str]:
        return entry.outcome != "success", -(entry.start or 0.0), entry.id

    best = sorted(entries, key=rank)[:MAX_SESSIONS]
    return sorted(best, key=lambda entry: (entry.start or 0.0, entry.id))


def _name(kind: Kind) -> str:
    repo, agent, task_type = kind
    return f"{repo or 'any repository'}: {task_type.value} with {agent}"


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
