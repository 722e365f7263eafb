"""OpenTelemetry's own JSON, as a collector's file exporter writes it: one document, or a line an export.

Spans follow the GenAI conventions or OpenInference. Of log records, the events of Claude Code are read: its prompts (if it
is told to send them) and the results of its tools.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from afterglow.errors import UnreadableSource
from afterglow.records.session import Damage, Mark, Session
from afterglow.sessions.formats.traces.spans import Span, sessions_of
from afterglow.sessions.jsonl_blocks import blocks
from afterglow.text.times import seconds

NAME = "otlp"
MAX_FILE_BYTES = (
    256 << 20
)  # its spans are held together: conversations lie across lines
ERROR = 2  # as the status of a span

_START = re.compile(rb'\{\s*"resource(?:Spans|Logs)"\s*:')
_KINDS = ("stringValue", "intValue", "doubleValue", "boolValue")


class _Attribute(Struct, gc=False):
    key: str
    value: dict[str, Any] | None = None


class _Status(Struct, gc=False):
    code: int | str | None = 0
    message: str | None = ""


class _Span(Struct, gc=False):
    traceId: str = ""
    spanId: str = ""
    parentSpanId: str | None = ""
    name: str = ""
    startTimeUnixNano: str | int = 0
    endTimeUnixNano: str | int = 0
    attributes: list[_Attribute] = []
    status: _Status | None = None


class _Log(Struct, gc=False):
    timeUnixNano: str | int = 0
    body: dict[str, Any] | None = None
    attributes: list[_Attribute] = []


class _Scope(Struct, gc=False):
    spans: list[_Span] = []
    logRecords: list[_Log] = []


class _Resource(Struct, gc=False):
    attributes: list[_Attribute] = []


class _Group(Struct, gc=False):
    resource: _Resource | None = None
    scopeSpans: list[_Scope] = []
    scopeLogs: list[_Scope] = []


class _Export(Struct, gc=False):
    resourceSpans: list[_Group] = []
    resourceLogs: list[_Group] = []


_decoder = msgspec.json.Decoder(_Export)


def sniff(path: Path, head: bytes) -> bool:
    return bool(_START.match(head))


def read(path: Path, since: Mark = Mark()) -> Iterator[Session]:
    size = path.stat().st_size
    if size > MAX_FILE_BYTES:
        limit = f"{MAX_FILE_BYTES >> 20} MB"
        raise UnreadableSource(
            f"{path}: {size >> 20} MB of traces in one file; {limit} is the most; "
            "have the collector rotate it"
        )
    damage: list[Damage] = []
    spans = list(_spans(path, damage))
    yield from sessions_of(spans, NAME, str(path), damage)
    if damage and not spans:
        raise UnreadableSource(f"{path}: {damage[0].reason}")


def _spans(path: Path, damage: list[Damage]) -> Iterator[Span]:
    content = path.read_bytes()
    try:
        yield from _of_export(_decoder.decode(content), 1)
        return
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        del content  # not one document: a line an export
    with path.open("rb") as file:
        for block in blocks(file, _decoder):
            damage += block.damage
            for number, export in zip(block.numbers, block.values, strict=True):
                yield from _of_export(export, number)


def _of_export(export: _Export, line: int) -> Iterator[Span]:
    for group in export.resourceSpans:
        service = _service(group)
        for scope in group.scopeSpans:
            for span in scope.spans:
                yield _of_span(span, service, line)
    for group in export.resourceLogs:
        service = _service(group)
        for scope in group.scopeLogs:
            for log in scope.logRecords:
                yield _of_log(log, service, line)


def _service(group: _Group) -> str:
    named = _plain(group.resource.attributes if group.resource else [])
    name = str(named.get("service.name") or "")
    return re.sub(r"[^\w.-]+", "-", name.lower()).strip("-")


def _of_span(span: _Span, service: str, line: int) -> Span:
    status = span.status or _Status()
    attributes = _plain(span.attributes)
    error = str(attributes.get("error.type") or "")
    is_error = status.code in {ERROR, "STATUS_CODE_ERROR"} or bool(error)
    return Span(
        id=span.spanId,
        trace=span.traceId,
        parent=span.parentSpanId or "",
        name=span.name,
        start=_time(span.startTimeUnixNano),
        end=_time(span.endTimeUnixNano),
        is_error=is_error,
        error=(status.message or error) if is_error else "",
        attributes=attributes,
        service=service,
        line=line,
    )


def _of_log(log: _Log, service: str, line: int) -> Span:
    """An event of Claude Code, as the span it would be."""
    attributes = _plain(log.attributes)
    event = str(attributes.get("event.name") or _value(log.body) or "")
    time = _time(log.timeUnixNano) or seconds(attributes.get("event.timestamp"))
    span = Span(
        trace=str(attributes.get("session.id") or ""),
        name=event,
        start=time,
        end=time,
        attributes={"session.id": attributes.get("session.id")},
        service=service,
        line=line,
    )
    if event.endswith("user_prompt"):
        span.attributes |= {"gen_ai.operation.name": "chat"}
        span.attributes |= {"gen_ai.input.messages": attributes.get("prompt")}
    elif event.endswith("tool_result"):
        span.attributes |= attributes | {"gen_ai.operation.name": "execute_tool"}
        span.is_error = str(attributes.get("success")).lower() == "false"
        span.error = str(attributes.get("error") or "") if span.is_error else ""
    return span


def _time(nanoseconds: str | int) -> float | None:
    text = str(nanoseconds)
    return seconds(int(text)) if text.isdecimal() and int(text) else None


def _plain(attributes: list[_Attribute]) -> dict[str, Any]:
    return {attribute.key: _value(attribute.value) for attribute in attributes}


def _value(value: dict[str, Any] | None) -> Any:
    """A value out of the object that names its type."""
    if not isinstance(value, dict):
        return value
    for kind in _KINDS:
        if kind in value:
            return int(value[kind]) if kind == "intValue" else value[kind]
    if isinstance(array := value.get("arrayValue"), dict):
        return [_value(entry) for entry in array.get("values") or ()]
    if isinstance(pairs := value.get("kvlistValue"), dict):
        entries = pairs.get("values") or ()
        return {entry.get("key"): _value(entry.get("value")) for entry in entries}
    return None
