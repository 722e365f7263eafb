"""The real Claude Code, connected, against a stand-in for its model: what it is told, when, and that it can be proved."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from afterglow.harvest.voices import voiced
from afterglow.sessions import load
from live.agent_models import AgentModel, serving_agents
from live.agent_room import REMEDY, AgentRoom

PLUGIN = Path(__file__).parents[2] / "integrations/claude-code"
OURS = "What earlier sessions in harbor taught"
EDIT = {
    "old_string": "    if tide {\n        return high",
    "new_string": "    return low",
}


def bash(command: str) -> list[tuple[str, dict[str, str]]]:
    return [("Bash", {"command": command, "description": "look"})]


@pytest.fixture
def room(program, agent_programs, learned, tmp_path):
    program("claude")
    with serving_agents(AgentModel()) as model:
        room = AgentRoom(tmp_path, learned, model, agent_programs)
        room.variables.update(
            ANTHROPIC_BASE_URL=model.url,
            ANTHROPIC_API_KEY="invented",
            DISABLE_TELEMETRY="1",
            DISABLE_AUTOUPDATER="1",
            CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC="1",
        )
        (tmp_path / ".claude").mkdir()
        (tmp_path / ".claude/settings.json").write_text('{"cleanupPeriodDays":  99}\n')
        yield room


def ask(room: AgentRoom, message: str, *words: str) -> str:
    return room.run("claude", "-p", message, "--dangerously-skip-permissions", *words)


def test_a_session_is_told_at_its_start_and_once_on_each_failure(room):
    before = room.files(".claude")
    room.model.script = {
        "light the lamps": [
            bash("gh pr diff 7 --stat"),
            bash("gh pr diff 8 --stat"),
            bash("gh pr diff 9 --name-only"),
            [("Read", {"file_path": f"{room.checkout}/lamp.go"})],
            [("Edit", {**EDIT, "file_path": f"{room.checkout}/lamp.go"})],
        ],
    }
    room.afterglow("connect", "claude-code", "--write-with", "nobody")
    ask(room, "light the lamps")
    (start,) = room.told("start")
    first, second = room.told("failure")
    last = json.dumps(room.model.asked()[-1]["messages"], ensure_ascii=False)
    assert OURS in json.dumps(room.model.asked()[0]) and start.tokens <= 600
    assert last.count("tab") and first.items and not second.items
    assert {first.call, second.call} == {"call_0_0_0", "call_0_4_0"}
    room.harvest()
    assert {delivery.state for delivery in room.told()} == {"delivered"}
    room.afterglow("disconnect", "claude-code")
    after = room.files(".claude")
    assert {name: after[name] for name in before} == before


def test_a_failure_behind_a_pipe_is_told(room):
    room.model.script = {"light": [bash("gh pr diff 7 --stat 2>&1 | tail -3")]}
    room.afterglow("connect", "claude-code", "--write-with", "nobody")
    ask(room, "light")
    assert [delivery.when for delivery in room.told()] == ["start", "failure"]
    assert REMEDY in json.dumps(room.model.asked()[-1]["messages"][-2:])


def test_ordinary_work_is_told_nothing(room):
    room.model.script = {
        "light": [bash("gh pr diff 7 --name-only | tail -3"), bash("ls; false")]
    }
    room.afterglow("connect", "claude-code", "--write-with", "nobody")
    ask(room, "light")
    assert [delivery.when for delivery in room.told()] == ["start"]


def test_after_a_compaction_the_same_context_comes_again(room):
    room.model.script = {
        "light the lamps": [bash("seq 1 3"), bash("seq 2 4")],
        "detailed summary of": ["<summary>They lit lamps.</summary>"],
        "go on": ["Gladly."],
    }
    room.afterglow("connect", "claude-code", "--write-with", "nobody")
    ask(room, "light the lamps")
    (start,) = room.told("start")
    ask(room, "/compact", "--resume", start.session)
    ask(room, "go on", "--resume", start.session)
    last = json.dumps(room.model.asked()[-1]["messages"])
    assert "They lit lamps." in last and "seq 1 3" not in last
    assert last.count(start.id) == 1
    assert len(room.told("start")) == len(room.told("compaction")) == 1
    room.harvest()
    assert {delivery.state for delivery in room.told()} == {"delivered"}


def test_a_sub_agent_is_told_little_and_hears_of_its_own_failures(room):
    task = {
        "description": "count",
        "prompt": "count the lamps",
        "subagent_type": "general-purpose",
    }
    room.model.script = {
        "send somebody": [[("Agent", task)]],
        "count the lamps": [bash("gh pr diff 7 --stat")],
    }  # fmt: skip
    room.afterglow("connect", "claude-code", "--write-with", "nobody")
    ask(room, "send somebody")
    (little,) = room.told("subagent")
    (line,) = room.told("failure")
    assert little.tokens <= 150 and line.session.startswith(little.session)
    inner = [body for body in room.model.asked() if little.id in json.dumps(body)]
    first, second = (json.dumps(body["messages"]) for body in inner)
    assert second.count(REMEDY) > first.count(REMEDY)
    room.harvest()
    # Claude Code does not write down what a hook says after a call of a sub-agent.
    states = {delivery.when: delivery.state for delivery in room.told()}
    assert states == {
        "start": "delivered",
        "subagent": "delivered",
        "failure": "waiting",
    }


def test_a_rule_of_a_person_is_recalled_before_its_command_and_no_other(room):
    room.model.script = {"light": [bash("git status"), bash("cd . && git push")]}
    room.afterglow("connect", "claude-code", "--hints", "--write-with", "nobody")
    ask(room, "light")
    (rule,) = room.told("call")
    assert "ask me before" in json.dumps(room.model.asked()[-1]["messages"][-2:])
    assert rule.id not in json.dumps(room.model.asked()[-2])


def test_an_older_connection_is_brought_up_to_date(room):
    command = "/elsewhere/afterglow hook SessionStart --agent claude-code"
    older = [{"hooks": [{"type": "command", "command": command, "timeout": 5}]}]
    settings = {"cleanupPeriodDays": 99, "hooks": {"SessionStart": older}}
    (room.folder / ".claude/settings.json").write_text(json.dumps(settings))
    room.afterglow("connect", "claude-code", "--write-with", "nobody")
    hooks = room.settings(".claude/settings.json")["hooks"]
    assert len(hooks["SessionStart"]) == 1 and "PostToolUseFailure" in hooks
    assert "/elsewhere/" not in json.dumps(hooks)
    room.afterglow("disconnect", "claude-code")
    assert "hooks" not in room.settings(".claude/settings.json")


def test_the_plugin_does_the_same_without_being_connected(room):
    room.path = f"{Path(sys.executable).parent}{os.pathsep}{room.path}"
    room.model.script = {
        "light": [
            bash("gh pr diff 7 --stat 2>&1 | tail -3"),
            [("Edit", {**EDIT, "file_path": f"{room.checkout}/lamp.go"})],
        ]
    }
    ask(room, "light", "--plugin-dir", str(PLUGIN))
    assert [delivery.when for delivery in room.told()][:2] == ["start", "failure"]
    room.harvest()
    assert {delivery.state for delivery in room.told()} == {"delivered"}


def test_what_a_headless_run_was_asked_is_nobodys_voice(room):
    ask(room, "never sail at night")
    (path,) = (room.folder / ".claude/projects").rglob("*.jsonl")
    (session,) = load(path)
    prompts = [turn for turn in voiced(session) if "sail at night" in turn.text]
    assert {turn.voice for turn in prompts if turn.role == "user"} == {"outside"}
