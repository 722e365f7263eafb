"""The real programs of agents as writers, against stand-ins for their models on loopback: what reaches the model, what
comes back, and what is left behind."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest

from afterglow.config import Config
from afterglow.flows.harvest import harvest, plan_writing, write_lessons
from afterglow.flows.model_client import writer_of
from afterglow.flows.read import list_sessions, scan
from afterglow.llm.agents import WRITERS
from afterglow.llm.agents.headless import Headless
from afterglow.llm.request import Manners, Request, Trouble
from afterglow.records.model import Message, TokenUsage
from afterglow.records.selection import EVERYTHING, below
from live.agent_models import USAGE, AgentModel, serving_agents
from live.hermes_room import hermes_program
from live.model_server import MODEL, ModelServer, serving
from writing import Transcript

INSTRUCTIONS, PROMPT = "You write invented lessons.", "What does the invented tide do?"
ANSWER = '{"lesson": "It turns."}'
MINE = "A word of mine that no writer needs."
SCHEMA = {
    "type": "object",
    "properties": {"lesson": {"type": "string"}},
    "required": ["lesson"],
    "additionalProperties": False,
}


@pytest.fixture
def model():
    with serving_agents(AgentModel(ANSWER)) as model:
        yield model


def variables(home: Path, **more: str) -> dict[str, str]:
    return {"PATH": os.environ["PATH"], "HOME": str(home), "IS_SANDBOX": "1", **more}


def put(path: Path, content: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content)


def request(schema=SCHEMA, **more) -> Request:
    messages = (Message("system", INSTRUCTIONS), Message("user", PROMPT))
    return Request(model="m", messages=messages, max_tokens=500, schema=schema, **more)


def hook(home: Path) -> dict:
    command = {"type": "command", "command": f"touch {home}/hook-ran"}
    return {"SessionStart": [{"hooks": [command]}]}


def sessions(home: Path) -> list[str]:
    """What a scan of that home finds and would learn from."""
    config = Config(home=home / "kept", user_home=home)
    scan(config)
    entries = list_sessions(config, EVERYTHING)
    return [entry.id for entry in entries if entry.origin == "main"]


def check_claude(program: str, home: Path, model: AgentModel) -> Headless:
    put(home / ".claude/settings.json", json.dumps({"hooks": hook(home)}))
    put(home / ".claude/CLAUDE.md", MINE)
    server = {"command": "touch", "args": [f"{home}/mcp-ran"]}
    put(home / ".claude.json", json.dumps({"mcpServers": {"tides": server}}))
    more = {"ANTHROPIC_BASE_URL": model.url, "ANTHROPIC_API_KEY": "invented"}
    found = variables(home, **more)
    return Headless(WRITERS.load("claude"), program, found, timeout=60.0)


def test_claude_code_writes_without_tools_hooks_or_memory(program, tmp_path, model):
    writer = check_claude(program("claude"), tmp_path, model)
    reply = writer.send(request())
    assert json.loads(reply.text) == json.loads(ANSWER)
    assert reply.usage == TokenUsage(*USAGE)
    (asked,) = model.asked()
    assert [tool["name"] for tool in asked["tools"]] == ["StructuredOutput"]
    assert PROMPT in model.sent() and INSTRUCTIONS in model.sent()
    assert MINE not in model.sent() and asked["max_tokens"] < 10_000
    assert sessions(tmp_path) == []
    assert not list(tmp_path.glob("*-ran"))


def test_a_claude_code_that_is_not_let_in_says_so_at_once(program, tmp_path, model):
    model.status = 401
    with pytest.raises(Trouble) as raised:
        check_claude(program("claude"), tmp_path, model).send(request(None))
    assert raised.value.kind == "not let in" and "/login" in str(raised.value)


def test_a_lesson_about_a_problem_comes_from_the_real_claude_code(
    program, tmp_path, model, monkeypatch
):
    def answer(sent: str) -> str:
        lesson = {
            "answer": "lesson", "situation": "`lampctl ignite`: the oil is low", "scope": "repo", "cites": [2, 3, 4],
            "remedy": "fill its tank first, with `lampctl fill --name`", "elsewhere": [], "item": "", "why": "",
        }  # fmt: skip
        ids = re.findall(r"Problem ([0-9a-f]{8,})", sent)
        return json.dumps({"answers": [{"problem": id, **lesson} for id in ids]})

    model.answer = answer
    for number, tank in ((1, "north"), (2, "south")):
        session = Transcript(number, start=1500 * number).user("light the lamps")
        session.run("lampctl ignite", "Exit code 1\nthe oil is low", error=True)
        session.run(f"lampctl fill --name {tank}", "filled")
        session.run("lampctl ignite", "3 lamps are lit").save(tmp_path / "s")
    monkeypatch.setenv("PATH", f"{Path(program('claude')).parent}:{os.environ['PATH']}")
    monkeypatch.setenv("ANTHROPIC_BASE_URL", model.url)
    monkeypatch.setenv("ANTHROPIC_API_KEY", "invented")
    config = Config(home=tmp_path / "kept", user_home=tmp_path)
    harvest(config, below(tmp_path / "s"))
    with writer_of(config, "claude") as writer:
        report = write_lessons(config, writer, plan_writing(config))
    assert report.counts == {"active": 1}
    assert report.spent.usage == TokenUsage(*USAGE)


def test_codex_writes_without_tools_hooks_or_servers(program, tmp_path, model):
    settings = f"""
