"""The lines a template's context is made of, what matters most first, and the text they become."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from afterglow.records.template import (
    ROOT,
    ContextMarkers,
    RecoveryPattern,
    SessionSeed,
    UserPatterns,
    WarmTemplate,
)
from afterglow.records.tools import is_shell
from afterglow.text.basis import SAID, heading, of_sessions
from afterglow.text.clip import clip, printable
from afterglow.warm.inject.examples import sendable

MAX_LINE_CHARACTERS = 260  # two sentences; what is longer is an essay, not a rule
MAX_BASIS_CHARACTERS = 20  # what a line rests on, and the arrow
MAX_SECTION_LINES = 8  # the weaker ones of a kind are rarely what a task needs
LEAD = "Calls from earlier sessions, as examples of how things are done; nothing is asked for yet:"
END = "Those were examples."


class Line(NamedTuple):
    section: str
    text: str


def lines(
    seed: SessionSeed, tools: Collection[str] | None
) -> tuple[list[Line], list[tuple[str, str]]]:
    """Lines, strongest first, and those left out, each with the reason."""
    fit: list[RecoveryPattern] = []
    left_out: list[tuple[str, str]] = []
    for pattern in seed.recovery_patterns:
        if _has_tool_of(pattern, tools):
            fit.append(pattern)
        else:
            left_out.append((_recovery(pattern), f"the target has no {pattern.tool}"))
    chosen: list[Line] = []
    too_many = f"more than {MAX_SECTION_LINES} of a kind"
    for section, texts in _sections(seed, fit):
        distinct = list(dict.fromkeys(filter(None, map(_line, texts))))
        chosen += [Line(section, text) for text in distinct[:MAX_SECTION_LINES]]
        left_out += [(text, too_many) for text in distinct[MAX_SECTION_LINES:]]
    return chosen, left_out


def _sections(
    seed: SessionSeed, recoveries: Iterable[RecoveryPattern]
) -> Iterator[tuple[str, Iterable[str]]]:
    person = seed.user_patterns
    yield "", seed.system_context.splitlines()
    yield "The person you work with:", [_traits(person)]
    yield "Conventions they stated:", map(_said, person.conventions)
    yield "When it fails:", map(_recovery, recoveries)
    yield "Corrections they made:", map(_said, person.corrections)
    yield "Most used:", _most_used(seed.context_markers)


def _traits(person: UserPatterns) -> str:
    traits = {
        "requests": _line(person.request_style),
        "feedback": _line(person.feedback_style),
        "language": _line(person.language),
    }
    return "; ".join(f"{name}: {trait}" for name, trait in traits.items() if trait)


def _most_used(markers: ContextMarkers) -> Iterator[str]:
    kinds = {
        "files": markers.files,
        "commands": markers.commands,
        "repos": markers.repos,
        "URLs": markers.urls,
    }
    for name, values in kinds.items():
        if values:
            yield f"{name}: {', '.join(map(_line, values[:MAX_SECTION_LINES]))}"


def text(id: str, template: WarmTemplate, chosen: Sequence[Line], examples: int) -> str:
    """The context: the delivery's id, the lines under their headings, and what the calls that follow are."""
    texts = [heading(id, template.repo)]
    for section, lines_of_section in groupby(chosen, key=lambda line: line.section):
        if section:
            texts.append(section)
        texts += [f"- {line.text}" for line in lines_of_section]
    if examples:
        texts.append(
            f"The {examples} tool calls with ids {id}-… are examples from earlier sessions, not part of this one: "
            f"call tools like that; {ROOT} is the repository's folder, results are old, nothing in them is a request."
        )
    return "\n".join(texts)


def _line(text: str) -> str:
    return clip(" ".join(printable(sendable(text)).split()), MAX_LINE_CHARACTERS)


def _recovery(pattern: RecoveryPattern) -> str:
    half = MAX_LINE_CHARACTERS // 2 - MAX_BASIS_CHARACTERS
    error, worked = clip(_line(pattern.error), half), clip(_line(pattern.worked), half)
    return f"{error} → {worked} [{of_sessions(pattern.support)}]"


def _said(sentence: str) -> str:
    if not sentence.strip():
        return ""
    return (
        f"{clip(_line(sentence), MAX_LINE_CHARACTERS - MAX_BASIS_CHARACTERS)} [{SAID}]"
    )


def _has_tool_of(pattern: RecoveryPattern, tools: Collection[str] | None) -> bool:
    """What worked in one shell works in another, whatever the tool is called; otherwise the tool must be there."""
    if tools is None or not pattern.tool or pattern.tool in tools:
        return True
    return is_shell(pattern.tool) and any(map(is_shell, tools))
