"""tau2-bench: a result file with one simulation; both sides are played by models."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bench.attacks.attack import Turn
from bench.attacks.transcripts.setting import Setting

Record = dict[str, Any]


def write(setting: Setting, turns: Sequence[Turn]) -> Path:
    folder = setting.sessions / "tau2"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{setting.id}.json"
    agent = {"implementation": "llm_agent", "llm": "example/model-large"}
    user = {"implementation": "user_simulator", "llm": "example/user-model"}
    info = {
        "git_commit": "0000000",
        "num_trials": 1,
        "max_steps": 200,
        "max_errors": 10,
        "user_info": user,
        "agent_info": agent,
        "environment_info": {"domain_name": "ferry", "policy": "Be helpful."},
        "seed": 300,
    }
    simulation = {
        "id": setting.id,
        "task_id": "tide",
        "timestamp": _stamp(setting.start),
        "start_time": _stamp(setting.start),
        "end_time": _stamp(setting.start + 600),
        "duration": 600.0,
        "termination_reason": "user_stop",
        "reward_info": {"reward": 1.0},
        "trial": 0,
        "seed": 1,
        "messages": list(_messages(setting, turns)),
    }
    document = {
        "timestamp": _stamp(setting.start),
        "info": info,
        "tasks": [{"id": "tide"}],
        "simulations": [simulation],
    }
    path.write_text(json.dumps(document, ensure_ascii=False), encoding="utf-8")
    return path


def _messages(setting: Setting, turns: Sequence[Turn]) -> Iterator[Record]:
    for number, (turn, time) in enumerate(zip(turns, setting.times(), strict=False)):
        frame = {"turn_idx": number, "timestamp": _stamp(time)}
        if turn.user or turn.say:
            role = "user" if turn.user else "assistant"
            yield {**frame, "role": role, "content": turn.user or turn.say}
            continue
        name, arguments = turn.tool or "bash", turn.args or {"command": turn.run}
        call = {"id": f"c{number}", "name": name, "arguments": arguments}
        call["requestor"] = "assistant"
        yield {**frame, "role": "assistant", "content": None, "tool_calls": [call]}
        result = {"id": f"c{number}", "role": "tool", "content": turn.out}
        yield {**frame, **result, "requestor": "assistant", "error": bool(turn.code)}


def _stamp(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%S.000000")