model = "invented"
model_provider = "here"
notify = ["touch", "{tmp_path}/notify-ran"]
[model_providers.here]
name = "here"
base_url = "{model.url}/v1"
wire_api = "responses"
env_key = "INVENTED_KEY"
[mcp_servers.tides]
command = "touch"
args = ["{tmp_path}/mcp-ran"]
"""
    put(tmp_path / ".codex/config.toml", settings)
    put(tmp_path / ".codex/hooks.json", json.dumps({"hooks": hook(tmp_path)}))
    found = variables(tmp_path, INVENTED_KEY="invented")
    writer = Headless(WRITERS.load("codex"), program("codex"), found, timeout=60.0)
    reply = writer.send(request())
    assert reply.text == ANSWER and reply.usage == TokenUsage(*USAGE)
    (asked,) = model.asked()
    assert asked["text"]["format"]["schema"] == SCHEMA
    tools = {tool.get("name") for tool in asked["tools"]}
    assert not tools & {"shell", "exec_command", "apply_patch", "tides", "view_image"}
    assert PROMPT in model.sent() and INSTRUCTIONS in model.sent()
    assert len(model.sent()) < 8_000
    assert sessions(tmp_path) == []
    assert not list(tmp_path.glob("*-ran"))


def test_gemini_writes_without_tools_hooks_or_servers(program, tmp_path, model):
    server = {"command": "touch", "args": [f"{tmp_path}/mcp-ran"]}
    settings = {
        "security": {"auth": {"selectedType": "gemini-api-key"}},
        "mcpServers": {"tides": server},
        "hooks": hook(tmp_path),
    }
    put(tmp_path / ".gemini/settings.json", json.dumps(settings))
    found = variables(
        tmp_path, GEMINI_API_KEY="invented", GOOGLE_GEMINI_BASE_URL=model.url
    )
    agent = WRITERS.load("gemini")
    writer = Headless(agent, program("gemini"), found, timeout=60.0, model="invented")
    reply = writer.send(request(manners=Manners(format="text")))
    assert reply.text == ANSWER and reply.usage == TokenUsage(*USAGE)
    assert PROMPT in model.sent() and INSTRUCTIONS in model.sent()
    tools = [tool for asked in model.asked() for tool in asked.get("tools", ())]
    assert not any(tool.get("functionDeclarations") for tool in tools)
    assert sessions(tmp_path) == []
    assert not list(tmp_path.glob("*-ran"))


def test_hermes_writes_and_its_session_is_that_of_a_tool(tmp_path):
    with serving(ModelServer({INSTRUCTIONS: [ANSWER]})) as model:
        home = tmp_path / ".hermes"
        settings = {
            "model": {
                "default": MODEL, "provider": "custom", "base_url": model.url, "api_key": "none",
                "context_length": 200_000,
            },
            "plugins": {"enabled": ["afterglow"]},
        }  # fmt: skip
        put(home / "config.yaml", json.dumps(settings))
        found = variables(tmp_path, AFTERGLOW_HOME=str(tmp_path / "kept"))
        agent = WRITERS.load("hermes")
        writer = Headless(agent, str(hermes_program()), found, timeout=60.0)
        reply = writer.send(request(manners=Manners(format="text")))
    assert reply.text == ANSWER and reply.usage == TokenUsage(100, 10)
    assert len(model.requests) == 1 and model.tools() == {"clarify"}
    assert not (tmp_path / "kept").exists()  # our plugin was not loaded
    assert sessions(tmp_path) == []
