"""Gemini CLI: lines of messages, a call inside the message that made it. The folder stands beside `chats`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from bench.attacks.attack import Turn
from bench.attacks.transcripts.setting import Setting, compact, iso

Record = dict[str, Any]


def write(setting: Setting, turns: Sequence[Turn]) -> Path:
    folder = setting.sessions / "gemini" / setting.cwd.name / "chats"
    folder.mkdir(parents=True, exist_ok=True)
    (folder.parent / ".project_root").write_text(str(setting.cwd), encoding="utf-8")
    path = folder / f"session-{iso(setting.start)[:10]}-{setting.id[:8]}.jsonl"
    header = {
        "sessionId": setting.id,
        "projectHash": "cd" * 32,
        "startTime": iso(setting.start),
        "lastUpdated": iso(setting.start),
        "kind": "main",
    }
    lines = [header, *_messages(setting, turns)]
    text = "\n".join(compact(line) for line in lines)
    path.write_text(text + "\n", encoding="utf-8")
    return path


def _messages(setting: Setting, turns: Sequence[Turn]) -> Iterator[Record]:
    for number, (turn, time) in enumerate(zip(turns, setting.times(), strict=False)):
        frame = {"id": f"m{number}", "timestamp": iso(time)}
        asked = turn.user or turn.meta or turn.summary
        if asked:
            yield {**frame, "type": "user", "content": [{"text": asked}]}
            continue
        answer = {**frame, "type": "gemini", "content": turn.say, "model": "model-x"}
        if not turn.say:
            answer["toolCalls"] = [_call(f"c{number}", turn, iso(time))]
        yield answer


def _call(id: str, turn: Turn, stamp: str) -> Record:
    name, arguments, output = turn.tool, turn.args, turn.out
    if turn.run:
        name, arguments = "run_shell_command", {"command": turn.run}
        output = f"Output: {turn.out}\nExit Code: {turn.code}"
    key = "error" if turn.code and not turn.run else "output"
    response = {"id": id, "name": name, "response": {key: output}}
    return {
        "id": id,
        "name": name,
        "args": arguments,
        "status": "error" if turn.code and not turn.run else "success",
        "timestamp": stamp,
        "result": [{"functionResponse": response}],
    }
