"""How a Codex call ended, read from its output and from what the program told about it.

A command's output starts with a header (`Exit code: 1`, `Process exited with code 1`) or, in older versions, is JSON
with an exit code inside. Other tools answer in plain words. MCP errors and declined patches are told by events only.
"""

from __future__ import annotations

import re

import msgspec
from msgspec import Raw, Struct

from afterglow.records.session import Outcome
from afterglow.sessions.outcomes import ERROR_TEXT, Verdict, plain

# Longer than any header; without "Output:" a whole output would be searched for a code.
MAX_HEADER_CHARACTERS = 1000

_HEADER = (
    "Chunk ID: ",
    "Exit code: ",
    "Wall time: ",
    "Process ",
    "Total output lines: ",
)
_CODE = re.compile(r"^(?:Exit code:|Process exited with code) (-?\d+)", re.MULTILINE)
_RUNNING = re.compile(r"^Process running with session ID (\d+)", re.MULTILINE)
_FAILURE = re.compile(
    r"[\w.-]+ (?:verification )?failed\b|failed (?:to|in)\b|unsupported |tool call error|execution error|err(?:or)?: |"
    r"unable to |command timed out|Script failed|sandbox (?:error|denied)",
    re.IGNORECASE,
)
_REFUSAL = (
    r"(?:rejected by (?:the )?user|denied by (?:the )?user|user (?:rejected|denied|cancelled)|blocked by policy|"
    r"reject command|approval required by policy|rejected due to unacceptable risk|commands are not permitted)"
)
_REFUSED = re.compile(_REFUSAL)
_REFUSED_AT_ONCE = re.compile(r"(?:\S+ ){0,8}?" + _REFUSAL)


class Part(Struct, gc=False):
    """A piece of a message or an output."""

    type: str = ""
    text: str | None = None


class _Metadata(Struct, gc=False):
    exit_code: int | None = None


class Record(Struct, gc=False):
    """An output that is a record: JSON inside the text in older versions, for some weeks in 2025 in its place."""

    output: str | None = None
    content: str | None = None
    metadata: _Metadata | None = None
    success: bool | None = None


class _McpAnswer(Struct, gc=False):
    content: list[Part] | None = None
    isError: bool | None = None


class _McpResult(Struct, gc=False):
    Ok: _McpAnswer | None = None
    Err: str | None = None


class Output(Struct, frozen=True, gc=False):
    """What came of a call: the whole `text`, and the `body` without its header.

    `terminal` is where a command goes on. Without `code` and `terminal` it is some other tool's answer.
    """

    text: str
    body: str
    code: int | None = None
    terminal: str = ""


_records = msgspec.json.Decoder(Record)
_results = msgspec.json.Decoder(_McpResult)


def texts(content: str | list[Part] | Record | None) -> str:
    """The text of content in any of its shapes."""
    return "\n".join(pieces(content))


def pieces(content: str | list[Part] | Record | None) -> list[str]:
    """The text of each part; an image leaves its name."""
    if isinstance(content, list):
        return list(map(_piece, content))
    if isinstance(content, Record):
        return [content.content or content.output or ""]
    return [content or ""]


def _piece(part: Part) -> str:
    if part.text is not None:
        return part.text
    name = part.type.removeprefix("input_")
    return f"[{name}]"


def take_apart(text: str) -> Output:
    if text.startswith('{"output":'):
        return _of_record(text)
    if not text.startswith(_HEADER):
        return Output(text, text)
    header, _, body = text.partition("Output:\n")
    header = header[:MAX_HEADER_CHARACTERS]
    code = _CODE.search(header)
    terminal = _RUNNING.search(header)
    return Output(
        text=text,
        body=body,
        code=int(code[1]) if code else None,
        terminal=terminal[1] if terminal else "",
    )


def _of_record(text: str) -> Output:
    try:
        record = _records.decode(text)
    except (msgspec.DecodeError, RecursionError):
        return Output(text, text)
    code = record.metadata.exit_code if record.metadata else None
    return Output(text, record.output or "", code)


def judge(text: str, success: bool | None = None) -> Verdict:
    """An output without an exit code: by its flag, or by how it starts."""
    head = text[:ERROR_TEXT]
    if success is False or _FAILURE.match(head):
        refused = _REFUSED.search(head)
        return Verdict(Outcome.BLOCKED if refused else Outcome.FAILED, head)
    if _REFUSED_AT_ONCE.match(head):
        return Verdict(Outcome.BLOCKED, head)
    return plain(text)


def patched(success: bool | None, status: str, stderr: str | None) -> Verdict | None:
    """What `patch_apply_end` tells, where it tells of trouble."""
    if success is not False:
        return None
    error = (stderr or "")[:ERROR_TEXT]
    if status == "declined":
        return Verdict(Outcome.BLOCKED, error, refused=True)
    return Verdict(Outcome.FAILED, error)


def mcp(result: Raw) -> Verdict | None:
    """What `mcp_tool_call_end` tells, where it tells of trouble."""
    try:
        answer = _results.decode(str(result, "utf-8", "replace"))
    except (msgspec.DecodeError, RecursionError):
        return None
    if answer.Err is not None:
        return judge(answer.Err, success=False)
    if answer.Ok and answer.Ok.isError:
        return judge(texts(answer.Ok.content), success=False)
    return None
