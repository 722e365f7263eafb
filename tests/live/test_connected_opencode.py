"""The real OpenCode, connected, against a stand-in for its model: told behind the output of a call that went wrong."""

from __future__ import annotations

import json

import pytest

from afterglow.records.context import BEHIND_OUTPUT
from live.agent_models import AgentModel
from live.agent_room import REMEDY, AgentRoom
from live.model_server import MODEL, ModelServer, serving

QUESTION = '"light the lamps"'  # OpenCode puts what it is asked in quotes


@pytest.fixture
def room(program, agent_programs, learned, tmp_path):
    program("opencode")
    look = ("bash", {"command": "gh pr diff 7 --stat", "description": "look"})
    with serving(ModelServer({QUESTION: [look, "All done."]})) as model:
        room = AgentRoom(tmp_path, learned, AgentModel(), agent_programs)
        provider = {
            "npm": "@ai-sdk/openai-compatible", "options": {"baseURL": model.url, "apiKey": "invented"},
            "models": {MODEL: {"name": MODEL}},
        }  # fmt: skip
        name = f"here/{MODEL}"
        settings = {"provider": {"here": provider}, "model": name, "small_model": name}
        folder = tmp_path / ".config/opencode"
        folder.mkdir(parents=True)
        text = json.dumps({**settings, "autoupdate": False, "share": "disabled"})
        (folder / "opencode.json").write_text(text)
        yield room, model


def test_a_failed_call_is_told_about_behind_its_output(room):
    room, model = room
    room.afterglow("connect", "opencode", "--write-with", "nobody")
    plugin = room.folder / ".config/opencode/plugin/afterglow.js"
    assert plugin.exists()
    room.run("opencode", "run", "light the lamps")
    (output,) = model.results()
    assert REMEDY in output.rpartition(BEHIND_OUTPUT)[2]
    assert [delivery.when for delivery in room.told()] == ["failure"]
    room.afterglow("disconnect", "opencode")
    assert not plugin.exists()
