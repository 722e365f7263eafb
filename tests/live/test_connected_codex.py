"""The real Codex, connected, against a stand-in for its model: what it is told, when, and that it can be proved."""

from __future__ import annotations

import json

import pytest

from afterglow.connect.codex_trust import state_entries
from afterglow.flows.doctor import doctor
from afterglow.harvest.voices import voiced
from afterglow.sessions import load
from live.agent_models import AgentModel, serving_agents
from live.agent_room import REMEDY, AgentRoom

OURS = "What earlier sessions in harbor taught"
FREELY = ("--dangerously-bypass-approvals-and-sandbox",)
SETTINGS = """model = "invented"
model_provider = "here"
[model_providers.here]
name = "here"
base_url = "{url}/v1"
wire_api = "responses"
env_key = "INVENTED_KEY"
[projects."{checkout}"]
trust_level = "trusted"
"""


def shell(command: str) -> list[tuple[str, dict[str, str]]]:
    return [("exec_command", {"cmd": command})]


@pytest.fixture
def room(program, agent_programs, learned, tmp_path):
    program("codex")
    with serving_agents(AgentModel()) as model:
        room = AgentRoom(tmp_path, learned, model, agent_programs)
        room.variables["INVENTED_KEY"] = "invented"
        (tmp_path / ".codex").mkdir()
        text = SETTINGS.format(url=model.url, checkout=room.checkout)
        (tmp_path / ".codex/config.toml").write_text(text)
        room.afterglow("connect", "codex", "--write-with", "nobody")
        yield room


def ask(room: AgentRoom, message: str, *words: str) -> str:
    trusted = ("--dangerously-bypass-hook-trust",)
    return room.run("codex", "exec", *FREELY, *trusted, *words, message)


def test_a_session_is_told_at_its_start_and_once_on_a_failure(room):
    room.model.script = {
        "light the lamps": [
            shell("gh pr diff 7 --stat"),
            shell("gh pr diff 8 --stat 2>&1 | tail -2"),
            shell("gh pr diff 9 --name-only"),
        ]
    }
    ask(room, "light the lamps")
    (start,) = room.told("start")
    (line,) = room.told("failure")
    requests = [json.dumps(body) for body in room.model.asked()]
    assert OURS in requests[0] and start.tokens <= 600
    assert requests[1].count(REMEDY) > requests[0].count(REMEDY)
    assert line.call == "call_0_0_0"
    room.harvest()
    assert {delivery.state for delivery in room.told()} == {"delivered"}
    room.afterglow("disconnect", "codex")
    assert not (room.folder / ".codex/hooks.json").exists()


def trust(room: AgentRoom) -> None:
    """As a person does with /hooks."""
    hooks = room.folder / ".codex/hooks.json"
    lines = [
        f'[hooks.state."{key}"]\ntrusted_hash = "{hash}"\n'
        for key, hash in state_entries(hooks, hooks.read_bytes()).items()
    ]
    settings = room.folder / ".codex/config.toml"
    settings.write_text(settings.read_text() + "".join(lines))


def checkup(room: AgentRoom) -> str:
    """What doctor says about trust."""
    report = doctor(room.config)
    texts = [line.text for line in report.findings if "trusted" in line.text]
    return " ".join(texts)


def test_hooks_run_once_they_are_trusted_and_doctor_knows(room, monkeypatch):
    monkeypatch.setenv("PATH", room.path)
    room.run("codex", "exec", *FREELY, "light")
    assert room.told() == [] and "skips them without a word" in checkup(room)
    trust(room)
    room.run("codex", "exec", *FREELY, "light")
    assert len(room.told("start")) == 1
    assert checkup(room) == "codex: its hooks are trusted"
    hooks = room.folder / ".codex/hooks.json"
    hooks.write_text(hooks.read_text().replace('"timeout": 3', '"timeout": 2'))
    room.run("codex", "exec", *FREELY, "light")
    assert len(room.told("start")) == 1 and "changed since" in checkup(room)


def test_after_a_compaction_the_same_context_comes_again(room):
    room.model.script = {"light the lamps": [shell("seq 1 3"), shell("seq 2 4")]}
    room.model.answer = "They lit lamps."  # also where Codex asks for a summary
    room.model.first_usage = (9_000, 10)  # more than Codex is to keep
    settings = room.folder / ".codex/config.toml"
    limit = "model_auto_compact_token_limit = 5000\n"
    settings.write_text(limit + settings.read_text())
    ask(room, "light the lamps")
    (start,) = room.told("start")
    last = json.dumps(room.model.asked()[-1]["input"])
    assert "They lit lamps." in last and last.count(start.id) == 1
    assert len(room.told("compaction")) == 1
    room.harvest()
    assert {delivery.state for delivery in room.told()} == {"delivered"}


def test_a_sub_agent_is_told_little_and_hears_of_its_own_failures(room):
    room.model.script = {
        "send somebody": [
            [("multi_agent_v1.spawn_agent", {"message": "count the lamps"})],
            shell("until test -e counted; do sleep 0.1; done"),
        ],
        "count the lamps": [shell("gh pr diff 7 --stat"), shell("touch counted")],
    }
    ask(room, "send somebody")
    (little,) = room.told("subagent")
    (line,) = room.told("failure")
    assert little.tokens <= 150 and line.session.startswith(little.session)
    inner = [body for body in room.model.asked() if little.id in json.dumps(body)]
    first, second = (json.dumps(body["input"]) for body in inner[:2])
    assert second.count(REMEDY) > first.count(REMEDY)
    room.harvest()
    assert {delivery.state for delivery in room.told()} == {"delivered"}


def test_ordinary_work_is_told_nothing(room):
    room.model.script = {"light": [shell("gh pr diff 7 --name-only"), shell("ls")]}
    ask(room, "light")
    assert [delivery.when for delivery in room.told()] == ["start"]


def test_what_a_headless_run_was_asked_is_nobodys_voice(room):
    ask(room, "never sail at night")
    (path,) = (room.folder / ".codex/sessions").rglob("*.jsonl")
    (session,) = load(path)
    prompts = [turn for turn in voiced(session) if "sail at night" in turn.text]
    assert {turn.voice for turn in prompts if turn.role == "user"} == {"outside"}
