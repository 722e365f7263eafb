"""Who&When: logs of several agents working together that failed, with the decisive mistake marked.

Everyone but the `human` (or an unnamed `user`) is an agent; a turn starts with its speaker's name. A message headed
`exitcode: N` is the terminal's answer to the code in the message before it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

import msgspec
from msgspec import Struct

from afterglow.records.session import Mark, Session
from afterglow.sessions import json_document
from afterglow.sessions.assembly import Assembly
from afterglow.sessions.outcomes import exited
from afterglow.text.clip import first_line

NAME = "who-when"
AGENT = "who-when"
MAX_TITLE_CHARACTERS = 120  # a question may be a page long
TAIL_BYTES = 16384  # of a file: the labels stand there, behind a long history

_EXIT = re.compile(r"exitcode: (-?\d+) \([^)\n]*\)\n?(?:Code output: )?")
_CODE = re.compile(r"```(\w*)\n(.*?)\n?```", re.DOTALL)
_IDLE = "There is no code from the last"


class _Message(Struct, gc=False):
    content: str | None = None
    role: str = ""
    name: str | None = None


class _Log(Struct):
    history: list[_Message]
    question: str | None = ""
    question_ID: str | None = ""
    is_correct: bool | None = None
    is_corrected: bool | None = None


def sniff(path: Path, head: bytes) -> bool:
    if not head.startswith(b"{") or b'"history"' not in head:
        return False
    return b'"mistake_agent"' in head or b'"mistake_agent"' in _tail(path)


def _tail(path: Path) -> bytes:
    """The end of the file: the labels may stand behind a long history."""
    try:
        with path.open("rb") as file:
            file.seek(max(file.seek(0, os.SEEK_END) - TAIL_BYTES, 0))
            return file.read(TAIL_BYTES)
    except OSError:
        return b""


def read(path: Path, since: Mark = Mark()) -> Iterator[Session]:
    log = json_document.load(path, _Log)
    session = _opened(path, log)
    session.voice = "outside"  # a question of a benchmark
    texts = [message.content or "" for message in log.history]
    waiting = ""
    for line, message in enumerate(log.history, 1):
        text = texts[line - 1]
        speaker = message.name or message.role
        exit_code = _EXIT.match(text)
        if exit_code:
            _answered(session, waiting, text, line, exit_code)
            waiting = ""
            continue
        if speaker in {"human", "user"}:
            session.said("user", text, line)
            continue
        if text.startswith(_IDLE):
            session.said("user", text, line, kind="injected")
            continue
        draft = session.reply("", line, None, f"{speaker}: {text}")
        blocks = _CODE.findall(text)
        is_run = any(map(_EXIT.match, texts[line : line + 1]))
        if blocks and is_run:
            arguments = _arguments(blocks)
            waiting = session.called(draft, "", "execute_code", arguments, line)
    yield session.part(Mark())


def _opened(path: Path, log: _Log) -> Assembly:
    is_right = log.is_correct
    if is_right is None:
        is_right = log.is_corrected
    question = log.question_ID
    return Assembly(
        id=f"{question}-{path.stem}" if question else path.stem,
        agent=AGENT,
        format=NAME,
        source=str(path),
        task=question or path.stem,
        title=first_line(log.question or "", MAX_TITLE_CHARACTERS),
        score=None if is_right is None else float(is_right),
    )


def _answered(
    session: Assembly, id: str, text: str, line: int, exit_code: re.Match[str]
) -> None:
    tool, arguments = session.awaiting(id)
    command = _shell(arguments) if tool else ""
    verdict = exited(command, int(exit_code[1]), text[exit_code.end() :])
    session.answered(id, text, line, None, verdict)


def _arguments(blocks: list[tuple[str, str]]) -> str:
    """The terminal runs every block of a message and answers once."""
    code = "\n".join(code for _, code in blocks)
    first_language, _ = blocks[0]
    arguments = {"language": first_language or "python", "code": code}
    return msgspec.json.encode(arguments).decode()


class _Code(Struct):
    language: str
    code: str


def _shell(arguments: str) -> str:
    """The command, if it was one: only a shell's exit code may be an answer instead of a failure."""
    block = msgspec.json.decode(arguments, type=_Code)
    return block.code if block.language in {"sh", "bash", "shell"} else ""
