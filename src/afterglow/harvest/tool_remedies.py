"""Why a tool took a call it had refused: what lay between the two calls, or which argument changed its shape."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from afterglow.calls import target_key
from afterglow.harvest.trail import Step

Arguments = Mapping[str, Any]

_MISMATCH = re.compile(r"(?i)not find|not found|match")
_AMBIGUOUS = re.compile(r"(?i)\bmatches\b|unique|occurrences|multiple|more than one")
_WINDOW = frozenset({"offset", "limit", "start_line", "end_line", "view_range"})
LISTED = re.compile(
    r"(?i)(?:available|valid|known|supported|allowed) [\w ]{2,20}(?:are|is)?:\s*([^\n]{3,2000})"
)


def full_name(error: str, old: Arguments) -> tuple[str, str] | None:
    """A wrong name, and the one out of the list in the message that it was meant to be."""
    listed = LISTED.search(error)
    names = [name.strip(" `'\".") for name in listed[1].split(",")] if listed else []
    given = [
        value
        for value in old.values()
        if isinstance(value, str) and 2 < len(value) < 80 and f"'{value}'" in error
    ]
    pairs = ((value, name) for name in names for value in given)
    return next(
        (
            (value, name)
            for value, name in pairs
            if name.endswith((f":{value}", f"/{value}", f".{value}"))
        ),
        None,
    )


def remedy_of(
    step: Step, later: Sequence[Step], old: Arguments
) -> tuple[str, Step | None]:
    """What made the same tool accept the same target, in words, and the call that shows it."""
    key = target_key(old)
    target = old.get(key)
    between: list[Step] = []
    for after in later:
        new = after.action.arguments.values if not after.program else {}
        if after.tool == step.tool and (not key or new.get(target_key(new)) == target):
            if after.failed and after.turn != step.turn:
                return "", None
            if after.ok:
                return _difference(old, new, between, step), after
        elif after.ok and target and str(target) in after.call.arguments:
            between.append(after)
    if (
        between
        and between[0].index - step.index <= 3
        and step.action.kind not in {"edit", "write"}
    ):
        between_step = between[0]
        name = (
            f"`{between_step.program.split(' ')[0]}` in the shell"
            if between_step.program
            else f"`{between_step.tool}`"
        )
        return f"{name} on it instead", between_step
    return "", None


def _difference(old: Arguments, new: Arguments, between: list[Step], step: Step) -> str:
    changed = [key for key in {**old, **new} if old.get(key) != new.get(key)]
    read = next(
        (
            between_step.tool
            for between_step in between
            if not between_step.program and between_step.tool != step.tool
        ),
        "",
    )
    for key in changed:
        was, now = old.get(key), new.get(key)
        if now is True and key in step.call.error:
            return f"set `{key}`"
        longer = (
            isinstance(was, str)
            and isinstance(now, str)
            and len(now) > len(was) > 3
            and was.strip() in now
        )
        if longer and _AMBIGUOUS.search(step.call.error[:300]):
            return f"extend `{key}` with neighbouring lines until it is unique"
    came, went = (
        [key for key in changed if key not in old],
        [key for key in changed if key not in new],
    )
    if came and _WINDOW.issuperset(came):
        keys = (
            ("offset", "limit")
            if {"offset", "limit"}.intersection(came)
            else sorted(came)
        )
        return f"read a part of it with {' and '.join(f'`{key}`' for key in keys)}"
    if came and went:
        return f"use {' and '.join(f'`{key}`' for key in came)} instead of `{went[0]}`"
    if read and _MISMATCH.search(step.call.error[:300]):
        texts = [key for key in changed if isinstance(old.get(key), str)]
        text = next((key for key in texts if not key.lower().startswith("new")), "")
        return (
            f"`{read}` that file again and take `{text}` from it to the letter"
            if text
            else ""
        )
    return f"`{read}` that file first, then repeat the call" if read else ""
