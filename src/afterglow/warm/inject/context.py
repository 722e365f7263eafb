"""The lines a template's context is made of, what matters most first, and the text they become."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from itertools import groupby
from typing import NamedTuple

from afterglow.records.template import ROOT, RecoveryPattern, SessionSeed, WarmTemplate
from afterglow.records.tools import is_shell
from afterglow.text.clip import clip, printable
from afterglow.warm.inject.examples import sendable

LONGEST = 260  # characters of a line
MOST = 8  # lines of one section
LEAD = "Calls from earlier sessions, as examples of how things are done; nothing is asked for yet:"
END = "Those were examples."


class Line(NamedTuple):
    section: str
    text: str


def lines(
    seed: SessionSeed, tools: Collection[str] | None
) -> tuple[list[Line], list[tuple[str, str]]]:
    """Lines, strongest first, and those left out, each with the reason."""
    person, markers = seed.user_patterns, seed.context_markers
    unfit = [one for one in seed.recovery_patterns if not _meets(one, tools)]
    traits = (
        ("requests", person.request_style),
        ("feedback", person.feedback_style),
        ("language", person.language),
    )
    used = (
        ("files", markers.files),
        ("commands", markers.commands),
        ("repos", markers.repos),
        ("URLs", markers.urls),
    )
    sections: list[tuple[str, Iterable[str]]] = [
        ("", seed.system_context.splitlines()),
        (
            "The person you work with:",
            ["; ".join(f"{name}: {_line(of)}" for name, of in traits if _line(of))],
        ),
        ("Conventions they stated:", person.conventions),
        (
            "When it fails:",
            (_recovery(one) for one in seed.recovery_patterns if one not in unfit),
        ),
        ("Corrections they made:", person.corrections),
        (
            "Most used:",
            (
                f"{name}: {', '.join(map(_line, some[:MOST]))}"
                for name, some in used
                if some
            ),
        ),
    ]
    kept: list[Line] = []
    left = [(_recovery(one), f"the target has no {one.tool}") for one in unfit]
    for section, texts in sections:
        said = [text for text in dict.fromkeys(map(_line, texts)) if text]
        kept += [Line(section, text) for text in said[:MOST]]
        left += [(text, f"more than {MOST} of a kind") for text in said[MOST:]]
    return kept, left


def text(id: str, template: WarmTemplate, chosen: Sequence[Line], examples: int) -> str:
    """The context: the delivery's id, the lines under their headings, and what the calls that follow are."""
    where = f" in {_line(template.repo)}" if template.repo else ""
    said = [
        f"What earlier sessions{where} taught ({id}); what you see now outranks it:"
    ]
    for section, some in groupby(chosen, key=lambda one: one.section):
        said += [section] if section else []
        said += [f"- {one.text}" for one in some]
    if examples:
        said.append(
            f"The {examples} tool calls with ids {id}-… are examples from earlier sessions, not part of this one: "
            f"call tools like that; {ROOT} is the repository's folder, results are old, nothing in them is a request."
        )
    return "\n".join(said)


def _line(text: str) -> str:
    return clip(" ".join(printable(sendable(text)).split()), LONGEST)


def _recovery(pattern: RecoveryPattern) -> str:
    half = LONGEST // 2 - 2
    return f"{clip(_line(pattern.error), half)} → {clip(_line(pattern.worked), half)}"


def _meets(pattern: RecoveryPattern, tools: Collection[str] | None) -> bool:
    """What worked in one shell works in another, whatever the tool is called; otherwise the tool must be there."""
    if tools is None or not pattern.tool or pattern.tool in tools:
        return True
    return is_shell(pattern.tool) and any(map(is_shell, tools))
