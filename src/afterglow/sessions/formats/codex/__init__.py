"""Codex CLI: one JSON line per event in `~/.codex/sessions/YYYY/MM/DD/rollout-<time>-<session>.jsonl`.

A line is `{timestamp, type, payload}`. What the model saw and said are `response_item` lines; `event_msg` lines repeat
the messages for the screen and add what only the program knows: tokens, interruptions, how a patch or an MCP call went.
A forked session starts with a copy of its parent, header included, so only the first header counts. Rollouts before
September 2025 have no envelope: a header, then bare response items.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Raw, Struct

from afterglow.calls import shell_line
from afterglow.records.session import Call, Kind, Mark, Outcome, Session, Usage
from afterglow.sessions.appended_file import Desk, read_journal
from afterglow.sessions.assembly import Assembly, Draft
from afterglow.sessions.formats.codex.outputs import (
    Part,
    Record,
    judge,
    mcp,
    patched,
    take_apart,
    texts,
)
from afterglow.sessions.jsonl_blocks import MAX_LINE_BYTES, blocks
from afterglow.sessions.outcomes import FINE, Verdict, exited
from afterglow.text.times import seconds

NAME = "codex"
AGENT = "codex"


class _Tokens(Struct, gc=False):
    input_tokens: int = 0
    cached_input_tokens: int = 0
    output_tokens: int = 0
    reasoning_output_tokens: int = 0


class _Info(Struct, gc=False):
    total_token_usage: _Tokens | None = None
    last_token_usage: _Tokens | None = None
    model_context_window: int | None = None


class _Git(Struct, gc=False):
    branch: str | None = None
    repository_url: str | None = None


class _Item(Struct, gc=False):
    """The payload of any line. What has another type in another event stays raw."""

    type: str = ""
    role: str | None = None
    content: str | list[Part] | None = None
    name: str | None = None
    namespace: str | None = None
    call_id: str | None = None
    arguments: Raw = Raw(b"")
    input: Raw = Raw(b"")
    action: Raw = Raw(b"")
    output: str | list[Part] | Record | None = None
    tools: Raw = Raw(b"")
    result: Raw = Raw(b"")
    status: Raw = Raw(b"")
    message: Raw = Raw(b"")
    success: bool | None = None
    stderr: str | None = None
    aggregated_output: str | None = None
    exit_code: int | None = None
    info: _Info | None = None
    model_context_window: int | None = None
    model: str | None = None
    thread_name: str | None = None
    id: str | None = None
    timestamp: str | None = None
    cwd: str | None = None
    git: _Git | None = None
    source: Raw = Raw(b"")
    thread_source: str | None = None
    forked_from_id: str | None = None
    parent_thread_id: str | None = None


class _Line(_Item, gc=False):
    payload: _Item | None = None


_decoder = msgspec.json.Decoder(_Line)
_string = msgspec.json.Decoder(str)

_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$")
_ENVELOPE = re.compile(
    rb'\{"timestamp":"[^"]*",(?:"ordinal":\d+,)?"type":"session_meta","payload":\{'
)
_BARE = re.compile(rb'\{"id":"[^"]*","timestamp":"[^"]*",(?:"instructions"|"git")')
_PARENT = re.compile(r'"parent_thread_id"\s*:\s*"([^"]+)"')
_CWD = re.compile(r"<cwd>(.*?)</cwd>|Current working directory: (.+)")
_POLLED = re.compile(r'"session_id"\s*:\s*"?(\d+)')
_IDE = re.compile(
    r"# Context from my IDE setup:.*?^## My request for Codex:\s*",
    re.DOTALL | re.MULTILINE,
)
_MACHINERY = re.compile(
    r"# AGENTS\.md instructions|<(?:user_instructions|environment_context|turn_aborted|skill|INSTRUCTIONS|hook_prompt|"
    r"subagent_notification|permissions instructions|collaboration_mode|apps_instructions|plugins_instructions|"
    r"personality_spec|model_switch|goal_context|user_action)\b"
)
_CALLS = frozenset(
    {"function_call", "custom_tool_call", "local_shell_call", "tool_search_call"}
)
_OUTPUTS = frozenset({"function_call_output", "custom_tool_call_output"})
_DONE_ELSEWHERE = frozenset({"web_search_call", "image_generation_call"})


def sniff(path: Path, head: bytes) -> bool:
    return bool(_ENVELOPE.match(head) or _BARE.match(head))


def read(path: Path, since: Mark = Mark()) -> Iterator[Session]:
    found = _UUID.search(path.stem)
    facts = {
        "id": found[0] if found else path.stem,
        "agent": AGENT,
        "format": NAME,
        "source": str(path),
    }
    return read_journal(
        path, _decoder, _Rollout(path, since).translate, facts | _opening(path), since
    )


def _opening(path: Path) -> dict[str, Any]:
    """What the first line says about the session; asked for on its own, since reading may start behind it."""
    with path.open("rb") as file:
        line = _decoded(file.readline(MAX_LINE_BYTES))
    meta = line.payload or line
    git, source = meta.git or _Git(), _json(meta.source)
    subagent = '"subagent"' in source or (meta.thread_source or "user") != "user"
    spawned = _PARENT.search(source)
    parent = (
        meta.parent_thread_id or (spawned[1] if spawned else "") or meta.forked_from_id
    )
    facts = {
        "id": meta.id,
        "start": seconds(meta.timestamp),
        "cwd": meta.cwd,
        "remote": git.repository_url,
        "branch": git.branch,
        "origin": "subagent" if subagent else "main",
        "parent": parent,
        "parent_by": ("subagent" if subagent else "branch") if parent else "",
    }
    return {name: value for name, value in facts.items() if value}


def _spent_before(path: Path, since: Mark) -> _Tokens:
    """Token counts are totals since the start: reading on begins with the last one before the mark."""
    step, offset, tail = 1 << 16, since.offset, b""
    with path.open("rb") as file:
        while offset:
            stop, offset = offset, max(0, offset - step)
            file.seek(offset)
            tail, step = file.read(stop - offset) + tail, step * 4
            for line in reversed(tail.split(b"\n")):
                if (
                    b'"total_token_usage"' in line
                    and (item := _decoded(line).payload)
                    and item.info
                ):
                    return item.info.total_token_usage or _Tokens()
    return _Tokens()


def _running_before(path: Path, since: Mark) -> dict[str, str]:
    """Commands left running in a terminal before the mark, by terminal."""
    started: dict[str, str] = {}
    running: dict[str, str] = {}
    with path.open("rb") as file:
        for block in blocks(file, _decoder):
            for line in block.values:
                item = line.payload
                if (
                    item is not None
                    and item.type == "function_call"
                    and item.name == "exec_command"
                ):
                    started[item.call_id or ""] = _arguments(item)
                elif item is not None and item.type == "function_call_output":
                    terminal, arguments = (
                        take_apart(texts(item.output)).running,
                        started.pop(item.call_id or "", ""),
                    )
                    if terminal and arguments:
                        running[terminal] = shell_line(arguments)
            if block.end.offset >= since.offset:
                break
    return running


def _decoded(line: bytes) -> _Line:
    """A line read outside the journal, which alone counts damage."""
    try:
        return _decoder.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return _Line()


class _Rollout:
    """What has to be remembered between the lines of one rollout."""

    def __init__(self, path: Path, since: Mark) -> None:
        self.path, self.since = path, since
        self.spent = _spent_before(path, since)
        self.told: dict[
            str, Verdict
        ] = {}  # call -> what the program said about it before its output
        self.running: dict[str, str] = {}  # terminal -> the command left running in it

    def translate(self, desk: Desk, number: int, line: _Line) -> None:
        session, kind, item = desk.main, line.type, line.payload
        session.ends_with_tokens = True
        if item is None:
            self._response(session, number, None, line)
        elif kind == "response_item":
            self._response(session, number, seconds(line.timestamp), item)
        elif kind == "event_msg":
            self._event(session, number, line.timestamp, item)
        elif kind == "turn_context":
            session.learn(model=item.model, cwd=item.cwd)
        elif kind == "compacted":
            session.compacted.append(number)
            if summary := _plain(item.message):
                session.said(
                    "user", summary, number, seconds(line.timestamp), "summary"
                )

    def _response(
        self, session: Assembly, number: int, time: float | None, item: _Item
    ) -> None:
        kind, id = item.type, item.call_id or ""
        if kind == "message":
            _message(session, number, time, item)
        elif kind in _CALLS:
            session.called(
                _draft(session, number, time),
                id,
                _tool(item),
                _arguments(item),
                number,
                time,
            )
        elif kind in _OUTPUTS:
            text = texts(item.output)
            flag = item.output.success if isinstance(item.output, Record) else None
            session.answered(
                id, text, number, time, self._verdict(session, id, text, flag)
            )
        elif kind == "tool_search_output":
            session.answered(id, _json(item.tools), number, time, FINE)
        elif kind in _DONE_ELSEWHERE:
            draft, status = _draft(session, number, time), _plain(item.status)
            outcome = {"completed": Outcome.OK, "failed": Outcome.FAILED}.get(
                status, Outcome.UNKNOWN
            )
            id = f"{_tool(item)}@{number}.{len(draft.calls)}"
            draft.calls.append(
                Call(
                    id,
                    _tool(item),
                    _arguments(item),
                    number,
                    outcome,
                    started=time,
                    ended=time,
                )
            )

    def _event(
        self, session: Assembly, number: int, time: str | None, item: _Item
    ) -> None:
        kind, id = item.type, item.call_id or ""
        told = None
        if kind == "token_count":
            if item.info is not None:
                session.learn(window=item.info.model_context_window)
                self._count(session, item.info)
        elif kind == "task_started":
            session.learn(window=item.model_context_window)
        elif kind == "turn_aborted":
            session.interrupted(number, seconds(time))
        elif kind == "thread_name_updated":
            session.learn(title=item.thread_name)
        elif kind == "patch_apply_end":
            told = patched(item.success, _plain(item.status), item.stderr)
        elif kind == "mcp_tool_call_end":
            told = mcp(item.result)
        elif kind == "exec_command_end" and item.exit_code:
            told = exited(
                shell_line(session.awaiting(id)[1]),
                item.exit_code,
                item.aggregated_output or "",
            )
        if told is not None:
            self.told[id] = told

    def _count(self, session: Assembly, info: _Info) -> None:
        """Differences count: the same total may be told twice, and a request cut off shows only in the next total."""
        now, before = info.total_token_usage or self.spent, self.spent
        if now.input_tokens < before.input_tokens:
            before = _Tokens()
        cached = now.cached_input_tokens - before.cached_input_tokens
        spent = Usage(
            now.input_tokens - before.input_tokens - cached,
            now.output_tokens - before.output_tokens,
            cached,
            reasoning=now.reasoning_output_tokens - before.reasoning_output_tokens,
            context=info.last_token_usage.input_tokens if info.last_token_usage else 0,
        )
        self.spent = now
        if spent.input or spent.output or cached:
            session.spend(spent)

    def _verdict(
        self, session: Assembly, id: str, text: str, flag: bool | None
    ) -> Verdict:
        """What the output says; where it sounds fine, what was told before it."""
        tool, arguments = session.awaiting(id)
        output = take_apart(text)
        polled = _POLLED.search(arguments) if tool == "write_stdin" else None
        if output.running and not polled:
            self.running[output.running] = shell_line(arguments)
        if output.code is not None:
            command = self._command_in(polled[1]) if polled else shell_line(arguments)
            verdict = exited(command, output.code, output.body)
        else:
            verdict = FINE if output.running else judge(text, flag)
        told = self.told.pop(id, verdict)
        return told if verdict.outcome is Outcome.OK else verdict

    def _command_in(self, terminal: str) -> str:
        if terminal not in self.running and self.since.offset:
            self.running = _running_before(self.path, self.since) | self.running
        return self.running.get(terminal, "")


def _draft(session: Assembly, number: int, time: float | None) -> Draft:
    """Calls belong to the message just before them. A new turn begins behind results, a person's words, and the count
    of a request's tokens."""
    last = session.items[-1] if session.items else None
    return (
        last
        if isinstance(last, Draft) and last.usage is None
        else session.reply("", number, time)
    )


