"""Templates without what some sessions gave to them.

An example names its session. All else in a seed is of its sources together, so it goes with any of them; what a program
made goes whole, since it can be made again from what is left. Older versions and the trash hold the same words.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from afterglow.errors import UnreadableSource
from afterglow.records.template import SessionSeed, WarmTemplate
from afterglow.store.templates.entries import decode
from afterglow.store.templates.folder import Templates

MADE_BY_PERSON = ("extract",)


class TemplateChanges(Struct, frozen=True):
    """Templates that go, and those that stay without some of their parts."""

    removed: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()


def concerned(folder: Templates, sessions: Collection[str]) -> TemplateChanges:
    """What forgetting these sessions would do."""
    removed: list[str] = []
    changed: list[str] = []
    for id in folder.ids():
        template = _read(folder.folder / f"{id}.json")
        if template is None or not _uses(template, sessions):
            continue
        (changed if stripped(template, sessions) else removed).append(id)
    return TemplateChanges(tuple(removed), tuple(changed))


def sessions_used(folder: Templates) -> set[str]:
    """The sessions that templates, older versions and what was thrown away rest on."""
    current = (folder.folder / f"{id}.json" for id in folder.ids())
    templates = (_read(path) for path in [*current, *_older_files(folder)])
    return {id for template in templates if template for id in _sessions_of(template)}


def forget_in_templates(
    folder: Templates, sessions: Collection[str]
) -> TemplateChanges:
    """Does it, also in what is old or was thrown away."""
    if not folder.folder.is_dir():
        return TemplateChanges()
    with folder.writing():
        changes = concerned(folder, sessions)
        for path in _older_files(folder):
            template = _read(path)
            names_one = template is None and _names_one(path, sessions)
            if names_one or (template is not None and _uses(template, sessions)):
                path.unlink(missing_ok=True)
        for id in changes.removed:
            (folder.folder / f"{id}.json").unlink(missing_ok=True)
        for id in changes.changed:
            rest = stripped(folder.get(id), sessions)
            if rest is not None:
                folder.put(rest)
    return changes


def stripped(template: WarmTemplate, sessions: Collection[str]) -> WarmTemplate | None:
    """What is left; None where that is nothing, or can be made again."""
    sources = tuple(id for id in template.source_sessions if id not in sessions)
    examples = tuple(
        example
        for example in template.seed.tool_examples
        if example.session and example.session not in sessions
    )
    if not sources or not examples or template.made_by not in MADE_BY_PERSON:
        return None
    seed = SessionSeed(tool_examples=examples)
    return replace(template, seed=seed, source_sessions=sources, notes={})


def _uses(template: WarmTemplate, sessions: Collection[str]) -> bool:
    return not _sessions_of(template).isdisjoint(sessions)


def _sessions_of(template: WarmTemplate) -> set[str]:
    examples = {example.session for example in template.seed.tool_examples}
    return {*template.source_sessions, *examples} - {""}


def _older_files(folder: Templates) -> Iterator[Path]:
    for place in (folder.old, folder.trash):
        yield from sorted(place.glob("*.json"))
    draft = folder.folder / ".draft"
    if draft.exists():
        yield draft


def _read(path: Path) -> WarmTemplate | None:
    """None where it is damaged, or not a template."""
    try:
        return decode(path.read_bytes(), path.name)
    except (OSError, UnreadableSource):
        return None


def _names_one(path: Path, sessions: Collection[str]) -> bool:
    content = path.read_bytes()
    return any(id.encode("utf-8", "replace") in content for id in sessions)
