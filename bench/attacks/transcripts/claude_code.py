"""Claude Code: one record a line, a result filed as a user's message."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from bench.attacks.attack import Turn
from bench.attacks.transcripts.setting import Setting, compact, iso

Record = dict[str, Any]


def write(setting: Setting, turns: Sequence[Turn]) -> Path:
    folder = setting.sessions / "claude" / setting.cwd.name
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{setting.id}.jsonl"
    times = setting.times()
    lines = []
    for number, record in enumerate(_records(setting, turns)):
        frame = {
            "parentUuid": f"u{number - 1}" if number else None,
            "isSidechain": False,
            "userType": "external",
            "entrypoint": "sdk-cli" if setting.headless else "cli",
            "cwd": str(setting.cwd),
            "sessionId": setting.id,
            "version": "2.1.90",
            "gitBranch": setting.branch,
            "timestamp": iso(next(times)),
            "uuid": f"u{number}",
        }
        lines.append(compact({**frame, **record}))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def _records(setting: Setting, turns: Sequence[Turn]) -> Iterator[Record]:
    for number, turn in enumerate(turns):
        id = f"toolu_{number}"
        if turn.user:
            prompt = _user(turn.user)
            yield (
                prompt
                if setting.headless
                else {
                    **prompt,
                    "permissionMode": "default",
                }
            )
        elif turn.meta:
            yield {**_user(turn.meta), "isMeta": True}
        elif turn.summary:
            yield {**_user(turn.summary), "isCompactSummary": True}
        elif turn.line:
            yield turn.line
        elif turn.say:
            yield _assistant(number, {"type": "text", "text": turn.say})
        else:
            yield _assistant(number, _use(id, turn))
            yield _result(id, turn)


def _use(id: str, turn: Turn) -> Record:
    name, arguments = (
        ("Bash", {"command": turn.run}) if turn.run else (turn.tool, turn.args)
    )
    return {"type": "tool_use", "id": id, "name": name, "input": arguments}


def _result(id: str, turn: Turn) -> Record:
    prefix = f"Exit code {turn.code}\n" if turn.run and turn.code else ""
    result = {
        "type": "tool_result",
        "tool_use_id": id,
        "content": prefix + turn.out,
        "is_error": bool(turn.code),
    }
    raw: Any = f"Error: {prefix}{turn.out}" if turn.code else {"stdout": turn.out}
    return {**_user([result]), "toolUseResult": raw}


def _user(content: object) -> Record:
    return {"type": "user", "message": {"role": "user", "content": content}}


def _assistant(number: int, block: Record) -> Record:
    message = {
        "id": f"msg_{number}",
        "type": "message",
        "model": "model-x",
        "role": "assistant",
        "content": [block],
    }
    return {"type": "assistant", "message": message}
