"""`~/.gemini/tmp/<project>/chats/session-<time>-<id>.json`: one document a session, results inside the calls."""

from __future__ import annotations

from hashlib import sha256

from afterglow_demo.filler import Quoted, unquote
from afterglow_demo.plan import Plan
from afterglow_demo.story import Act, Ask, Reply, Story
from afterglow_demo.timestamps import encoded, iso, stamp

FORMAT = "gemini-cli"
REPLIES_COUNT = True

_TOOLS = {
    "shell": "run_shell_command",
    "read": "read_file",
    "edit": "replace",
    "write": "write_file",
    "search": "search_file_content",
    "fetch": "web_fetch",
    "web": "google_web_search",
}


def path(plan: Plan) -> str:
    return f".gemini/tmp/{_project(plan)}/chats/session-{stamp(plan.start, '%Y-%m-%dT%H-%M')}-{plan.id[:8]}.json"


def _project(plan: Plan) -> str:
    return sha256(plan.cwd.encode()).hexdigest()


def call(act: Act, plan: Plan) -> tuple[str, dict[str, object]]:
    arguments: dict[str, dict[str, object]] = {
        "shell": {"command": act.target, "description": "Runs a command"},
        "read": {"file_path": act.target},
        "edit": {
            "file_path": act.target,
            "old_string": "pass",
            "new_string": unquote(act.detail),
        },
        "write": {"file_path": act.target, "content": unquote(act.detail)},
        "search": {"pattern": act.target},
        "fetch": {"prompt": f"Summarise {act.target}"},
        "web": {"query": act.target},
    }
    return _TOOLS[act.verb], arguments[act.verb]


def encode(story: Story) -> bytes:
    plan, messages = story.plan, []
    for number, event in enumerate(story.events):
        id = f"{plan.id[:24]}{number:012d}"
        if type(event) is Ask:
            messages.append(
                f'{{"id": "{id}", "timestamp": "{iso(event.at)}", "type": "user", "content": "{event.text}"}}'
            )
        elif type(event) is Reply:
            messages.append(_reply(plan, id, number, event))
    body = ",\n    ".join(messages)
    last = iso(story.clock)
    return (
        f'{{\n  "sessionId": "{plan.id}",\n  "projectHash": "{_project(plan)}",\n  "startTime": "{iso(plan.start)}",\n'
        f'  "lastUpdated": "{last}",\n  "messages": [\n    {body}\n  ]\n}}\n'
    ).encode()


def _reply(plan: Plan, id: str, number: int, event: Reply) -> str:
    sent = 9000 + 700 * number
    tokens = {
        "input": sent,
        "output": 60,
        "cached": sent // 2,
        "thoughts": 90,
        "tool": 0,
        "total": sent + 150,
    }
    calls = [
        _call(plan, f"{act.verb}-{number}-{place}", event.at, act)
        for place, act in enumerate(event.acts)
    ]
    tools = f', "toolCalls": [{", ".join(calls)}]' if calls else ""
    return (
        f'{{"id": "{id}", "timestamp": "{iso(event.at)}", "type": "gemini", "content": "{event.text}"{tools}, '
        f'"thoughts": [], "model": "{plan.model}", "tokens": {encoded(tokens)}}}'
    )


def _call(plan: Plan, place: str, at: float, act: Act) -> str:
    tool, arguments = call(act, plan)
    id = f"{tool}-{plan.id[:8]}-{place}"
    status, response = _response(act)
    result = f'{{"functionResponse": {{"id": "{id}", "name": "{tool}", "response": {{{response}}}}}}}'
    return (
        f'{{"id": "{id}", "name": "{tool}", "args": {encoded(arguments)}, "result": [{result}], "status": "{status}", '
        f'"timestamp": "{iso(at + act.took)}", "displayName": "{tool}", "renderOutputAsMarkdown": true}}'
    )


def _response(act: Act) -> tuple[str, str]:
    """A command that ended badly is a success of the tool: only its text tells."""
    if act.verb == "shell":
        return "success", f'"output": "{_shell(act)}"'
    if act.end == "failed":
        return "error", f'"error": "{act.result}"'
    return "success", f'"output": "{act.result}"'


def _shell(act: Act) -> Quoted:
    code = str(act.code) if act.code else "(none)"
    return Quoted(
        f"Output: {act.result}\\nError: (none)\\nExit Code: {code}\\nSignal: (none)"
    )
