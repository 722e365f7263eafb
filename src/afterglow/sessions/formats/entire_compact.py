"""Transcripts as entire keeps them beside a checkpoint: any agent's session in one short form, a line a message.

A call holds its result, where it has one. Thinking, machinery and the working folder are not in it; who is not heard of
again after a call cannot be told from who was.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import msgspec
from msgspec import Raw, Struct

from afterglow.records.session import Mark, Session, Usage
from afterglow.sessions.appended_file import read_single
from afterglow.sessions.assembly import Assembly, Draft
from afterglow.sessions.outcomes import flagged
from afterglow.text.times import seconds

NAME = "entire-compact"
# What entire calls an agent -> what it is called here.
AGENTS = {
    "omp": "oh-my-pi",
    "oh my pi": "oh-my-pi",
    "claude code": "claude-code",
    "factoryai-droid": "droid",
    "gemini cli": "gemini-cli",
    "copilot cli": "copilot-cli",
}

_START = re.compile(rb'\{"v":\d+,"agent":"([^"]*)","cli_version":"')


class _Result(Struct, gc=False):
    output: str | None = None
    status: str | None = None


class _Block(Struct, gc=False):
    type: str = ""
    text: str | None = None
    id: str | None = None
    name: str = ""
    input: Raw = Raw(b"")
    arguments: Raw = Raw(b"")
    result: _Result | None = None


class _Line(Struct, gc=False):
    type: str = ""
    ts: str | None = None
    id: str | None = None
    input_tokens: int | None = 0
    output_tokens: int | None = 0
    content: str | list[_Block] | None = None


_decoder = msgspec.json.Decoder(_Line)


def sniff(path: Path, head: bytes) -> bool:
    return bool(_START.match(head))


def read(path: Path, since: Mark = Mark()) -> Iterator[Session]:
    with path.open("rb") as file:
        start = _START.match(file.readline(4096))
    agent = start[1].decode("utf-8", "replace") if start else ""
    name = AGENTS.get(agent.lower(), agent.lower().replace(" ", "-")) or NAME
    return read_single(path, _decoder, _take, {"agent": name, "format": NAME}, since)


def _take(session: Assembly, number: int, line: _Line) -> None:
    time = seconds(line.ts)
    blocks = _blocks(line)
    texts = [block.text for block in blocks if block.text]
    if line.type == "user":
        session.said("user", "\n".join(texts), number, time)
        return
    if line.type != "assistant":
        session.tick(time)
        return
    draft = session.reply(line.id, number, time, "\n".join(texts))
    for block in blocks:
        if block.name:
            _take_call(session, draft, number, time, block)
    if line.input_tokens or line.output_tokens:
        sent = line.input_tokens or 0
        session.spend(Usage(input=sent, output=line.output_tokens or 0, context=sent))


def _blocks(line: _Line) -> list[_Block]:
    content = line.content
    if isinstance(content, str):
        return [_Block("text", content)]
    return content or []


def _take_call(
    session: Assembly, draft: Draft, number: int, time: float | None, block: _Block
) -> None:
    arguments = str(block.input or block.arguments or b"{}", "utf-8", "replace")
    id = session.called(draft, block.id, block.name, arguments, number, time)
    if block.result is None:
        return
    output = block.result.output or ""
    is_error = block.result.status == "error"
    verdict = flagged(block.name, arguments, output, is_error=is_error)
    session.answered(id, output, number, time, verdict)
