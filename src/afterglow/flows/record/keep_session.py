"""The messages of a session -> a transcript in the home, redacted, which is then read like that of any agent."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Mapping
from hashlib import blake2b
from pathlib import Path
from typing import Any

import msgspec

from afterglow.config import Config
from afterglow.errors import StoreError, UsageError
from afterglow.flows.harvest import harvest
from afterglow.flows.read import scan
from afterglow.flows.redactor import redactor_of
from afterglow.flows.session import refuse_if_private
from afterglow.folders import place_file, private
from afterglow.records.selection import below
from afterglow.sessions.message_lines import message_lines
from afterglow.text.redact import Redactor

RECORDED = "recorded"  # the folder in the home; `forget` takes files out of it

_UNFIT = re.compile(r"[^A-Za-z0-9._-]+")


def record_messages(
    config: Config,
    messages: Iterable[Mapping[str, Any]],
    *,
    session: str,
    agent: str,
    cwd: Path,
    model: str = "",
    title: str = "",
    now: float | None = None,
) -> Path:
    """Keeps a whole session and learns from it at once. The same session again takes the place of the first."""
    refuse_if_private(config)
    if not session or not agent:
        raise UsageError("a session and its agent need a name")
    now = time.time() if now is None else now
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
    for line in message_lines(messages):
        lines.append({"timestamp": now, **_redacted(line, redactor)})
    if len(lines) == 1:
        raise UsageError("there are no messages to record")
    path = config.home / RECORDED / _fit(agent) / f"{_fit(session)}.jsonl"
    content = b"".join(msgspec.json.encode(line) + b"\n" for line in lines)
    try:
        private(path.parent)
        place_file(path, content, mode=0o600)
    except OSError as error:
        raise StoreError(f"{path}: {error.strerror or error}") from error
    scan(config, [path])
    harvest(config, below(path), ended={session}, now=now)
    return path


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
