"""Events as the real programs tell them, in our words."""

from __future__ import annotations

import json

import pytest

from afterglow.hooks.dialects import DIALECTS
from afterglow.hooks.event import Event
from hooks.calling import event


def read(name: str, agent: str = "claude-code", **changed: object) -> Event:
    told = json.dumps(event(name, agent, **changed)).encode()
    return DIALECTS.load(agent).read(told, "")


def test_a_call_that_failed():
    (call,) = read("PostToolUseFailure").calls
    assert call.failed and call.tool == "Bash" and call.id == "toolu_01PierPierPier"
    assert json.loads(call.arguments)["command"] == "lampctl ignite"
    assert call.result == "Exit code 1\nlampctl: error: the oil is low"


def test_a_call_that_ended_well_with_what_it_printed():
    (call,) = read("PostToolUse").calls
    assert not call.failed and call.result == "lampctl: error: the oil is low"


def test_of_a_batch_only_what_was_refused():
    (call,) = read("PostToolBatch").calls
    assert call.failed and call.tool == "Edit"
    assert call.result.startswith("<tool_use_error>String to replace not found")


def test_a_call_that_a_person_stopped_is_no_failure():
    assert read("PostToolUseFailure", is_interrupt=True).calls == ()


def test_codex_tells_no_exit_code():
    (call,) = read("PostToolUse", "codex").calls
    assert (call.tool, call.failed) == ("Bash", False)
    assert call.result == "lampctl: error: the oil is low\n"


@pytest.mark.parametrize(
    ("response", "text"),
    [
        ("plain", "plain"),
        ({"stdout": "a", "stderr": "b"}, "a\nb"),
        ([{"type": "text", "text": "a"}, {"type": "image"}], "a"),
        ({"content": [{"type": "text", "text": "a"}], "isError": True}, "a"),
        ({"filePath": "/x", "success": True}, ""),
        (None, ""),
        (7, ""),
    ],
)
def test_results_come_in_many_shapes(response, text):
    (call,) = read("PostToolUse", tool_response=response).calls
    assert call.result == text


def test_a_sub_agent_has_a_transcript_of_its_own():
    told = read("PostToolUseFailure", agent_id="a1")
    assert told.subagent == "a1"
    assert told.transcript.endswith("6c1f6f0e7a11/subagents/agent-a1.jsonl")
    assert read("SubagentStart").kind == "subagent"


def test_codex_tells_the_transcript_of_a_sub_agent_itself():
    path = "/home/ana/.codex/sessions/rollout-2026-10-01T09-00-00-019d1f00-b1.jsonl"
    told = {"agent_id": "019d1f00-b1", "transcript_path": path}
    assert read("PostToolUse", "codex", **told).transcript == path


@pytest.mark.parametrize("name", ["SessionStart", "Stop", "PreToolUse"])
def test_other_events_tell_of_no_call_that_ended(name):
    assert read(name).calls == ()
