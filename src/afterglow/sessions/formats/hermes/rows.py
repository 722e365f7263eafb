"""Hermes sessions as Hermes keeps them (a row per session, a row per message) -> `Session`.

The database, its export and the JSON snapshots hold the same rows, and are read by the same rules.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import msgspec
from msgspec import Struct

from afterglow.records.session import Damage, Kind, Mark, Session, Usage, Voice
from afterglow.sessions.appended_file import PART_CHARACTERS
from afterglow.sessions.assembly import Assembly
from afterglow.sessions.formats.hermes.results import HERMES, STEER_OPEN, cut_steer
from afterglow.sessions.formats.hermes.transcript import Row, prior, transcript
from afterglow.sessions.openai_chat import hear, text_of
from afterglow.text.times import seconds

AGENT = "hermes"
ORIGINS = {"cron": "cron", "subagent": "subagent", "tool": "tool"}
# Where a person types: a screen of their own, or a messenger in which the gateway admits them. `cli` is not among them:
# `hermes chat -q` is filed the same.
WITH_PEOPLE = frozenset(
    """tui desktop telegram discord whatsapp whatsapp_cloud slack signal mattermost matrix sms dingtalk feishu wecom
    weixin bluebubbles qqbot yuanbao""".split()
)
UNSTATED = frozenset({"cli", "acp", "local", "unknown", ""})
ALONE = frozenset({"", "dm"})  # a chat in which nobody else writes
WINDOWS = ("context_length", "context_window")
MACHINERY = frozenset(
    {
        "hidden",
        "internal_notification",
        "process_complete",
        "model_switch",
        "auto_continue",
    }
)


class Header(Struct, kw_only=True):
    """The row of a session: the columns used here. An older or newer database may lack any but the id."""

    id: str
    source: str | None = None
    chat_type: str | None = None
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
    rows: Iterable[Row],
    facts: Mapping[str, Any],
    *,
    parent_ended: str = "",
    before: Iterable[Row] = (),
    damage: Iterable[Damage] = (),
    copied: int = 0,
) -> Iterator[Session]:
    """A session from its rows, a long one in parts. The rows are gone through twice: what to keep is known at the end.

    `before` are the rows of the session that this one continues where its parent ended by compression. Rows up to
    the id `copied` are another session's.
    """
    config = _config(header.model_config)
    voice = _voice(header)
    assembly = Assembly(
        **facts,
        id=header.id,
        agent=AGENT,
        origin=ORIGINS.get(header.source or "", "main"),
    )
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
        window=_window(config),
        ending="closed" if header.ended_at or header.end_reason else "",
    )
    assembly.voice = voice
    if (usage := _usage(header)) != Usage():
        assembly.spend(usage)
    continues = assembly.facts.get("parent_by") == "compaction"
    spoken = transcript(rows, before if continues else ())
    assembly.compacted = [id for id in spoken.compacted if id > copied]
    for row in rows:
        if row.id <= copied:
            continue
        if row.id not in spoken.row_ids:
            _hear_undone(assembly, row)
            continue
        is_long = assembly.weight > PART_CHARACTERS
        if is_long and (settled := assembly.settled(still=False)):
            yield assembly.part(Mark(), settled)
        _hear(assembly, row)
    assembly.hurt(dict.fromkeys(damage))
    yield assembly.part(Mark())


def _voice(header: Header) -> Voice:
    source = header.source or ""
    if source in UNSTATED:
        return "unstated"
    is_alone = (header.chat_type or "") in ALONE
    return "typed" if source in WITH_PEOPLE and is_alone else "outside"


def _window(config: dict[str, Any]) -> int:
    sizes = (config.get(name) for name in WINDOWS)
    return next((size for size in sizes if isinstance(size, int)), 0)


def _hear_undone(assembly: Assembly, row: Row) -> None:
    """A request its author took back; other rows that are not spoken are copies and summaries."""
    if row.role != "user" or row.active or row.compacted:
        return
    if text := text_of(row.content):
        assembly.said("user", text, row.id, seconds(row.timestamp), "undone")


def _hear(assembly: Assembly, row: Row) -> None:
    row.name = row.name or row.tool_name
    row.content = prior(row.content)
    if row.role != "user":
        hear(assembly, row, row.id, HERMES)
        return
    time = seconds(row.timestamp)
    text = text_of(row.content)
    kind: Kind = "said"
    if text.startswith(STEER_OPEN):
        _, text = cut_steer(text)
        kind = "steer"
    elif row.observed or row.display_kind in MACHINERY:
        kind = "injected"
    if kind == "said":
        hear(assembly, row, row.id, HERMES)
    else:
        assembly.said("user", text, row.id, time, kind)
    if isinstance(row.api_content, str):
        added = row.api_content.removeprefix(text).strip()
        if added:
            assembly.said("user", added, row.id, time, "injected")


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
    markers = {
        "branch": config.get("_branched_from"),
        "subagent": config.get("_delegate_from"),
    }
    for how, marker in markers.items():
        if marker == parent:
            return how
    if parent_ended == "compression":
        return "compaction"
    if header.source == "subagent":
        return "subagent"
    return next((how for how, marker in markers.items() if marker), "")


def _usage(header: Header) -> Usage:
    """SQLite does not mind words in a column of numbers; what is no number counts as nothing."""
    tokens = (
        header.input_tokens,
        header.output_tokens,
        header.cache_read_tokens,
        header.cache_write_tokens,
        header.reasoning_tokens,
    )
    sent, got, read, wrote, thought = (
        value if isinstance(value, int) else 0 for value in tokens
    )
    return Usage(
        input=sent,
        output=got,
        cache_read=read,
        cache_write=wrote,
        reasoning=thought,
        cost=_cost(header),
    )


def _cost(header: Header) -> float:
    for value in (header.actual_cost_usd, header.estimated_cost_usd):
        if isinstance(value, int | float) and value:
            return float(value)
    return 0.0
