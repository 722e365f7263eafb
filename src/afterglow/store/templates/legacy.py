"""Files of older tools (`~/.hermes/warm_templates/*.json`, `~/.hermes/session-templates/*.json`) as templates of ours.

They differ in where they put things, so a value is looked for under each of its names; what is not understood is left
out. A call that failed is no example. What such a tool counted stays a note: success is what our own ledger proves.
"""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime
from typing import Any

import msgspec

from afterglow.errors import UnreadableSource
from afterglow.records.template import (
    ContextMarkers,
    SessionSeed,
    ToolCallExample,
    UserPatterns,
    WarmTemplate,
)
from afterglow.records.tools import TaskType, family, task_type
from afterglow.store.templates.entries import LATEST, is_object

MOST = 1000  # characters of a result that are kept
COUNTED = (
    "usage",
    "usage_count",
    "use_count",
    "uses",
    "success_count",
    "success_rate",
    "successes",
)

Plain = dict[str, Any]


def looks_older(value: object) -> bool:
    """Whether a JSON value is what older tools write: a name or an id, and examples."""
    return (
        isinstance(value, dict)
        and bool(_examples_of(value))
        and bool(_text(value, "name", "id", "template_id"))
    )


def read(value: Plain, name: str) -> WarmTemplate:
    """The template in a file of an older tool. Its id may not be one of ours: keeping it gives it one."""
    rows = [row for row in _examples_of(value) if isinstance(row, dict)]
    examples = tuple(example for row in rows if (example := _example(row)) is not None)
    if not examples:
        raise UnreadableSource(
            f"{name} has no successful call with a tool's name and arguments; nothing to take in"
        )
    seed, patterns, markers = (
        _inner(value, "seed", "session_seed"),
        _inner(value, "user_patterns"),
        _markers(value),
    )
    counted = {key: _short(value[key]) for key in COUNTED if key in value}
    sessions = _words(value, "source_sessions", "source_session_ids") or _words(
        value, "source_session", "source_session_id", "session_id"
    )
    notes = {
        "from": "an older tool",
        **{f"{key} there": count for key, count in counted.items()},
    }
    if len(examples) < len(rows):
        notes["left out"] = (
            f"{len(rows) - len(examples)} calls that failed or cannot be read"
        )
    id = _text(value, "id", "template_id")
    return WarmTemplate(
        id=id,
        name=_text(value, "name") or id,
        description=_text(value, "description"),
        task_type=_type(value, examples),
        tags=_words(value, "tags"),
        source_sessions=sessions,
        agent="hermes",
        created=_time(value.get("created_at", value.get("created"))),
        made_by="import",
        notes=notes,
        seed=SessionSeed(
            system_context=_text({**seed, **value}, "system_context"),
            tool_examples=examples,
            user_patterns=UserPatterns(
                request_style=_text(patterns, "request_style"),
                feedback_style=_text(patterns, "feedback_style"),
                conventions=_words(patterns, "conventions", "preferences"),
                corrections=_words(patterns, "corrections"),
            ),
            context_markers=markers,
        ),
    )


def _example(row: Plain) -> ToolCallExample | None:
    tool, arguments = (
        _text(row, "tool_name", "tool", "name"),
        row.get("arguments", row.get("args", {})),
    )
    if not isinstance(arguments, str):
        arguments = msgspec.json.encode(arguments).decode()
    if not tool or row.get("success", True) is not True or not is_object(arguments):
        return None
    result = row.get("result", "")
    text = result if isinstance(result, str) else msgspec.json.encode(result).decode()
    turn = row.get("turn_number")
    return ToolCallExample(
        tool,
        arguments,
        text[:MOST],
        True,
        turn if type(turn) is int and turn >= 0 else 0,
    )


def _examples_of(value: Plain) -> list[Any]:
    for holder in (value, _inner(value, "seed", "session_seed")):
        for name in ("examples", "tool_examples"):
            if isinstance(holder.get(name), list) and holder[name]:
                return list(holder[name])
    return []


def _markers(value: Plain) -> ContextMarkers:
    held = _inner(value, "context_markers") or _inner(
        _inner(value, "seed", "session_seed"), "context_markers"
    )
    return ContextMarkers(
        *(_words(held, name) for name in ContextMarkers.__struct_fields__)
    )


def _type(value: Plain, examples: tuple[ToolCallExample, ...]) -> TaskType:
    """What the file says, or else what its tools are."""
    name = _text(value, "task_type", "type").lower()
    kinds = {kind.value: kind for kind in TaskType}
    return kinds.get(name) or task_type(
        Counter(family(example.tool_name) for example in examples)
    )


def _inner(value: Plain, *names: str) -> Plain:
    return next(
        (value[name] for name in names if isinstance(value.get(name), dict)), {}
    )


def _text(value: Plain, *names: str) -> str:
    return next(
        (value[name].strip() for name in names if isinstance(value.get(name), str)), ""
    )


def _words(value: Plain, *names: str) -> tuple[str, ...]:
    for name in names:
        words = value.get(name)
        texts = (
            [words]
            if isinstance(words, str)
            else words
            if isinstance(words, list)
            else []
        )
        if texts:
            return tuple(
                word.strip() for word in texts if isinstance(word, str) and word.strip()
            )
    return ()


def _short(value: object) -> str:
    return (value if isinstance(value, str) else msgspec.json.encode(value).decode())[
        :200
    ]


def _time(value: object) -> float:
    """Seconds since 1970, from a number or a date; 0 where it says nothing."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value) if 0 < value < LATEST else 0.0
    if not isinstance(value, str):
        return 0.0
    try:
        stamp = datetime.fromisoformat(value)
    except ValueError:
        return 0.0
    seconds = (stamp if stamp.tzinfo else stamp.replace(tzinfo=UTC)).timestamp()
    return seconds if 0 < seconds < LATEST else 0.0
