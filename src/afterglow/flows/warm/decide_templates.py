"""A person's word about a template: approved, rejected, or away; each about exactly the version they read."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

import msgspec
from msgspec.structs import replace

from afterglow.config import Config
from afterglow.errors import Conflict, UnreadableSource
from afterglow.records.template import REJECTED, WarmTemplate
from afterglow.store.templates.entries import checksum
from afterglow.store.templates.folder import Templates
from afterglow.text.numbers import local_day

NOTHING_EXPECTED: Mapping[str, str] = MappingProxyType({})


def template_mark(config: Config, id: str) -> str:
    """Stands for a template as it is now, to be held against what a person saw; nothing where it cannot be read."""
    try:
        template = Templates(config.templates).get(id)
    except UnreadableSource:
        return ""
    return checksum(msgspec.to_builtins(template, str_keys=True))


def approve(
    config: Config,
    names: Sequence[str],
    *,
    expected: Mapping[str, str] = NOTHING_EXPECTED,
) -> list[WarmTemplate]:
    """A person has read them: sessions may start from them. `expected` has the marks of what was read, by id."""

    def approved(template: WarmTemplate) -> WarmTemplate:
        notes = {key: note for key, note in template.notes.items() if key != REJECTED}
        return replace(template, approved=True, notes=notes)

    return _decide(config, names, approved, expected)


def reject(
    config: Config,
    names: Sequence[str],
    *,
    expected: Mapping[str, str] = NOTHING_EXPECTED,
    now: float | None = None,
) -> list[WarmTemplate]:
    """A person has read them and said no: sessions start from the last version that was approved, if there is one. A
    version that is made anew waits anew."""
    day = local_day(time.time() if now is None else now)

    def rejected(template: WarmTemplate) -> WarmTemplate:
        notes = {**template.notes, REJECTED: f"by {config.person} on {day}"}
        return replace(template, approved=False, notes=notes)

    return _decide(config, names, rejected, expected)


def delete(
    config: Config,
    names: Sequence[str],
    *,
    expected: Mapping[str, str] = NOTHING_EXPECTED,
) -> list[Path]:
    """Moves templates to the trash, where nothing is ever deleted. All of them are found first, or none is moved."""
    folder = Templates(config.templates)
    ids = template_ids(folder, names)
    _check(config, expected)
    return [folder.delete(id) for id in ids]


def template_ids(folder: Templates, names: Sequence[str]) -> list[str]:
    """The id of each, once. All are found, or none."""
    return list(dict.fromkeys([folder.find(name) for name in names]))


def _decide(
    config: Config,
    names: Sequence[str],
    change: Callable[[WarmTemplate], WarmTemplate],
    expected: Mapping[str, str],
) -> list[WarmTemplate]:
    folder = Templates(config.templates)
    templates = [folder.get(id) for id in template_ids(folder, names)]
    _check(config, expected)
    decided = [(template, change(template)) for template in templates]
    return [
        after if before == after else folder.amend(after) for before, after in decided
    ]


def _check(config: Config, expected: Mapping[str, str]) -> None:
    for id, mark in expected.items():
        if template_mark(config, id) != mark:
            raise Conflict(f"{id} was changed since you looked; nothing was decided")
