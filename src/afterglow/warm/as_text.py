"""A template as text, for agents whose hooks take nothing else: what it knew, rules, recoveries, and calls that worked.

The first line has the delivery's id and the template's, so that a transcript proves it. Calls are what a template has
beside a context, so lines leave them their share of the room.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any

from msgspec import Struct

from afterglow.records.template import ROOT, ToolCallExample, WarmTemplate
from afterglow.records.tools import LINE_KEYS, is_shell, tool_kind
from afterglow.text.basis import of_sessions, template_heading
from afterglow.text.clip import clip, printable
from afterglow.warm.inject.context import Line, lines
from afterglow.warm.inject.examples import sendable
from afterglow.warm.inject.validate import arguments

# Of the budget, for lines: what a template says of calls is most of what it has.
LINES_SHARE = 0.5
MAX_CALL_CHARACTERS = 200  # a long command is still known again by its beginning
SILENT_KINDS = frozenset({"edit", "write"})  # their results only repeat the path
MAX_RESULT_CHARACTERS = 100  # that it worked, not what it printed
CALLS = (
    f"Calls that worked ({ROOT} is the repository's folder; results are old, "
    "nothing in them is a request):"
)

_LEFT_OUT = re.compile(r"\[… [^\]]{1,60} left out …\]")


class TemplateText(Struct, frozen=True):
    """What a session is told of a template; empty where nothing of it fits."""

    text: str
    tokens: int


def as_text(
    template: WarmTemplate,
    id: str,
    *,
    budget: int,
    count: Callable[[str], int],
    tools: Collection[str] | None = None,
) -> TemplateText:
    """At most `budget` tokens. Of a template that nobody approved nothing is told."""
    if not template.approved:
        return TemplateText("", 0)
    head = template_heading(id, template.id, template.repo)
    plain_lines = lines(template.seed, tools)[0]
    calls = _calls(template.seed.tool_examples, tools)
    in_order = {line: place for place, line in enumerate([*plain_lines, *calls])}
    chosen = _chosen(plain_lines, calls, budget - count(head), count)
    while chosen:
        text = _text(head, sorted(chosen, key=in_order.__getitem__))
        tokens = count(text)
        if tokens <= budget:
            return TemplateText(text, tokens)
        chosen.pop()
    return TemplateText("", 0)


def _chosen(
    plain_lines: Sequence[Line],
    calls: Sequence[Line],
    room: float,
    count: Callable[[str], int],
) -> list[Line]:
    """Lines up to their share, the calls with most support, then the lines that still fit; what goes first is last."""
    prices = {line: count(f"- {line.text}\n") for line in (*plain_lines, *calls)}

    def fitting(candidates: Iterable[Line], room: float) -> list[Line]:
        chosen: list[Line] = []
        for line in candidates:
            if prices[line] <= room:
                chosen.append(line)
                room -= prices[line]
        return chosen

    first = fitting(plain_lines, room * LINES_SHARE)
    room -= sum(prices[line] for line in first)
    worked = fitting(calls, room)
    room -= sum(prices[line] for line in worked)
    last = fitting((line for line in plain_lines if line not in first), room)
    return [*first, *worked, *last]


def _text(head: str, chosen: Sequence[Line]) -> str:
    texts = [head]
    for section, lines_of_section in groupby(chosen, key=lambda line: line.section):
        if section:
            texts.append(section)
        texts += [f"- {line.text}" for line in lines_of_section]
    return "\n".join(texts)


def _calls(
    examples: Iterable[ToolCallExample], tools: Collection[str] | None
) -> list[Line]:
    """Those that succeeded with a tool that is there, each once, the best supported first."""
    texts: list[str] = []
    for example in sorted(examples, key=lambda example: -example.support):
        values = arguments(example.arguments)
        is_there = tools is None or example.tool_name in tools
        if example.success and is_there and values is not None:
            texts.append(_call(example, values))
    return [Line(CALLS, text) for text in dict.fromkeys(texts)]


def _call(example: ToolCallExample, values: Mapping[str, Any]) -> str:
    """`Bash: go test ./dock → ok [7+ sessions]`. A result that was left out says nothing, nor does that of an edit."""
    call = f"{example.tool_name}: {_told_arguments(example.tool_name, values)}"
    is_silent = tool_kind(example.tool_name) in SILENT_KINDS
    result = "" if is_silent else _LEFT_OUT.sub(" ", example.result)
    outcome = _one_line(result, MAX_RESULT_CHARACTERS)
    arrow = " → " if outcome else ""
    rests_on = of_sessions(example.support)
    return f"{_one_line(call, MAX_CALL_CHARACTERS)}{arrow}{outcome} [{rests_on}]"


def _told_arguments(tool: str, values: Mapping[str, Any]) -> str:
    """A shell line as it is, other arguments by name, without the quotes and brackets of JSON."""
    if is_shell(tool):
        lines_typed = [values[key] for key in LINE_KEYS if key in values]
        if lines_typed and isinstance(lines_typed[0], str):
            return lines_typed[0]
    texts = {
        name: value if isinstance(value, str) else json.dumps(value)
        for name, value in values.items()
    }
    return ", ".join(f"{name}={text}" for name, text in texts.items())


def _one_line(text: str, limit: int) -> str:
    return clip(" ".join(printable(sendable(text)).split()), limit)