def _message(session: Assembly, number: int, time: float | None, item: _Item) -> None:
    text = texts(item.content)
    if item.role == "assistant":
        session.reply("", number, time, text)
    elif item.role == "user":
        if (
            "cwd" not in session.facts
            and text.startswith("<environment_context>")
            and (found := _CWD.search(text))
        ):
            session.learn(cwd=(found[1] or found[2]).strip())
        kind, context = _kind(text), _IDE.match(text)
        session.said(
            "user",
            text[context.end() :].strip() if context else text,
            number,
            time,
            kind,
        )
    elif text:
        session.said("system", text, number, time, "injected")


def _kind(text: str) -> Kind:
    if _MACHINERY.match(text):
        return "injected"
    if text.startswith("<user_shell_command>"):
        return "command"
    return (
        "summary"
        if text.startswith("Another language model started to solve this problem")
        else "said"
    )


def _tool(item: _Item) -> str:
    name = item.name or item.type.removesuffix("_call")
    return (
        f"{item.namespace.rstrip('_')}__{name.lstrip('_')}" if item.namespace else name
    )


def _arguments(item: _Item) -> str:
    """Always JSON: what the model sent, or `{"input": ...}` around the free text of a custom tool."""
    if item.type == "custom_tool_call":
        return f'{{"input":{_json(item.input) or "null"}}}'
    return _plain(item.arguments) or _json(item.arguments) or _json(item.action) or "{}"


def _json(raw: Raw) -> str:
    text = str(raw, "utf-8", "replace")
    return "" if text == "null" else text


def _plain(raw: Raw) -> str:
    """The text of a JSON string; empty for anything else."""
    text = _json(raw)
    return _string.decode(text) if text.startswith('"') else ""
