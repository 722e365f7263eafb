"""warm compress, compare: templates made smaller, and measured against later sessions."""

from __future__ import annotations

import time
from collections.abc import Sequence
from itertools import chain, islice
from itertools import count as count_from

from msgspec import Struct
from msgspec.structs import replace

from afterglow.config import Config
from afterglow.errors import ModelError, UsageError
from afterglow.flows.redactor import redactor_of
from afterglow.flows.warm.share_templates import redaction
from afterglow.flows.warm.source_sessions import (
    MIN_CALLS,
    Progress,
    SessionReader,
    Troubles,
    finished_entries,
)
from afterglow.records.catalog import Entry
from afterglow.records.model import Model
from afterglow.records.selection import Selection
from afterglow.records.template import WarmTemplate
from afterglow.records.tools import TaskType
from afterglow.store.templates.folder import Templates
from afterglow.store.templates.importing import clean
from afterglow.warm import compress as compression
from afterglow.warm import coverage
from afterglow.warm.compress.pieces import fitted

MAX_LATER_SESSIONS = 30  # a template is measured against: each is read in whole
MODEL = "model"  # the strategy that asks one


class Compared(Struct, frozen=True):
    """Each template against the same later sessions (or, without any, `reason`), and the curve of the first."""

    rows: tuple[coverage.Coverage, ...]
    curve: coverage.Curve | None
    later: int
    reason: str = ""
    troubles: tuple[tuple[str, str], ...] = ()


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
    # The words of a part were read with the whole; what a model wrote was not.
    is_read = whole.approved and strategy != MODEL
    new = replace(small, id="", version=1, created=0.0, updated=0.0, approved=is_read)
    return whole, folder.add(new, time.time() if now is None else now)


def _smaller(
    config: Config, whole: WarmTemplate, strategy: str, budget: int, model: Model | None
) -> WarmTemplate:
    """Redacted before, for what a model is shown leaves the machine, and afterwards, for what it writes is kept."""
    redact = redaction(redactor_of(config))
    source = clean(whole, redact).template if strategy == MODEL else whole
    small = compression.compress(source, strategy, budget, model=model)
    # What stands in the place of a secret may be longer than the secret.
    return fitted(clean(small, redact).template, budget)


def compare(
    config: Config,
    names: Sequence[str],
    *,
    strategies: bool = False,
    budget: int = compression.BUDGET,
    model: Model | None = None,
    progress: Progress = lambda count, total: None,
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
    reader = SessionReader(config, len(later), progress)
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
    source_ids: set[str] = set()
    for template in templates:
        source_ids.update(template.source_sessions)
    selection = Selection(first.repo or None, first.agent or None)
    sources: list[Entry] = []
    of_kind: list[Entry] = []
    for entry in finished_entries(config, selection, now):
        if entry.id in source_ids:
            sources.append(entry)
        elif _is_of_type(entry, first.task_type):
            of_kind.append(entry)
    since = max(map(_start, sources), default=first.created)
    later = (entry for entry in of_kind if _start(entry) > since)
    return list(islice(later, MAX_LATER_SESSIONS))


def _start(entry: Entry) -> float:
    return entry.start or 0.0


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


def _free_name(name: str, folder: Templates) -> str:
    """The name, or the name with a number that no template has yet."""
    taken = {glance.name for glance in folder.glances()[0]}
    numbered = (f"{name} {n}" for n in count_from(2))
    return next(free for free in chain([name], numbered) if free not in taken)
