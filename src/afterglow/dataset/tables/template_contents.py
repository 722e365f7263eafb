"""template_contents: what warm templates say, part by part; only when asked for, and only of templates that leave."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from afterglow.dataset.pseudonyms import Pseudonyms
from afterglow.dataset.table import (
    Column,
    Draft,
    Material,
    SharedContents,
    SharedRows,
    Table,
)
from afterglow.dataset.tables.templates import TABLE as TEMPLATES
from afterglow.dataset.texts import may_leave
from afterglow.dataset.vocabulary import TOOLS, rough
from afterglow.records.template import SessionSeed
from afterglow.records.tools import family

PARTS = frozenset(
    {"context", "example", "recovery", "convention", "correction", "file", "command"}
)

TABLE = Table(
    "template_contents",
    "One row a part of a warm template, in words: redacted, without names and places, without what is risky.",
    (
        Column("template", "id", "the template, as in `templates`"),
        Column("part", "word", "what it is", PARTS),
        Column("position", "whole", "its place among parts of that kind, from 1"),
        Column("tool", "word", "the family of its tool", TOOLS),
        Column("sessions", "whole", "sessions that show it; empty: not counted"),
        Column(
            "text",
            "text",
            "the context, the arguments of an example (JSON), the error of a recovery, a person's words, a file, a command",
        ),
        Column(
            "result", "text", "the result of an example, what worked after an error"
        ),
    ),
)


class Part(Struct, frozen=True):
    """One part of a template; `sessions` is on how many it rests, where that was counted."""

    part: str
    text: str
    result: str = ""
    tool: str = ""
    sessions: int | None = None


def parts_of(seed: SessionSeed) -> Iterator[Part]:
    """What a seed says. Its addresses and repositories are places: they are not told."""
    if seed.system_context.strip():
        yield Part("context", seed.system_context)
    for example in seed.tool_examples:
        tool = family(example.tool_name)
        yield Part("example", example.arguments, example.result, tool, example.support)
    for recovery in seed.recovery_patterns:
        tool = family(recovery.tool) if recovery.tool else ""
        yield Part("recovery", recovery.error, recovery.worked, tool, recovery.support)
    for convention in seed.user_patterns.conventions:
        yield Part("convention", convention)
    for correction in seed.user_patterns.corrections:
        yield Part("correction", correction)
    for file in seed.context_markers.files:
        yield Part("file", file)
    for command in seed.context_markers.commands:
        yield Part("command", command)


def drafts(
    material: Material, ids: Pseudonyms, shared_rows: SharedRows
) -> Iterator[Draft]:
    templates_that_leave = shared_rows.get(TEMPLATES.name, {})
    for contents in material.contents:
        stays = contents.template.id not in templates_that_leave
        yield from _of_template(material, ids, contents, stays)


def _of_template(
    material: Material, ids: Pseudonyms, contents: SharedContents, stays: bool
) -> Iterator[Draft]:
    template = contents.template
    sessions = frozenset(template.source_sessions)
    people = material.people(sessions)
    positions: dict[str, int] = {}
    for part in parts_of(template.seed):
        positions[part.part] = positions.get(part.part, 0) + 1
        unfit = not (may_leave(part.text) and may_leave(part.result))
        yield Draft(
            values={
                "template": ids.of("template", template.id),
                "part": part.part,
                "position": positions[part.part],
                "tool": part.tool,
                "sessions": rough(part.sessions),
                "text": part.text,
                "result": part.result,
            },
            source=f"{template.id} {part.part} {positions[part.part]}",
            behind=sessions,
            people=people,
            lost=stays or unfit,
        )
    for number in range(contents.held):
        yield Draft(values={}, source=f"{template.id} held {number}", lost=True)
