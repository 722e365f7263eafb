"""The messages of a session -> a transcript in the home, redacted, which is then read like that of any agent."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from afterglow.config import Config
from afterglow.errors import Refused, StoreError, UsageError
from afterglow.flows.harvest import harvest
from afterglow.flows.read import scan
from afterglow.flows.redactor import redactor_of
from afterglow.flows.session import (
    PRIVATE_REASON,
    is_private,
    note_request,
    refuse_if_private,
)
from afterglow.folders import place_file, private
from afterglow.records.selection import below
from afterglow.sessions.message_lines import Line, message_lines
from afterglow.sessions.openai_chat import text_of
from afterglow.text.redact import Redactor

RECORDED = "recorded"  # the folder in the home; `forget` takes files out of it


class EndedCall(NamedTuple):
    """When a call's result was there, and whether the program said that it failed."""

    time: float
    failed: bool


_UNFIT = re.compile(r"[^A-Za-z0-9._-]+")


def record_messages(
    config: Config,
    messages: Iterable[Any],
    *,
    session: str,
    agent: str,
    cwd: Path,
    model: str = "",
    title: str = "",
    calls: Mapping[str, EndedCall] | None = None,
    begun: float | None = None,
    now: float | None = None,
) -> Path:
    """Keeps a whole session and learns from it at once. The same session again takes the place of the first. `calls`,
    by their ids, and when it began are what its messages do not say."""
    refuse_if_private(config)
    if not session or not agent:
        raise UsageError("a session and its agent need a name")
    now = time.time() if now is None else now
    spoken = [*message_lines(messages)]
    if not spoken:
        raise UsageError("there are no messages to record")
    _refuse_private(config, agent, session, cwd, spoken)
    about = {
        "session_id": session,
        "agent": agent,
        "cwd": str(cwd),
        "model": model,
        "title": title,
    }
    redactor = redactor_of(config)
    lines: list[dict[str, Any]] = [
        {name: value for name, value in about.items() if value}
    ]
    for line in _timed(spoken, calls or {}, now if begun is None else begun, now):
        lines.append(_redacted(line, redactor))
    content = b"".join(msgspec.json.encode(line) + b"\n" for line in lines)
    return _kept(config, agent, session, ".jsonl", content, now)


def record_trajectory(
    config: Config,
    trajectory: Mapping[str, Any],
    *,
    session: str,
    agent: str,
    cwd: Path,
    now: float | None = None,
) -> Path:
    """The same for a session that mini-swe-agent wrote down itself: one document, which names the session."""
    refuse_if_private(config)
    now = time.time() if now is None else now
    _refuse_private(config, agent, session, cwd, trajectory.get("messages") or ())
    redacted = _redacted(trajectory, redactor_of(config))
    content = msgspec.json.encode(redacted, enc_hook=str)
    return _kept(config, agent, session, ".traj.json", content, now)


def _kept(
    config: Config, agent: str, session: str, suffix: str, content: bytes, now: float
) -> Path:
    path = config.home / RECORDED / _fit(agent) / f"{_fit(session)}{suffix}"
    try:
        private(path.parent)
        place_file(path, content, mode=0o600)
    except OSError as error:
        raise StoreError(f"{path}: {error.strerror or error}") from error
    scan(config, [path])
    harvest(config, below(path), ended={session}, now=now)
    return path


def _refuse_private(
    config: Config, agent: str, session: str, cwd: Path, lines: Sequence[Line]
) -> None:
    """Before anything of it is written: what its folder, its settings or its own words say."""
    for line in lines:
        if line.get("role") == "user":
            request = text_of(line.get("content"))
            note_request(config, agent=agent, session=session, request=request)
    if is_private(config, agent=agent, session=session, cwd=cwd):
        raise Refused(PRIVATE_REASON)


def _timed(
    lines: Sequence[Line], calls: Mapping[str, EndedCall], begun: float, now: float
) -> Iterator[Line]:
    """With the times they were said at, as far as that is known: a message is as late as the last result before it."""
    moment = begun
    for place, line in enumerate(lines, start=1):
        call = calls.get(str(line.get("tool_call_id", "")))
        flag: Line = {}
        if call is not None:
            moment = call.time
            flag = {"is_error": True} if call.failed else {}
        yield {"timestamp": now if place == len(lines) else moment, **line, **flag}


def _redacted(value: Any, redactor: Redactor) -> Any:
    """All words below, whatever they stand in; names of fields stay."""
    if isinstance(value, str):
        return redactor.redact(value).text
    if isinstance(value, Mapping):
        return {name: _redacted(part, redactor) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [_redacted(part, redactor) for part in value]
    return value


def _fit(name: str) -> str:
    """A name for a file; two names never share one."""
    plain = _UNFIT.sub("-", name).strip(".-")[:60]
    if plain == name:
        return plain
    return f"{plain}-{blake2b(name.encode(), digest_size=4).hexdigest()}"
