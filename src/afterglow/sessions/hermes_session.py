"""Hermes sessions as Hermes keeps them (a row per session, a row per message) -> `Session`.

The database, its export and the JSON snapshots hold the same rows, and are read by the same rules.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec
from msgspec import Struct

from afterglow.records.session import Damage, Mark, Session, Usage
from afterglow.sessions.assembly import Assembly
from afterglow.sessions.chat import hear, text_of
from afterglow.sessions.hermes_results import HERMES
from afterglow.sessions.hermes_transcript import Row, transcript
from afterglow.text.times import seconds

AGENT = "hermes"
ORIGINS = {"cron": "cron", "subagent": "subagent", "tool": "tool"}


class Header(Struct, kw_only=True):
    """The row of a session: the columns used here. An older or newer database may lack any but the id."""

    id: str
    source: str | None = None
    model: str | None = None
    model_config: Any = None
    parent_session_id: str | None = None
    started_at: float | str | None = None
    ended_at: float | str | None = None
    end_reason: str | None = None
    title: str | None = None
    cwd: str | None = None
    git_branch: str | None = None
    git_repo_root: str | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    cache_read_tokens: int | None = None
    cache_write_tokens: int | None = None
    reasoning_tokens: int | None = None
    estimated_cost_usd: float | None = None
    actual_cost_usd: float | None = None


def build(
    header: Header,
    rows: Sequence[Row],
    facts: dict[str, str],
    *,
    parent_ended: str = "",
    before: Sequence[Row] = (),
    damage: Iterable[Damage] = (),
) -> Session:
    """A session from its rows. `before` are the rows of the session it continues, which it starts by repeating."""
    config = _config(header.model_config)
    assembly = Assembly(**facts, id=header.id, agent=AGENT, origin=ORIGINS.get(header.source or "", "main"))
    assembly.hurt(damage)
    assembly.learn(
        model=header.model,
        title=header.title,
        cwd=header.cwd,
        branch=header.git_branch,
        git_root=header.git_repo_root,
        parent=header.parent_session_id,
        parent_by=_parent_by(header, config, parent_ended),
        start=seconds(header.started_at),
        end=seconds(header.ended_at),
        usage=_usage(header),
        window=next((n for name in ("context_length", "context_window") if isinstance(n := config.get(name), int)), 0),
        ending="closed" if header.ended_at or header.end_reason else "",
    )
    kept, assembly.compacted = transcript(rows, before)
    for row in kept:
        row.name = row.name or row.tool_name
        if row.observed and row.role == "user":
            assembly.said("user", text_of(row.content), row.id, seconds(row.timestamp), "injected")
        else:
            hear(assembly, row, row.id, HERMES)
    return assembly.part(Mark())


def _config(value: object) -> dict[str, Any]:
    if isinstance(value, str):
        try:
            value = msgspec.json.decode(value)
        except (msgspec.DecodeError, RecursionError):
            return {}
    return value if isinstance(value, dict) else {}


def _parent_by(header: Header, config: dict[str, Any], parent_ended: str) -> str:
    """A marker names the session it was made from; a continuation inherits the marker but has another parent."""
    parent = header.parent_session_id
    if not parent:
        return ""
    markers = {"branch": config.get("_branched_from"), "subagent": config.get("_delegate_from")}
    for how, marker in markers.items():
        if marker == parent:
            return how
    if parent_ended == "compression":
        return "compaction"
    if header.source == "subagent":
        return "subagent"
    return next((how for how, marker in markers.items() if marker), "")


def _usage(header: Header) -> Usage:
    return Usage(
        header.input_tokens or 0,
        header.output_tokens or 0,
        header.cache_read_tokens or 0,
        header.cache_write_tokens or 0,
        header.reasoning_tokens or 0,
        cost=header.actual_cost_usd or header.estimated_cost_usd or 0.0,
    )
