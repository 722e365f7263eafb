"""Codex: a rollout file, calls and their outputs as response items."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from bench.attacks.attack import Turn
from bench.attacks.transcripts.setting import Setting, compact, iso

Record = dict[str, Any]


def write(setting: Setting, turns: Sequence[Turn]) -> Path:
    folder = setting.sessions / "codex"
    folder.mkdir(parents=True, exist_ok=True)
    stamp = iso(setting.start)[:19].replace(":", "-")
    path = folder / f"rollout-{stamp}-{setting.id}.jsonl"
    times = setting.times()
    lines = [
        compact({"timestamp": iso(next(times)), **record})
        for record in _records(setting, turns)
    ]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def _records(setting: Setting, turns: Sequence[Turn]) -> Iterator[Record]:
    meta = {
        "id": setting.id,
        "timestamp": iso(setting.start),
        "cwd": str(setting.cwd),
        "originator": "codex_exec" if setting.headless else "codex_cli_rs",
        "cli_version": "0.166.0",
        "source": "exec" if setting.headless else "cli",
        "git": {"branch": setting.branch, "repository_url": setting.remote},
    }
    yield {"type": "session_meta", "payload": meta}
    context = {"cwd": str(setting.cwd), "model": "model-x"}
    yield {"type": "turn_context", "payload": context}
    for number, turn in enumerate(turns):
        if turn.user:
            yield _message("user", turn.user)
            spoken = {"type": "user_message", "message": turn.user}
            yield {"type": "event_msg", "payload": spoken}
        elif turn.meta:
            yield _message("user", turn.meta)
        elif turn.summary:
            yield {"type": "compacted", "payload": {"message": turn.summary}}
        elif turn.line:
            yield turn.line
        elif turn.say:
            yield _message("assistant", turn.say)
        else:
            yield from _call(f"call_{number}", turn)


def _call(id: str, turn: Turn) -> Iterator[Record]:
    name, arguments = (
        ("exec_command", {"cmd": turn.run}) if turn.run else (turn.tool, turn.args)
    )
    call = {
        "type": "function_call",
        "name": name,
        "arguments": json.dumps(arguments),
        "call_id": id,
    }
    yield {"type": "response_item", "payload": call}
    output = turn.out
    if turn.run:
        output = (
            f"Chunk ID: a1b2c3\nWall time: 0.2000 seconds\nProcess exited with code {turn.code}\n"
            f"Original token count: 9\nOutput:\n{turn.out}"
        )
    result = {"type": "function_call_output", "call_id": id, "output": output}
    yield {"type": "response_item", "payload": result}


def _message(role: str, text: str) -> Record:
    kind = "output_text" if role == "assistant" else "input_text"
    payload = {
        "type": "message",
        "role": role,
        "content": [{"type": kind, "text": text}],
    }
    return {"type": "response_item", "payload": payload}
