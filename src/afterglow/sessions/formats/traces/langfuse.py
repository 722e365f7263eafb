"""Langfuse: observations as they are exported, a JSON list or a line each: generations, tools and what holds them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from afterglow.records.session import Damage, Mark, Session
from afterglow.sessions import json_document
from afterglow.sessions.formats.traces.spans import Span, sessions_of
from afterglow.sessions.jsonl_blocks import blocks
from afterglow.text.times import seconds

NAME = "langfuse"
_START = re.compile(rb"\s*\[?\s*\{")
_KEYS = (b'"traceId"', b'"startTime"', b'"type"')
_OPERATIONS = {"GENERATION": "chat", "TOOL": "execute_tool"}


class _Observation(Struct, gc=False):
    id: str = ""
    traceId: str | None = ""
    sessionId: str | None = None
    parentObservationId: str | None = None
    type: str = ""
    name: str | None = None
    startTime: str | None = None
    endTime: str | None = None
    level: str | None = None
    statusMessage: str | None = None
    model: str | None = None
    input: Any = None
    output: Any = None
    usage: dict[str, Any] | None = None
    usageDetails: dict[str, Any] | None = None
    metadata: Any = None


_decoder = msgspec.json.Decoder(_Observation)


def sniff(path: Path, head: bytes) -> bool:
    if not _START.match(head) or not all(key in head for key in _KEYS):
        return False
    kinds = (b'"GENERATION"', b'"SPAN"', b'"EVENT"', b'"TOOL"', b'"AGENT"')
    return b'"parentObservationId"' in head or any(kind in head for kind in kinds)


def read(path: Path, since: Mark = Mark()) -> Iterator[Session]:
    damage: list[Damage] = []
    spans = list(map(_span, *_observations(path, damage)))
    yield from sessions_of(spans, NAME, str(path), damage)


def _observations(
    path: Path, damage: list[Damage]
) -> tuple[list[_Observation], list[int]]:
    if json_document.is_list(path):
        listed = json_document.load(path, list[_Observation])
        return listed, list(range(1, len(listed) + 1))
    observations: list[_Observation] = []
    numbers: list[int] = []
    with path.open("rb") as file:
        for block in blocks(file, _decoder):
            damage += block.damage
            observations += block.values
            numbers += block.numbers
    return observations, numbers


def _span(observation: _Observation, line: int) -> Span:
    is_error = observation.level == "ERROR"
    return Span(
        id=observation.id,
        trace=observation.traceId or "",
        parent=observation.parentObservationId or "",
        name=observation.name or "",
        start=seconds(observation.startTime),
        end=seconds(observation.endTime),
        is_error=is_error,
        error=(observation.statusMessage or "") if is_error else "",
        attributes=_attributes(observation),
        line=line,
    )


def _attributes(observation: _Observation) -> dict[str, Any]:
    operation = _OPERATIONS.get(observation.type, "")
    attributes: dict[str, Any] = {
        "session.id": observation.sessionId,
        "gen_ai.operation.name": operation,
        "gen_ai.response.model": observation.model,
    }
    if operation == "chat":
        usage = observation.usageDetails or observation.usage or {}
        attributes |= {
            "langfuse.observation.input": observation.input,
            "langfuse.observation.output": observation.output,
            "gen_ai.usage.input_tokens": usage.get("input"),
            "gen_ai.usage.output_tokens": usage.get("output"),
        }
    elif operation:
        attributes |= {
            "gen_ai.tool.name": observation.name,
            "gen_ai.tool.call.arguments": observation.input,
            "gen_ai.tool.call.result": observation.output,
            "gen_ai.tool.call.id": _call_id(observation.metadata),
        }
    return attributes


def _call_id(metadata: Any) -> str:
    """Where an instrumentation has put it."""
    if not isinstance(metadata, dict):
        return ""
    id = metadata.get("tool_call_id") or metadata.get("toolCallId")
    return id if isinstance(id, str) else ""
