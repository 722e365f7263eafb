"""Spans in SQLite, a row each with the attributes in a table beside it, as Copilot Chat's own collector keeps them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from afterglow.records.session import Mark, Session
from afterglow.sessions.formats.traces.otlp import ERROR
from afterglow.sessions.formats.traces.spans import Span, sessions_of
from afterglow.sessions.sqlite_source import Source, holds, opened
from afterglow.text.times import seconds

NAME = "otel-db"
_TABLES = {
    "spans": {"span_id", "trace_id", "name", "start_time_ms"},
    "span_attributes": {"span_id", "key", "value"},
}
_COLUMNS = (
    "span_id", "trace_id", "parent_span_id", "name", "start_time_ms", "end_time_ms", "status_code",
    "status_message",
)  # fmt: skip
_FROM_EVENTS = "user_message"  # the event that holds what a person asked


def sniff(path: Path, head: bytes) -> bool:
    return holds(path, head, _TABLES)


def read(path: Path, since: Mark = Mark()) -> Iterator[Session]:
    with opened(path) as source:
        yield from sessions_of(_spans(source), NAME, str(path))


def _spans(source: Source) -> Iterator[Span]:
    attributes: dict[str, dict[str, Any]] = defaultdict(dict)
    for id, key, value in source.rows(
        "SELECT span_id, key, value FROM span_attributes"
    ):
        attributes[id][key] = value
    columns = source.select("spans", _COLUMNS)
    query = f"SELECT rowid, {columns} FROM spans ORDER BY start_time_ms, rowid"
    for row in source.rows(query):
        line, id, trace, parent, name, start, end, code, message = row
        is_error = code == ERROR
        yield Span(
            id=id,
            trace=trace,
            parent=parent or "",
            name=name,
            start=seconds(start),
            end=seconds(end),
            is_error=is_error,
            error=(message or "") if is_error else "",
            attributes=attributes[id],
            line=line,
        )
    yield from _requests(source, attributes)


def _requests(source: Source, attributes: dict[str, dict[str, Any]]) -> Iterator[Span]:
    """What was asked, where it stands in an event of a span and in no message."""
    if not source.columns("span_events"):
        return
    query = (
        "SELECT e.span_id, s.trace_id, s.rowid, e.timestamp_ms, e.attributes FROM span_events e "
        "JOIN spans s ON s.span_id = e.span_id WHERE e.name = ?"
    )
    for id, trace, line, time, text in source.rows(query, _FROM_EVENTS):
        try:
            event = msgspec.json.decode(text, type=dict[str, Any])
        except (msgspec.DecodeError, TypeError):
            continue
        content = event.get("content")
        yield Span(
            id=id,
            trace=trace,
            parent=id,
            start=seconds(time),
            attributes={"gen_ai.operation.name": "chat", "gen_ai.prompt": content},
            line=line,
        )
