"""mini-swe-agent: one trajectory a file, every action a shell command."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from bench.attacks.attack import Turn
from bench.attacks.transcripts.setting import Setting

Record = dict[str, Any]


def write(setting: Setting, turns: Sequence[Turn]) -> Path:
    folder = setting.sessions / "mini"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{setting.id}.traj.json"
    config = {
        "agent": {"step_limit": 0},
        "agent_type": "minisweagent.agents.default.DefaultAgent",
        "model": {"model_name": "example/model-small"},
        "environment": {"cwd": str(setting.cwd)},
    }
    info = {
        "model_stats": {"instance_cost": 0.01, "api_calls": len(turns)},
        "config": config,
        "mini_version": "2.0.0",
        "exit_status": "Submitted",
        "submission": "",
    }
    system = {"role": "system", "content": "You can call the bash tool."}
    messages = [system, *_messages(setting, turns)]
    document = {
        "info": info,
        "messages": messages,
        "trajectory_format": "mini-swe-agent-1",
    }
    path.write_text(json.dumps(document, ensure_ascii=False), encoding="utf-8")
    return path


def _messages(setting: Setting, turns: Sequence[Turn]) -> Iterator[Record]:
    for number, (turn, time) in enumerate(zip(turns, setting.times(), strict=False)):
        asked = turn.user or turn.meta or turn.summary
        if asked:
            yield {"role": "user", "content": [{"type": "text", "text": asked}]}
        elif turn.say:
            yield {"role": "assistant", "content": turn.say, "extra": _extra(time, [])}
        else:
            yield from _call(f"call_{number}", turn, time)


def _call(id: str, turn: Turn, time: float) -> Iterator[Record]:
    command = turn.run or f"{turn.tool} {json.dumps(turn.args)}"
    function = {"name": "bash", "arguments": json.dumps({"command": command})}
    action = {"command": command, "tool_call_id": id}
    yield {
        "role": "assistant",
        "content": "",
        "extra": _extra(time, [action]),
        "tool_calls": [{"id": id, "type": "function", "function": function}],
    }
    content = f"<returncode>{turn.code}</returncode>\n<output>\n{turn.out}\n</output>"
    result = {"raw_output": turn.out, "returncode": turn.code, "timestamp": time + 1}
    yield {"role": "tool", "tool_call_id": id, "content": content, "extra": result}


def _extra(time: float, actions: list[Record]) -> Record:
    usage = {"prompt_tokens": 90, "completion_tokens": 9, "total_tokens": 99}
    response = {"model": "example/model-small", "created": int(time), "usage": usage}
    return {"response": response, "actions": actions, "cost": 0.001, "timestamp": time}
