"""Why a tool took a call it had refused: what lay between the two calls, or which argument changed its shape."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from afterglow.calls import target_key
from afterglow.harvest.trail import Step

Arguments = Mapping[str, Any]

MIN_NAME, MAX_NAME = 3, 79  # characters: less is in any message, more is no name
MAX_CALLS_TO_OTHER_TOOL = 3  # later, another tool does something else
MAX_ERROR_READ = 300  # characters: what a tool objects to stands first
MIN_EXTENDED_TEXT = 4  # characters: fewer stand in any longer text

_MISMATCH = re.compile(r"(?i)not find|not found|match")
_AMBIGUOUS = re.compile(r"(?i)\bmatches\b|unique|occurrences|multiple|more than one")
_WINDOW = frozenset({"offset", "limit", "start_line", "end_line", "view_range"})
LISTED = re.compile(
    r"(?i)(?:available|valid|known|supported|allowed) [\w ]{2,20}(?:are|is)?:\s*([^\n]{3,2000})"
)


def full_name(error: str, old: Arguments) -> tuple[str, str] | None:
    """A wrong name, and the one out of the list in the message that it was meant to be."""
    listed = LISTED.search(error)
    if listed is None:
        return None
    values = [value for value in old.values() if _is_named(value, error)]
    for entry in listed[1].split(","):
        name = entry.strip(" `'\".")
        for value in values:
            if name.endswith((f":{value}", f"/{value}", f".{value}")):
                return value, name
    return None


def _is_named(value: object, error: str) -> bool:
    if not isinstance(value, str) or not MIN_NAME <= len(value) <= MAX_NAME:
        return False
    return f"'{value}'" in error


def remedy_of(
    step: Step, later: Sequence[Step], old: Arguments
) -> tuple[str, Step | None]:
    """What made the same tool accept the same target, in words, and the call that shows it."""
    target = old.get(target_key(old))
    between: list[Step] = []
    for after in later:
        if _has_same_target(step, after, old):
            if after.failed and after.turn != step.turn:
                return "", None
            if after.ok:
                return _difference(old, _arguments(after), between, step), after
        elif after.ok and target and str(target) in after.call.arguments:
            between.append(after)
    return _other_tool(step, between)


def _arguments(step: Step) -> Arguments:
    return {} if step.program else step.action.arguments.values


def _has_same_target(step: Step, after: Step, old: Arguments) -> bool:
    if after.tool != step.tool:
        return False
    key, new = target_key(old), _arguments(after)
    return not key or new.get(target_key(new)) == old.get(key)


def _other_tool(step: Step, between: Sequence[Step]) -> tuple[str, Step | None]:
    """Another tool that did the same at once; not in place of an edit, where a look is no substitute."""
    if not between or step.action.kind in {"edit", "write"}:
        return "", None
    first = between[0]
    if first.index - step.index > MAX_CALLS_TO_OTHER_TOOL:
        return "", None
    name = f"`{first.tool}`"
    if first.program:
        name = f"`{first.program.split(' ')[0]}` in the shell"
    return f"{name} on it instead", first


def _difference(
    old: Arguments, new: Arguments, between: Sequence[Step], step: Step
) -> str:
    """The surest explanation comes first: what the message names, what came and went, what was read in between."""
    changed = [key for key in {**old, **new} if old.get(key) != new.get(key)]
    return (
        _set_or_extended(changed, old, new, step.call.error)
        or _came_and_went(changed, old, new)
        or _read_between(changed, old, between, step)
    )


def _set_or_extended(
    changed: Sequence[str], old: Arguments, new: Arguments, error: str
) -> str:
    is_ambiguous = bool(_AMBIGUOUS.search(error[:MAX_ERROR_READ]))
    for key in changed:
        if new.get(key) is True and key in error:
            return f"set `{key}`"
        if is_ambiguous and _is_extended(old.get(key), new.get(key)):
            return f"extend `{key}` with neighbouring lines until it is unique"
    return ""


def _is_extended(old: object, new: object) -> bool:
    if not isinstance(old, str) or not isinstance(new, str):
        return False
    return len(new) > len(old) >= MIN_EXTENDED_TEXT and old.strip() in new


def _came_and_went(changed: Sequence[str], old: Arguments, new: Arguments) -> str:
    came = [key for key in changed if key not in old]
    went = [key for key in changed if key not in new]
    if came and _WINDOW.issuperset(came):
        pages = {"offset", "limit"}.intersection(came)
        keys = ["offset", "limit"] if pages else sorted(came)
        return f"read a part of it with {_listed(keys)}"
    return f"use {_listed(came)} instead of `{went[0]}`" if came and went else ""


def _listed(keys: Sequence[str]) -> str:
    return " and ".join(f"`{key}`" for key in keys)


def _read_between(
    changed: Sequence[str], old: Arguments, between: Sequence[Step], step: Step
) -> str:
    """What another tool showed in between was needed: the whole file, or its words to the letter."""
    tools = (item.tool for item in between if not item.program)
    reader = next((tool for tool in tools if tool != step.tool), "")
    if not reader:
        return ""
    if not _MISMATCH.search(step.call.error[:MAX_ERROR_READ]):
        return f"`{reader}` that file first, then repeat the call"
    texts = [key for key in changed if isinstance(old.get(key), str)]
    text = next((key for key in texts if not key.lower().startswith("new")), "")
    if not text:
        return ""
    return f"`{reader}` that file again and take `{text}` from it to the letter"
