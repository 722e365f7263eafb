"""Arguments: a tool refused what it was given, and took the same with another argument.

For tools that are neither shell nor files: services, sub-agents, skills. Another record (`id=1234` -> `id=5678`) is
data; another shape or name is a lesson.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from afterglow.calls import steady
from afterglow.harvest.failure_kinds import (
    REACH,
    advises,
    is_mute,
    mentions,
    message,
    recovery,
    repeats,
)
from afterglow.harvest.trail import Step, Trail
from afterglow.records.knowledge import Finding, Telling
from afterglow.records.tools import family
from afterglow.text.clip import clip

NAME = "arguments"
VERSION = 1

MOST = 3  # arguments that may have changed
FREE = 120  # characters from which a value is free text

_REFUSING = re.compile(
    r"(?i)invalid|validation|required|missing|must |not a valid|unknown|unrecognized|unexpected|not (?:a|an|found)\b"
    r"|non-\w+|expected"
)
_FORMAT = re.compile(r"(?i)uuid|format|must be|type\b|identifier")
_ID = re.compile(r"\d{4,}|[0-9a-f]{8}-[0-9a-f]{4}-")


def mine(trail: Trail) -> Iterator[Finding]:
    for step in trail.steps:
        if (
            step.failed
            and family(step.tool) == "other"
            and not repeats(trail.steps, step)
        ):
            after = _accepted(trail, step)
            if after is not None and (finding := _changed(trail, step, after)):
                yield finding


def _accepted(trail: Trail, step: Step) -> Step | None:
    """The next call of the same tool that worked."""
    if not _REFUSING.search(step.call.error[:600]):
        return None
    near = trail.steps[step.index + 1 : step.index + 1 + REACH]
    return next((after for after in near if after.tool == step.tool and after.ok), None)


def _changed(trail: Trail, step: Step, after: Step) -> Finding | None:
    error, old, new = (
        step.call.error,
        step.action.arguments.values,
        after.action.arguments.values,
    )
    names = [name for name in {**old, **new} if old.get(name) != new.get(name)]
    if not old or not names or len(names) > MOST or not _blamed(names, old, new, error):
        return None
    if any(_ID.search(_text(new.get(name))) for name in names) and not _FORMAT.search(
        error
    ):
        return None  # another record, not another shape
    went = ", ".join(f"{name}={_value(old[name])}" for name in names if name in old)
    came = ", ".join(
        [
            f"{name}={_value(new[name])}" if name in new else f"no {name}"
            for name in names
        ]
    )
    line, mark = message(step)
    slots = {
        "tool": step.tool, "went": clip(went, 120), "came": clip(came, 160), "error": line,
        "sure": "advice" if advises(error, came) else "named" if mentions(error, set(names)) else "diff",
    }  # fmt: skip
    topic = f"arguments|{step.tool}|{mark}|{'+'.join(sorted(names))}"
    cost = after.index - step.index
    return Finding(
        NAME, topic, slots, recovery(trail, step, after), fingerprint=mark, cost=cost
    )


def _blamed(
    names: list[str], old: Mapping[str, Any], new: Mapping[str, Any], error: str
) -> bool:
    """The message names what changed, or the rest stayed the same; free text that changed is no remedy."""
    if any(len(_text(new.get(name))) > FREE for name in names):
        return False
    stayed = any(old[name] == new.get(name) for name in old)
    named = any(
        name in error
        or (isinstance(old.get(name), str) and old[name] and old[name] in error)
        for name in names
    )
    return named or (stayed and len(names) < MOST)


def _text(value: object) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def _value(value: object) -> str:
    return clip(steady(_text(value)), 60)


def tell(findings: Sequence[Finding]) -> Telling | str:
    best = min(
        (f.slots for f in findings),
        key=lambda slots: (len(slots["went"]) + len(slots["came"]), str(slots)),
    )
    error = best["error"].replace("`", "'")
    if is_mute(error):
        return "the failure has no message"
    sure = {f.slots["sure"] for f in findings}
    service = best["tool"].removeprefix("mcp__").partition("__")[0]
    situation, remedy = (
        f"{best['tool']}({best['went']}) fails with '{error}'",
        f"use {best['came']}",
    )
    return Telling(
        fact=f"{situation}; {remedy}.", category="tool-quirk", situation=situation, remedy=remedy, domain=service,
        directness=0.9 if "advice" in sure else 0.85 if "named" in sure else 0.75, tags=(service, "arguments"),
    )  # fmt: skip
