"""`session_YYYYMMDD_HHMMSS_hash.jsonl`: plain OpenAI messages, one a line; only the text says how a call went."""

from __future__ import annotations

from afterglow_demo.filler import unquote
from afterglow_demo.plan import Plan
from afterglow_demo.story import Act, Ask, Reply, Story
from afterglow_demo.timestamps import iso, twice

FORMAT = "openai-jsonl"
REPLIES_COUNT = True

TOOLS = {
    "shell": "terminal",
    "read": "read_file",
    "edit": "patch",
    "write": "write_file",
    "search": "search_files",
    "fetch": "web_extract",
    "web": "web_search",
    "delegate": "delegate_task",
}


def path(plan: Plan) -> str:
    return f"openai/{plan.id}.jsonl"


def call(act: Act, plan: Plan) -> tuple[str, dict[str, object]]:
    arguments: dict[str, dict[str, object]] = {
        "shell": {"command": act.target},
        "read": {"path": act.target, "limit": 500},
        "edit": {
            "path": act.target,
            "old_string": "pass",
            "new_string": unquote(act.detail),
        },
        "write": {"path": act.target, "content": unquote(act.detail)},
        "search": {"pattern": act.target, "target": "content"},
        "fetch": {"urls": [act.target]},
        "web": {"query": act.target},
        "delegate": {"goal": act.target},
    }
    return TOOLS[act.verb], arguments[act.verb]


def encode(story: Story) -> bytes:
    plan = story.plan
    out = [
        _line(
            "system",
            "You are a careful assistant. (simulated)",
            plan.start,
            f',"model":"{plan.model}"',
        )
    ]
    number = 0
    for event in story.events:
        if type(event) is Ask:
            out.append(_line("user", event.text, event.at))
        elif type(event) is Reply:
            ids = [
                f"call_{plan.id[-8:]}{number + place:05d}"
                for place in range(len(event.acts))
            ]
            number += len(ids)
            calls = ",".join(
                _call(id, act, plan) for id, act in zip(ids, event.acts, strict=True)
            )
            out.append(
                _line(
                    "assistant",
                    event.text,
                    event.at,
                    f',"tool_calls":[{calls}]' if calls else "",
                )
            )
            at = event.at
            for id, act in zip(ids, event.acts, strict=True):
                at += act.took
                if act.end != "open":
                    name = TOOLS[act.verb]
                    out.append(
                        _line(
                            "tool",
                            _text(act),
                            at,
                            f',"tool_call_id":"{id}","name":"{name}"',
                        )
                    )
    return "".join(out).encode()


def _line(role: str, text: str, at: float, more: str = "") -> str:
    return f'{{"role":"{role}","content":"{text}"{more},"timestamp":"{iso(at)}"}}\n'


def _call(id: str, act: Act, plan: Plan) -> str:
    tool, arguments = call(act, plan)
    return f'{{"id":"{id}","type":"function","function":{{"name":"{tool}","arguments":"{twice(arguments)}"}}}}'


def _text(act: Act) -> str:
    if act.end == "blocked":
        return f"User rejected this call: {act.reason}"
    if act.end == "cancelled":
        return "Skipped: another call of this turn failed."
    if act.end == "failed":
        return (
            f"Error: command ended with exit code {act.code}\\n{act.result}"
            if act.code
            else f"Error: {act.result}"
        )
    return act.result
