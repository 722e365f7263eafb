"""Windsurf: the transcripts its hooks write to `~/.windsurf/transcripts/*.jsonl`, a line a step.

Not in it: times, ids, the model. A step is a call with its result, or somebody's words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from afterglow.records.session import Mark, Outcome, Session
from afterglow.sessions.appended_file import read_single
from afterglow.sessions.assembly import Assembly
from afterglow.sessions.openai_chat import text_of
from afterglow.sessions.outcomes import ERROR_TEXT, Verdict, exited, flagged

NAME = "windsurf"
AGENT = "windsurf"

_START = re.compile(
    rb'\{(?=[^\n]*"type"\s*:\s*"(?:user_input|planner_response)")'
    rb'(?=[^\n]*"status"\s*:\s*")[^\n]*"(?:user_input|planner_response)"\s*:\s*\{'
)
# Of a step: what came of it. All else is what was request for.
_RESULTS = ("output", "content", "error", "error_message")
_OUTCOMES = frozenset({*_RESULTS, "exit_code", "user_rejected", "total_results"})
_decoder = msgspec.json.Decoder(dict[str, Any])


def sniff(path: Path, head: bytes) -> bool:
    return bool(_START.match(head))


def read(path: Path, since: Mark = Mark()) -> Iterator[Session]:
    return read_single(path, _decoder, _take, {"agent": AGENT, "format": NAME}, since)


def _take(session: Assembly, number: int, line: dict[str, Any]) -> None:
    kind = line.get("type")
    step = line.get(kind) if isinstance(kind, str) else None
    if not isinstance(kind, str) or not isinstance(step, dict):
        return
    if kind == "user_input":
        words = text_of(step.get("user_response"))
        session.said("user", words, number, voice="typed")
    elif kind == "planner_response":
        session.reply("", number, None, text_of(step.get("response")))
    else:
        _take_call(session, number, kind, step, str(line.get("status")))


def _take_call(
    session: Assembly, number: int, tool: str, step: dict[str, Any], status: str
) -> None:
    request = {name: value for name, value in step.items() if name not in _OUTCOMES}
    arguments = msgspec.json.encode(request).decode()
    draft = session.reply("", number)
    id = session.called(draft, "", tool, arguments, number)
    texts = [text_of(step[name]) for name in _RESULTS if step.get(name)]
    text = "\n".join(texts)
    if isinstance(step.get("cwd"), str):
        session.learn(cwd=step["cwd"])
    session.answered(id, text, number, None, _verdict(tool, step, text, status))


def _verdict(tool: str, step: dict[str, Any], text: str, status: str) -> Verdict:
    if step.get("user_rejected") is True:
        return Verdict(Outcome.BLOCKED, text[:ERROR_TEXT], refused=True)
    if status in {"canceled", "cancelled"}:
        return Verdict(Outcome.CANCELLED, text[:ERROR_TEXT])
    code, command = step.get("exit_code"), step.get("command")
    if isinstance(code, int) and isinstance(command, str):
        return exited(command, code, text)
    return flagged(tool, "{}", text, is_error=status == "error")
