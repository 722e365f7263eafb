"""Example calls made ready to be sent: arguments that can be read, a result, nothing that would be refused."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable
from typing import NamedTuple

from msgspec.structs import replace

from afterglow.records.context import MARK
from afterglow.records.template import ROOT, ToolCallExample
from afterglow.text.clip import clip
from afterglow.warm.inject.validate import arguments, fits

# What matters of a result was cut out when it was extracted: this only bounds foreign templates.
MAX_RESULT_CHARACTERS = 2000
NO_OUTPUT = "(no output)"

_UNSENDABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")


class Ready(NamedTuple):
    """A call and its result as every format takes them; `place` is where it stood in the seed, `weight` its support."""

    tool: str
    arguments: str  # JSON text, an object
    result: str
    place: int
    weight: int
    id: str = ""


def sendable(text: str) -> str:
    """The text without control and half characters, and without the id of an earlier delivery: an id that came along
    inside an example would prove a delivery that never was."""
    return MARK.sub("ag-…", _UNSENDABLE.sub("\ufffd", text))


def placed(examples: Iterable[ToolCallExample], root: str) -> list[ToolCallExample]:
    """Examples as they would stand in a session that works in `root`; where that is not known they keep the sign."""
    if not root:
        return list(examples)
    folder = root.rstrip("/\\")
    quoted = json.dumps(folder, ensure_ascii=False)[1:-1]  # arguments are JSON text
    return [
        replace(
            example,
            arguments=example.arguments.replace(ROOT, quoted),
            result=example.result.replace(ROOT, folder),
        )
        for example in examples
    ]


def ready(
    examples: Iterable[ToolCallExample],
    name: re.Pattern[str],
    tools: Collection[str] | None,
) -> tuple[list[Ready], list[tuple[ToolCallExample, int, str]]]:
    """The calls that can be shown to a target with those tools, and the others with the reason."""
    fit: list[Ready] = []
    unfit: list[tuple[ToolCallExample, int, str]] = []
    for place, example in enumerate(examples):
        reason = _unfit(example, name, tools)
        if reason:
            unfit.append((example, place, reason))
        else:
            fit.append(_ready(example, place))
    return fit, unfit


def _unfit(
    example: ToolCallExample, name: re.Pattern[str], tools: Collection[str] | None
) -> str:
    if not example.success:
        return "the call failed"
    if tools is not None and example.tool_name not in tools:
        return "the target has no such tool"
    if not fits(name, example.tool_name):
        return "the format does not allow the name of the tool"
    if arguments(example.arguments) is None:
        return "its arguments are no JSON object"
    return ""


def _ready(example: ToolCallExample, place: int) -> Ready:
    values = arguments(example.arguments)
    text = sendable(json.dumps(values, ensure_ascii=False, separators=(",", ":")))
    result = clip(sendable(example.result).strip(), MAX_RESULT_CHARACTERS) or NO_OUTPUT
    return Ready(example.tool_name, text, result, place, example.support)
