"""Hermes: an export, one session a line."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from bench.attacks.attack import Turn
from bench.attacks.transcripts.setting import Setting

Record = dict[str, Any]


def write(setting: Setting, turns: Sequence[Turn]) -> Path:
    folder = setting.sessions / "hermes"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{setting.id}.jsonl"
    messages = []
    for number, (message, time) in enumerate(
        zip(_messages(turns), setting.times(), strict=False), start=1
    ):
        frame = {"id": number, "session_id": setting.id, "timestamp": time}
        messages.append({**frame, **message})
    session = {
        "id": setting.id,
        "source": "cron" if setting.headless else "cli",
        "model": "model-x",
        "model_config": "{}",
        "system_prompt": "You are Hermes.",
        "started_at": setting.start,
        "ended_at": messages[-1]["timestamp"],
        "end_reason": "cli_close",
        "cwd": str(setting.cwd),
        "messages": messages,
    }
    path.write_text(json.dumps(session, ensure_ascii=False) + "\n", encoding="utf-8")
    return path


def _messages(turns: Sequence[Turn]) -> Iterator[Record]:
    for number, turn in enumerate(turns):
        asked = turn.user or turn.meta or turn.summary
        if asked:
            yield {"role": "user", "content": asked}
        elif turn.say:
            yield {"role": "assistant", "content": turn.say}
        else:
            yield from _call(f"call_{number}", turn)


def _call(id: str, turn: Turn) -> Iterator[Record]:
    name, arguments, content = turn.tool, turn.args, turn.out
    if turn.run:
        name, arguments = "terminal", {"command": turn.run}
        content = json.dumps(
            {"output": turn.out, "exit_code": turn.code, "error": None}
        )
    function = {"name": name, "arguments": json.dumps(arguments)}
    call = {"id": id, "type": "function", "function": function}
    yield {"role": "assistant", "content": "", "tool_calls": [call]}
    yield {"role": "tool", "content": content, "tool_call_id": id, "tool_name": name}
