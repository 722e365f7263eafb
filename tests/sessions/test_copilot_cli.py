"""Copilot CLI sessions beyond the fixture: sub-agents between the lines, and the folder that names a session."""

from __future__ import annotations

import json

from afterglow import sessions
from afterglow.records import Mark, Outcome


def event(kind, agent="", **data):
    return {
        "type": kind,
        "data": data,
        "timestamp": "2026-04-01T10:00:00Z",
        **({"agentId": agent} if agent else {}),
    }


def ask(id, tool, agent="", **arguments):
    request = {"toolCallId": id, "name": tool, "arguments": arguments}
    return event(
        "assistant.message", agent, messageId=id, content="", toolRequests=[request]
    )


def done(id, text, agent=""):
    return event(
        "tool.execution_complete",
        agent,
        toolCallId=id,
        success=True,
        result={"content": text},
    )


def write(path, *events):
    text = "".join(json.dumps(one, separators=(",", ":")) + "\n" for one in events)
    path.write_text(text, encoding="utf-8")
    return path


START = event(
    "session.start",
    sessionId="s1",
    context={"cwd": "/home/ana/src/harbor", "branch": "main"},
)


def test_a_sub_agent_between_the_lines_is_a_session_of_its_own(tmp_path):
    path = write(
        tmp_path / "s1.jsonl",
        START,
        event("user.message", content="explore the packages"),
        ask("c1", "task", prompt="list packages"),
        event("subagent.started", toolCallId="c1", agentName="explore"),
        ask("c2", "bash", "agent-7", command="ls packages"),
        done("c2", "dock\nquay\n<shellId: 0 completed with exit code 0>", "agent-7"),
        event("assistant.message", "agent-7", content="dock and quay"),
        event("subagent.completed", toolCallId="c1", agentName="explore"),
        done("c1", "dock and quay"),
        event("assistant.message", content="Two packages."),
    )
    main, sub = sessions.load(path)
    assert [call.tool for call in main.calls] == ["task"]
    assert [call.tool for call in sub.calls] == ["bash"]
    assert (sub.id, sub.origin, sub.parent, sub.parent_by) == (
        "s1/agent-7",
        "subagent",
        "s1",
        "subagent",
    )
    assert sub.cwd == main.cwd == "/home/ana/src/harbor"
    assert {main.mark, sub.mark} == {Mark()}


def test_a_session_without_a_readable_start_is_named_by_its_folder(tmp_path):
    folder = tmp_path / "5e551011"
    folder.mkdir()
    resumed = event(
        "session.resume",
        resumeTime="2026-04-01T10:00:00Z",
        eventCount=2,
        sessionId=None,
    )
    (session,) = sessions.load(
        write(folder / "events.jsonl", resumed, event("user.message", content="go on"))
    )
    assert session.id == "5e551011"


def test_a_session_taken_up_again_after_its_shutdown_is_not_closed(tmp_path):
    end = event("session.shutdown", shutdownType="routine", modelMetrics={})
    path = write(
        tmp_path / "s1.jsonl", START, event("user.message", content="hello"), end
    )
    assert sessions.load(path)[0].ending == "closed"
    again = event("session.resume"), event("user.message", content="one more thing")
    write(path, START, event("user.message", content="hello"), end, *again)
    assert sessions.load(path)[0].ending == "open"


def test_the_free_text_of_a_custom_tool_is_still_json(tmp_path):
    request = {
        "toolCallId": "c1",
        "name": "apply_patch",
        "type": "custom",
        "arguments": "*** Begin Patch",
    }
    message = event("assistant.message", content="", toolRequests=[request])
    (session,) = sessions.load(
        write(tmp_path / "s1.jsonl", START, message, done("c1", "Done!"))
    )
    assert json.loads(session.calls[0].arguments) == {"input": "*** Begin Patch"}
    assert session.calls[0].outcome is Outcome.OK
