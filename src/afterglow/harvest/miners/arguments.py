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
from afterglow.harvest.miners.recovery_sentences import MIN_SESSIONS, NAMES_REMEDY
from afterglow.harvest.trail import Step, Trail
from afterglow.records.knowledge import Finding, Telling
from afterglow.records.tools import family
from afterglow.text.clip import clip

NAME = "arguments"
VERSION = 1

MAX_CHANGED_ARGUMENTS = 3  # more is another question, not the same one put right
MAX_VALUE = 120  # characters: a longer value is free text
MAX_ERROR_READ = 600  # characters: a refusal says so at once
MAX_QUOTED_VALUE = 60  # characters of one value that can stand in a sentence
MAX_QUOTED_OLD, MAX_QUOTED_NEW = (
    120,
    160,
)  # of all that changed: the remedy matters more

# How directly a finding tells the remedy: the message named the argument; else the difference alone.
DIRECT_NAMED, DIRECT_CHANGE = 0.85, 0.75

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
            finding = _changed(trail, step, after) if after is not None else None
            if finding is not None:
                yield finding


def _accepted(trail: Trail, step: Step) -> Step | None:
    """The next call of the same tool that worked."""
    if not _REFUSING.search(step.call.error[:MAX_ERROR_READ]):
        return None
    near = trail.steps[step.index + 1 : step.index + 1 + REACH]
    return next((after for after in near if after.tool == step.tool and after.ok), None)


def _changed(trail: Trail, step: Step, after: Step) -> Finding | None:
    old, new = step.action.arguments.values, after.action.arguments.values
    names = [name for name in {**old, **new} if old.get(name) != new.get(name)]
    error = step.call.error
    if not old or not _can_be_remedy(names, old, new, error):
        return None
    went = ", ".join(f"{name}={_value(old[name])}" for name in names if name in old)
    came = ", ".join(_new_argument(name, new) for name in names)
    line, fingerprint = message(step)
    sure = "named" if mentions(error, set(names)) else "diff"
    slots = {
        "tool": step.tool,
        "went": clip(went, MAX_QUOTED_OLD),
        "came": clip(came, MAX_QUOTED_NEW),
        "error": line,
        "sure": "advice" if advises(error, came) else sure,
    }
    return Finding(
        NAME,
        f"arguments|{step.tool}|{fingerprint}|{'+'.join(sorted(names))}",
        slots,
        recovery(trail, step, after),
        fingerprint=fingerprint,
        cost=after.index - step.index,
    )


def _new_argument(name: str, new: Mapping[str, Any]) -> str:
    return f"{name}={_value(new[name])}" if name in new else f"no {name}"


def _can_be_remedy(
    names: Sequence[str], old: Mapping[str, Any], new: Mapping[str, Any], error: str
) -> bool:
    """The message names what changed, or the rest stayed the same; free text that changed is no remedy, and another
    record is not another shape."""
    if not names or len(names) > MAX_CHANGED_ARGUMENTS:
        return False
    texts = [_text(new.get(name)) for name in names]
    if any(len(text) > MAX_VALUE for text in texts):
        return False
    if any(map(_ID.search, texts)) and not _FORMAT.search(error):
        return False
    if any(_is_named(name, old.get(name), error) for name in names):
        return True
    some_stayed = any(old[name] == new.get(name) for name in old)
    return some_stayed and len(names) < MAX_CHANGED_ARGUMENTS


def _is_named(name: str, value: object, error: str) -> bool:
    if name in error:
        return True
    return isinstance(value, str) and bool(value) and value in error


def _text(value: object) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def _value(value: object) -> str:
    return clip(steady(_text(value)), MAX_QUOTED_VALUE)


def tell(findings: Sequence[Finding]) -> Telling | str:
    best = min((finding.slots for finding in findings), key=_length)
    error = best["error"].replace("`", "'")
    if is_mute(error):
        return "the failure has no message"
    sure = {finding.slots["sure"] for finding in findings}
    is_repeated = len({finding.first.session for finding in findings}) >= MIN_SESSIONS
    if not is_repeated and sure != {"named"}:
        return NAMES_REMEDY if "advice" in sure else "seen in one session"
    service = best["tool"].removeprefix("mcp__").partition("__")[0]
    situation = f"{best['tool']}({best['went']}) fails with '{error}'"
    remedy = f"use {best['came']}"
    return Telling(
        fact=f"{situation}; {remedy}.",
        category="tool-quirk",
        situation=situation,
        remedy=remedy,
        domain=service,
        directness=DIRECT_NAMED if "named" in sure else DIRECT_CHANGE,
        tags=(service, "arguments"),
    )


def _length(slots: dict[str, str]) -> tuple[int, str]:
    """The shortest difference tells best."""
    return len(slots["went"]) + len(slots["came"]), str(slots)
