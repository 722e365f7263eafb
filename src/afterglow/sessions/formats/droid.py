"""Droid (Factory): `~/.factory/sessions/**/<session>.jsonl`, with the model and the tokens in `<session>.settings.json`
beside it. How a call ended is not recorded but by an error flag and the tool's own words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import msgspec
from msgspec import Struct

from afterglow.calls import is_shell_call, shell_line
from afterglow.records.session import Kind, Mark, Session, Usage
from afterglow.sessions import json_document
from afterglow.sessions.anthropic_chat import Content, Dialect, hear
from afterglow.sessions.appended_file import read_single
from afterglow.sessions.assembly import Assembly
from afterglow.sessions.outcomes import Verdict, exited, flagged
from afterglow.text.times import seconds

NAME = "droid"
AGENT = "droid"

_START = re.compile(rb'\{"type":"session_start","id":"')
_EXIT = re.compile(r"\[Process exited with code (-?\d+)\]\s*$")


class _Message(Struct, gc=False):
    role: str = ""
    content: Content = None


class _Line(Struct, gc=False):
    type: str = ""
    id: str | None = None
    title: str | None = None
    sessionTitle: str | None = None
    cwd: str | None = None
    timestamp: str | None = None
    message: _Message | None = None
    summaryText: str | None = None


class _Tokens(Struct, gc=False):
    inputTokens: int = 0
    outputTokens: int = 0
    cacheCreationTokens: int = 0
    cacheReadTokens: int = 0
    thinkingTokens: int = 0


class _Settings(Struct, gc=False):
    model: str | None = None
    tokenUsage: _Tokens | None = None


_decoder = msgspec.json.Decoder(_Line)


def sniff(path: Path, head: bytes) -> bool:
    return bool(_START.match(head))


def read(path: Path, since: Mark = Mark()) -> Iterator[Session]:
    settings = _settings(path)
    facts = {"agent": AGENT, "format": NAME, "model": settings.model or ""}

    def take(session: Assembly, number: int, line: _Line) -> None:
        _take(session, number, line, settings)

    return read_single(path, _decoder, take, facts, since)


def beside(path: Path) -> list[Path]:
    return [path.with_suffix(".settings.json")]


def _settings(path: Path) -> _Settings:
    [settings_file] = beside(path)
    return json_document.load_beside(settings_file, _Settings) or _Settings()


def _usage(tokens: _Tokens) -> Usage:
    """Of the whole session; what single requests took is not recorded."""
    return Usage(
        input=tokens.inputTokens,
        output=tokens.outputTokens,
        cache_read=tokens.cacheReadTokens,
        cache_write=tokens.cacheCreationTokens,
        reasoning=tokens.thinkingTokens,
    )


def _take(session: Assembly, number: int, line: _Line, settings: _Settings) -> None:
    time = seconds(line.timestamp)
    if line.type == "session_start":
        session.learn(cwd=line.cwd, title=line.title or line.sessionTitle)
        session.facts["id"] = line.id or session.facts["id"]
        if settings.tokenUsage is not None:
            session.spend(_usage(settings.tokenUsage))
    elif line.type == "message" and line.message is not None:
        message = line.message
        hear(session, message.role, message.content, number, time, line.id, DIALECT)
    elif line.type == "compaction_state":
        session.compacted.append(number)
        session.said("user", line.summaryText, number, time, "summary")
    else:
        session.tick(time)


def _kind(text: str, place: int) -> Kind:
    """What stands behind the first text of a message, Droid has attached: the contents of mentioned files."""
    return "injected" if place or text.startswith("<system-reminder>") else "said"


def _verdict(tool: str, arguments: str, text: str, is_error: bool | None) -> Verdict:
    ended = _EXIT.search(text) if is_shell_call(tool, arguments) else None
    if ended is None:
        return flagged(tool, arguments, text, is_error)
    return exited(shell_line(arguments), int(ended[1]), text[: ended.start()])


DIALECT = Dialect(_kind, _verdict)
