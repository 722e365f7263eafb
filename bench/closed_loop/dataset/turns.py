"""Transcripts as rows, a turn each: learning sessions as the loop wrote them, measured runs as mini-swe-agent did."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from bench.closed_loop.dataset.columns import Row
from bench.closed_loop.dataset.loop_folder import LEARNING, MEASURED, LoopFolder
from bench.closed_loop.tasks import Task

_EXIT = re.compile(r"Exit code (-?\d+)(?:\n|\Z)")


class Turn(Struct, frozen=True, kw_only=True):
    """One turn of a transcript; `time` is in seconds since 1970, `line` where it stands in the file. `hint` is what
    afterglow put behind a result."""

    role: str
    text: str = ""
    tool: str = ""
    command: str = ""
    exit: int | None = None
    time: float | None = None
    hint: str = ""
    line: int = 0


def session_rows(folder: LoopFolder) -> Iterator[Row]:
    """All turns of all sessions, learning first."""
    for learned in folder.learning:
        about = {"session": f"{LEARNING}/{learned.task}", "split": LEARNING}
        turns = learning_turns(folder.transcript(learned))
        yield from _rows(about, folder.tasks[learned.task], turns)
    for study in folder.studies:
        for trial in study.trials:
            path = folder.trajectory(trial)
            if not path.exists():
                continue
            about = {
                "session": session_of(study.plan.name, trial.unit, trial.arm),
                "split": MEASURED,
                "plan": study.plan.name,
                "arm": trial.arm,
            }
            yield from _rows(about, folder.tasks[trial.unit], measured_turns(path))


def session_of(plan: str, task: str, arm: str) -> str:
    """The name of a measured run's transcript."""
    return f"{plan}/{task}/{arm}"


def _rows(about: dict[str, str], task: Task, turns: list[Turn]) -> Iterator[Row]:
    begun = next((turn.time for turn in turns if turn.time is not None), None)
    for number, turn in enumerate(turns):
        since = None
        if begun is not None and turn.time is not None:
            since = round(turn.time - begun, 1)
        yield {
            "plan": "",
            "arm": "",
            **about,
            "task": task.name,
            **family_columns(task),
            "turn": number,
            "seconds": since,
            "role": turn.role,
            "tool": turn.tool,
            "command": turn.command,
            "exit": turn.exit,
            "text": turn.text,
        }


def family_columns(task: Task) -> Row:
    family = task.family
    return {
        "family": family.full_name,
        "kind": family.kind,
        "project": family.project,
        "number": task.number,
    }


def learning_turns(path: Path) -> list[Turn]:
    lines = enumerate(path.read_bytes().splitlines(), 1)
    return [
        replace(turn, line=number)
        for number, line in lines
        for turn in _of_line(msgspec.json.decode(line))
    ]


def _of_line(line: dict[str, Any]) -> Iterator[Turn]:
    time = datetime.fromisoformat(line["timestamp"]).timestamp()
    message = line.get("message")
    if message is None:  # something that is no turn of the conversation
        return
    content = message["content"]
    if isinstance(content, str):
        yield Turn(role=message["role"], text=content, time=time)
        return
    for block in content:
        if block["type"] == "text":
            yield Turn(role="assistant", text=block["text"], time=time)
        elif block["type"] == "tool_use":
            command = block["input"].get("command", "")
            yield Turn(role="assistant", tool=block["name"], command=command, time=time)
        elif block["type"] == "tool_result":
            yield _result(block, time)


def _result(block: dict[str, Any], time: float) -> Turn:
    text, code = str(block["content"]), 0
    stated = _EXIT.match(text)
    if block["is_error"]:
        code = int(stated[1]) if stated else 1
        text = text[stated.end() :] if stated else text
    return Turn(role="tool", tool="Bash", exit=code, text=text, time=time)


def measured_turns(path: Path) -> list[Turn]:
    messages = msgspec.json.decode(path.read_bytes())["messages"]
    return [_of_message(message) for message in messages if message["role"] != "exit"]


def _of_message(message: dict[str, Any]) -> Turn:
    extra = message.get("extra") or {}
    text, time = _text(message.get("content")), extra.get("timestamp")
    if message["role"] == "assistant":
        commands = [action["command"] for action in extra.get("actions") or ()]
        return Turn(
            role="assistant",
            text=text,
            tool="bash" if commands else "",
            command="\n".join(commands),
            time=time,
        )
    if extra.get("returncode") is not None:
        return Turn(
            role="tool",
            tool="bash",
            exit=extra["returncode"],
            text=text,
            time=time,
            hint=extra.get("afterglow") or "",
        )
    return Turn(role=message["role"], text=text, time=time)


def _text(content: Any) -> str:
    if isinstance(content, list):
        return "".join(str(part.get("text") or "") for part in content)
    return str(content or "")
