"""OpenHands until 0.6x: events as a JSON list (an exported trajectory), or the `history` in a line of a benchmark's
`output.jsonl`. An observation names the event it answers, and a command's exit code."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from afterglow.calls import shell_line
from afterglow.records.session import Mark, Session, Voice
from afterglow.sessions import json_document
from afterglow.sessions.assembly import Assembly
from afterglow.sessions.openai_chat import text_of
from afterglow.sessions.outcomes import Verdict, exited, flagged
from afterglow.sessions.session_per_line import read_each
from afterglow.text.times import seconds

NAME = "openhands"
AGENT = "openhands"

_LIST = re.compile(rb'\[\s*\{\s*"id"\s*:\s*-?\d+')
_LINE = re.compile(rb'\{\s*"instance_id"\s*:')
# What an agent does that is no call of a tool.
_WORDS = frozenset({"message", "finish", "think", "system"})
_IGNORED = frozenset({"change_agent_state", "recall", "null"})


class _Event(Struct, gc=False):
    id: int = 0
    timestamp: str | None = None
    source: str | None = None
    message: Any = None
    action: str | None = None
    args: dict[str, Any] | None = None
    observation: str | None = None
    content: Any = None
    extras: dict[str, Any] | None = None
    cause: int | None = None


class _Report(Struct, gc=False):
    resolved: bool | None = None


class _TestResult(Struct, gc=False):
    report: _Report | None = None


class _Run(Struct, gc=False):
    instance_id: str
    history: list[_Event]
    test_result: _TestResult | None = None
    report: _Report | None = None


_runs = msgspec.json.Decoder(_Run)


def sniff(path: Path, head: bytes) -> bool:
    if _LIST.match(head):
        return b'"source"' in head and b'"action"' in head
    return bool(_LINE.match(head)) and b'"history"' in head and b'"source"' in head


def read(path: Path, since: Mark = Mark()) -> Iterator[Session]:
    if json_document.is_list(path):
        events = json_document.load(path, list[_Event])
        yield _session(path, path.stem, events).part(Mark())
        return
    yield from read_each(path, _runs, lambda run: [_of_run(path, run)])


def _of_run(path: Path, run: _Run) -> Session:
    session = _session(path, run.instance_id, run.history, voice="outside")
    session.learn(task=run.instance_id, score=_score(run))
    return session.part(Mark())


def _score(run: _Run) -> float | None:
    report = run.report or (run.test_result.report if run.test_result else None)
    resolved = report.resolved if report else None
    return None if resolved is None else float(resolved)


def _session(
    path: Path, id: str, events: list[_Event], voice: Voice = "unstated"
) -> Assembly:
    session = Assembly(id=id, agent=AGENT, format=NAME, source=str(path))
    session.voice = voice
    waiting: dict[int, str] = {}
    for line, event in enumerate(events, 1):
        if event.action:
            _take_action(session, line, event, waiting)
        elif event.observation:
            _take_observation(session, line, event, waiting)
    return session


def _take_action(
    session: Assembly, line: int, event: _Event, waiting: dict[int, str]
) -> None:
    time = seconds(event.timestamp)
    arguments = event.args or {}
    if event.action in _IGNORED:
        session.tick(time)
    elif event.source == "user":
        session.said("user", _words(event, arguments), line, time)
    elif event.action == "system":
        session.said("system", _words(event, arguments), line, time, "injected")
    elif event.action in _WORDS:
        session.reply("", line, time, _words(event, arguments))
    else:
        thought = arguments.get("thought")
        draft = session.reply(
            "", line, time, thought if isinstance(thought, str) else ""
        )
        tool = event.action or ""
        sent = {name: arguments[name] for name in arguments if name != "thought"}
        text = msgspec.json.encode(sent).decode()
        waiting[event.id] = session.called(draft, "", tool, text, line, time)


def _words(event: _Event, arguments: dict[str, Any]) -> str:
    for name in ("content", "final_thought", "thought"):
        if isinstance(arguments.get(name), str) and arguments[name]:
            return str(arguments[name])
    return text_of(event.message)


def _take_observation(
    session: Assembly, line: int, event: _Event, waiting: dict[int, str]
) -> None:
    id = waiting.pop(event.cause or 0, "")
    if not id:
        session.tick(seconds(event.timestamp))
        return
    text = text_of(event.content)
    tool, arguments = session.awaiting(id)
    verdict = _verdict(tool, arguments, text, event)
    session.answered(id, text, line, seconds(event.timestamp), verdict)


def _verdict(tool: str, arguments: str, text: str, event: _Event) -> Verdict:
    extras = event.extras or {}
    metadata = extras.get("metadata")
    if not isinstance(metadata, dict):
        metadata = {}
    code = metadata.get("exit_code", extras.get("exit_code"))
    if isinstance(code, int) and tool == "run":
        return exited(shell_line(arguments), code, text)
    return flagged(tool, arguments, text, is_error=event.observation == "error")
