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
    r"reject command|approval required by policy|rejected due to unacceptable risk)"
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


class Output(Struct, gc=False):
    """A command's output taken apart. Without `code` and `running` it is some other tool's answer."""

    body: str
    code: int | None = None
    running: str = ""


_records = msgspec.json.Decoder(Record)
_results = msgspec.json.Decoder(_McpResult)


def texts(parts: str | list[Part] | Record | None) -> str:
    """The text of content in any of its shapes; an image leaves its name."""
    if isinstance(parts, list):
        return "\n".join(
            p.text if p.text is not None else f"[{p.type.removeprefix('input_')}]"
            for p in parts
        )
    if isinstance(parts, Record):
        return parts.content or parts.output or ""
    return parts or ""


def take_apart(text: str) -> Output:
    if text.startswith('{"output":'):
        try:
            record = _records.decode(text)
        except (msgspec.DecodeError, RecursionError):
            return Output(text)
        return Output(
            record.output or "", record.metadata.exit_code if record.metadata else None
        )
    if not text.startswith(_HEADER):
        return Output(text)
    header, _, body = text.partition("Output:\n")
    code, running = _CODE.search(header[:1000]), _RUNNING.search(header[:1000])
    return Output(body, int(code[1]) if code else None, running[1] if running else "")


def judge(text: str, success: bool | None = None) -> Verdict:
    """An output without an exit code: by its flag, or by how it starts."""
    head = text[:ERROR_TEXT]
    failed = success is False or _FAILURE.match(head)
    if _REFUSED.search(head) if failed else _REFUSED_AT_ONCE.match(head):
        return Verdict(Outcome.BLOCKED, head)
    return Verdict(Outcome.FAILED, head) if failed else plain(text)


def patched(success: bool | None, status: str, stderr: str | None) -> Verdict | None:
    """What `patch_apply_end` tells, where it tells of trouble."""
    if success is not False:
        return None
    return Verdict(
        Outcome.BLOCKED if status == "declined" else Outcome.FAILED,
        (stderr or "")[:ERROR_TEXT],
    )


def mcp(result: Raw) -> Verdict | None:
    """What `mcp_tool_call_end` tells, where it tells of trouble."""
    try:
        told = _results.decode(str(result, "utf-8", "replace"))
    except (msgspec.DecodeError, RecursionError):
        return None
    if told.Err is not None:
        return judge(told.Err, success=False)
    return (
        judge(texts(told.Ok.content), success=False)
        if told.Ok and told.Ok.isError
        else None
    )
