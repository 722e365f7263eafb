"""A template as a person reads it, part by part; and what is different between two of them."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import unified_diff

from msgspec import Struct

from afterglow.config import Config
from afterglow.errors import UsageError
from afterglow.records.template import SessionSeed, WarmTemplate
from afterglow.store.templates.entries import Record
from afterglow.store.templates.folder import Templates
from afterglow.text.numbers import count, number, round_percent, round_range

DIFF_CONTEXT_LINES = 2  # enough to see which part a line is of


class TemplatePart(Struct, frozen=True):
    """A heading, and its lines."""

    title: str
    lines: tuple[str, ...]


class TemplateVersion(Struct, frozen=True):
    """A version of a template; the last one where no number is said."""

    id: str
    version: int | None = None


def template_parts(seed: SessionSeed) -> list[TemplatePart]:
    """All that a template tells beside its examples; parts with nothing in them are left out."""
    return [part for part in _parts(seed) if part.lines]


def _parts(seed: SessionSeed) -> Iterator[TemplatePart]:
    person = seed.user_patterns
    traits = {
        "request style": person.request_style,
        "feedback style": person.feedback_style,
        "language": person.language,
    }
    markers = {
        name: ", ".join(getattr(seed.context_markers, name))
        for name in seed.context_markers.__struct_fields__
    }
    recoveries = [
        f"{pattern.error} → {pattern.worked}{support_words(pattern.support)}"
        for pattern in seed.recovery_patterns
    ]
    yield TemplatePart("Context", tuple(seed.system_context.splitlines()))
    yield TemplatePart("Person", _labelled(traits))
    yield TemplatePart("Conventions", person.conventions)
    yield TemplatePart("Corrections", person.corrections)
    yield TemplatePart("Recoveries", tuple(recoveries))
    yield TemplatePart("Markers", _labelled(markers))


def _labelled(texts: dict[str, str]) -> tuple[str, ...]:
    return tuple(f"{name}: {text}" for name, text in texts.items() if text)


def support_words(sessions: int) -> str:
    return f"  ({sessions} sessions)" if sessions > 1 else ""


def version_before(
    config: Config, name: str, version: int | None = None
) -> TemplateVersion:
    """What a version is to be held against: the last one that a person approved where it waits itself, else the one
    before it. Raises `UsageError` where it is the first."""
    folder = Templates(config.templates)
    id = folder.find(name)
    current = folder.get(id, version)
    earlier = [number for number in folder.versions(id) if number < current.version]
    if not earlier:
        raise UsageError(
            f"{id} has no version before {current.version}; a template that is made again gets one"
        )
    approved = folder.approved(id) if not current.approved else None
    if approved is not None and approved.version in earlier:
        return TemplateVersion(id, approved.version)
    return TemplateVersion(id, earlier[-1])


def difference(config: Config, older: TemplateVersion, newer: TemplateVersion) -> str:
    """What the newer one says and the older one does not, and the other way round: a unified diff of what a person
    would read. Empty where they say the same."""
    folder = Templates(config.templates)
    before = folder.get(folder.find(older.id), older.version)
    after = folder.get(folder.find(newer.id), newer.version)
    changes = unified_diff(
        _text_lines(before),
        _text_lines(after),
        f"{before.id} version {before.version}",
        f"{after.id} version {after.version}",
        lineterm="",
        n=DIFF_CONTEXT_LINES,
    )
    return "\n".join(changes)


def _text_lines(template: WarmTemplate) -> list[str]:
    lines = [template.name, template.description]
    for part in template_parts(template.seed):
        lines += [part.title, *(f"  {line}" for line in part.lines)]
    for example in template.seed.tool_examples:
        lines.append(f"{example.tool_name} {example.arguments}")
        lines += [f"    {line}" for line in example.result.splitlines()]
    return [line for line in lines if line.strip()]


def usage_words(record: Record) -> str:
    """`Usage: 5 times, 80 % success (4 of 5 known outcomes, 38–96 %)`."""
    uses = f"Usage: {count(record.uses, 'time')}"
    if not record.known:
        return f"{uses}, no outcome known yet" if record.uses else uses
    from afterglow.stats.intervals import wilson

    share = record.successes / record.known
    low, high = wilson(share, record.known)
    guessed = ""
    if record.guessed:
        guessed = f", {number(record.guessed)} of them guessed from how it ended"
    return (
        f"{uses}, {round_percent(share)} success ({record.successes} of {count(record.known, 'known outcome')}, "
        f"{round_range(low, high)}{guessed})"
    )
