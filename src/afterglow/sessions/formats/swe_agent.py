"""SWE-agent: `<task>.traj`, one document, a step each: what the model answered, what was run, what came of it.

Exit codes are not recorded: a command's outcome is unknown unless its words begin as an error. Whether the task was
solved stands in a `results.json` of the run, where there is one.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from afterglow.records.session import Mark, Outcome, Session, Usage
from afterglow.sessions import json_document
from afterglow.sessions.assembly import Assembly
from afterglow.sessions.openai_chat import text_of
from afterglow.sessions.outcomes import UNKNOWN, plain

NAME = "swe-agent"
AGENT = "swe-agent"
TOOL = "bash"
FOLDERS_UP = 3  # from a trajectory: as far as the results of its run may lie


class _Step(Struct, gc=False):
    action: str | None = None
    observation: Any = None
    response: Any = None
    thought: str | None = None


class _Stats(Struct, gc=False):
    instance_cost: float | None = 0.0
    tokens_sent: int | None = 0
    tokens_received: int | None = 0


class _Info(Struct, gc=False):
    exit_status: str | None = ""
    model_stats: _Stats | None = None


class _Message(Struct, gc=False):
    role: str = ""
    content: Any = None
    message_type: str | None = None


class _Document(Struct, gc=False):
    trajectory: list[_Step]
    summary: _Info | None = msgspec.field(default=None, name="info")
    history: list[_Message] = []
    environment: str | None = None


class _Results(Struct, gc=False):
    resolved: list[str] | None = None
    resolved_ids: list[str] | None = None


def sniff(path: Path, head: bytes) -> bool:
    if path.suffix != ".traj" or not head.startswith(b"{"):
        return False
    return b'"trajectory"' in head or b'"environment"' in head


def read(path: Path, since: Mark = Mark()) -> Iterator[Session]:
    document = json_document.load(path, _Document)
    summary = document.summary or _Info()
    session = Assembly(
        id=path.stem, agent=AGENT, format=NAME, source=str(path), task=path.stem
    )
    session.voice = "outside"  # a benchmark's task
    session.learn(status=summary.exit_status, score=_score(path))
    for message in document.history:
        if message.role == "user":
            session.said("user", text_of(message.content), 1)
            break
    for line, step in enumerate(document.trajectory, 1):
        _take(session, line, step)
    session.spend(_usage(summary.model_stats or _Stats()))
    yield session.part(Mark())


def _take(session: Assembly, line: int, step: _Step) -> None:
    words = step.thought or (text_of(step.response) if not step.action else "")
    draft = session.reply("", line, None, words)
    if not (step.action or "").strip():
        return
    arguments = msgspec.json.encode({"command": step.action}).decode()
    id = session.called(draft, "", TOOL, arguments, line)
    text = text_of(step.observation)
    verdict = plain(text)
    is_silent = verdict.outcome is Outcome.OK
    session.answered(id, text, line, None, UNKNOWN if is_silent else verdict)


def _usage(stats: _Stats) -> Usage:
    return Usage(
        input=stats.tokens_sent or 0,
        output=stats.tokens_received or 0,
        cost=stats.instance_cost or 0.0,
    )


def beside(path: Path) -> list[Path]:
    return [folder / "results.json" for folder in path.parents[:FOLDERS_UP]]


def _score(path: Path) -> float | None:
    """1 where the results of the run list the task as solved, 0 where they do not, nothing without results."""
    for results_file in beside(path):
        results = json_document.load_beside(results_file, _Results)
        if results is None:
            continue
        solved = results.resolved_ids or results.resolved
        if solved is not None:
            return float(path.stem in solved)
    return None
