"""OpenHands since 2026: `~/.openhands/conversations/<id>/base_state.json`, with `events/event-*.json` beside it, a file
an event. A call and its observation share an id."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from afterglow.calls import is_shell_call, shell_line
from afterglow.errors import UnreadableSource
from afterglow.records.session import Damage, Mark, Outcome, Session
from afterglow.sessions import json_document
from afterglow.sessions.assembly import Assembly
from afterglow.sessions.openai_chat import text_of
from afterglow.sessions.outcomes import ERROR_TEXT, Verdict, exited, flagged
from afterglow.sessions.remote_files import is_fetched
from afterglow.text.times import seconds

NAME = "openhands-conversation"
MANY_FILES = True
AGENT = "openhands"
FILE = "base_state.json"


class _Message(Struct, gc=False):
    role: str = ""
    content: Any = None


class _ToolCall(Struct, gc=False):
    id: str | None = None
    name: str | None = None
    arguments: str | None = None


class _Observation(Struct, gc=False):
    content: Any = None
    output: str | None = None
    exit_code: int | None = None
    is_error: bool | None = None


class _Event(Struct, gc=False):
    kind: str = ""
    timestamp: str | None = None
    source: str | None = None
    llm_message: _Message | None = None
    thought: Any = None
    tool_name: str | None = None
    tool_call_id: str | None = None
    tool_call: _ToolCall | None = None
    action: Any = None
    observation: _Observation | None = None
    error: str | None = None
    rejection_reason: str | None = None


class _Workspace(Struct, gc=False):
    working_dir: str | None = None


class _State(Struct, gc=False):
    id: str = ""
    workspace: _Workspace | None = None


def sniff(path: Path, head: bytes) -> bool:
    if path.name != FILE or not head.startswith(b"{"):
        return False
    return is_fetched(path) or path.parent.joinpath("events").is_dir()


def read(path: Path, since: Mark = Mark()) -> Iterator[Session]:
    state = json_document.load(path, _State)
    id = state.id or path.parent.name
    session = Assembly(id=id, agent=AGENT, format=NAME, source=str(path))
    session.learn(cwd=state.workspace.working_dir if state.workspace else None)
    for line, file in enumerate(sorted(path.parent.glob("events/*.json")), 1):
        try:
            _take(session, line, json_document.load(file, _Event))
        except (UnreadableSource, OSError) as error:
            session.hurt([Damage(line, f"{file.name}: {error}")])
    yield session.part(Mark())


def _take(session: Assembly, line: int, event: _Event) -> None:
    time = seconds(event.timestamp)
    if event.kind == "MessageEvent" and event.llm_message is not None:
        _take_message(session, line, time, event.llm_message)
    elif event.kind == "ActionEvent":
        _take_action(session, line, time, event)
    elif event.tool_call_id:
        _take_answer(session, line, time, event)
    else:
        session.tick(time)


def _take_message(
    session: Assembly, line: int, time: float | None, message: _Message
) -> None:
    text = text_of(message.content)
    if message.role == "assistant":
        session.reply("", line, time, text)
    elif message.role == "user":
        session.said("user", text, line, time)
    else:
        session.said("system", text, line, time, "injected")


def _take_action(
    session: Assembly, line: int, time: float | None, event: _Event
) -> None:
    call = event.tool_call or _ToolCall()
    tool = event.tool_name or call.name or ""
    arguments = call.arguments or msgspec.json.encode(event.action or {}).decode()
    draft = session.reply("", line, time, text_of(event.thought or ""))
    id = event.tool_call_id or call.id
    session.called(draft, id, tool, arguments, line, time)


def _take_answer(
    session: Assembly, line: int, time: float | None, event: _Event
) -> None:
    id = event.tool_call_id or ""
    tool, arguments = session.awaiting(id)
    observation = event.observation or _Observation()
    output = observation.output or text_of(observation.content)
    text = event.error or event.rejection_reason or output
    session.answered(id, text, line, time, _verdict(tool, arguments, text, event))


def _verdict(tool: str, arguments: str, text: str, event: _Event) -> Verdict:
    if event.kind == "UserRejectObservation":
        return Verdict(Outcome.BLOCKED, text[:ERROR_TEXT], refused=True)
    observation = event.observation or _Observation()
    if observation.exit_code is not None and is_shell_call(tool, arguments):
        return exited(shell_line(arguments), observation.exit_code, text)
    is_error = bool(observation.is_error) or event.error is not None
    return flagged(tool, arguments, text, is_error)
