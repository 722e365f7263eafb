"""Agents' own programs as models: how each is started, what is read from it, and everything it may do wrong."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from afterglow.errors import UsageError
from afterglow.llm.agents import WRITERS, chosen_agent, headless, installed, is_agent
from afterglow.llm.agents.headless import Ended, Headless, Question
from afterglow.llm.request import Manners, Request, Trouble
from afterglow.records.model import Message, TokenUsage
from afterglow.records.writing import WRITER_FOLDER
from llm.fake_agents import HANGS, SAYS, put_program, starts_of

NAMES = WRITERS.names()
INSTRUCTIONS, PROMPT = "You write invented lessons.", "What does the invented tide do?"
SCHEMA = {
    "type": "object",
    "properties": {"count": {"type": "integer"}},
    "required": ["count"],
    "additionalProperties": False,
}


def request(prompt: str = PROMPT, **more) -> Request:
    messages = (Message("system", INSTRUCTIONS), Message("user", prompt))
    return Request(model="m", messages=messages, max_tokens=500, **more)


@pytest.fixture
def folder(tmp_path) -> Path:
    return tmp_path / "bin"


@pytest.fixture
def opened(folder, tmp_path):
    def opened(name: str, body: str = "", timeout: float = 30.0, **more) -> Headless:
        program = put_program(folder, name, body)
        variables = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "CLAUDECODE": "1"}  # fmt: skip
        return Headless(
            WRITERS.load(name), str(program), variables, timeout=timeout, **more
        )

    return opened


def kind_of(transport: Headless, asked: Request | None = None) -> str:
    with pytest.raises(Trouble) as raised:
        transport.send(asked or request())
    return raised.value.kind


@pytest.mark.parametrize("name", NAMES)
def test_an_agent_answers_and_says_what_it_used(opened, name):
    reply = opened(name).send(request())
    assert reply.text == SAYS
    assert reply.usage == TokenUsage(100, 7, 40)


@pytest.mark.parametrize("name", NAMES)
def test_what_is_asked_stands_in_no_command_line(opened, folder, name):
    prompt = f"{PROMPT} " + "tide " * 40_000
    opened(name).send(request(prompt))
    (start,) = starts_of(folder, name)
    assert start["asked"].endswith(prompt)
    seen = json.dumps([start["words"], start["variables"]])
    assert PROMPT not in seen and INSTRUCTIONS not in seen
    assert INSTRUCTIONS in start["asked"] + "".join(start["files"].values())


@pytest.mark.parametrize("name", NAMES)
def test_it_runs_in_an_empty_folder_that_is_deleted_afterwards(opened, folder, name):
    opened(name).send(request())
    (start,) = starts_of(folder, name)
    place = Path(start["folder"])
    assert place.name.startswith(WRITER_FOLDER) and not place.exists()


@pytest.mark.parametrize("name", NAMES)
def test_a_model_of_an_agent_can_be_named(opened, folder, name):
    opened(name, model="small").send(request())
    words = starts_of(folder, name)[0]["words"]
    assert words[words.index("--model") + 1] == "small"


@pytest.mark.parametrize("name", NAMES)
def test_a_second_try_tells_the_first_answer(opened, folder, name):
    messages = (
        Message("user", PROMPT),
        Message("assistant", "three"),
        Message("user", "That is not JSON."),
    )
    opened(name).send(Request(model="m", messages=messages, max_tokens=500))
    asked = starts_of(folder, name)[0]["asked"]
    assert asked.endswith(f"{PROMPT}\n\nYour answer was:\nthree\n\nThat is not JSON.")


@pytest.mark.parametrize("name", NAMES)
def test_a_schema_is_handed_on_or_complained_about_before_anything_starts(
    opened, folder, name
):
    loose = {"type": "object", "properties": {"count": {"type": "integer"}}}
    takes = {"any": (SCHEMA, loose), "strict": (SCHEMA,), "none": ()}
    for schema in (SCHEMA, loose):
        transport = opened(name)
        if schema in takes[WRITERS.load(name).SCHEMAS]:
            transport.send(request(schema=schema))
            start = starts_of(folder, name)[-1]
            written = json.dumps(start["words"]) + json.dumps(start["files"])
            assert "count" in written
        else:
            began = len(starts_of(folder, name))
            with pytest.raises(Trouble) as raised:
                transport.send(request(schema=schema))
            assert raised.value.complaint
            assert len(starts_of(folder, name)) == began
    transport.send(request(schema=SCHEMA, manners=Manners(format="text")))


@pytest.mark.parametrize("name", NAMES)
def test_an_agent_that_hangs_is_ended_with_all_it_started(opened, folder, name):
    transport = opened(name, HANGS, timeout=1.0)
    os.mkfifo(folder / "alive")
    alive = os.open(folder / "alive", os.O_RDONLY | os.O_NONBLOCK)
    try:
        assert kind_of(transport) == "timeout"
        os.set_blocking(alive, True)
        assert os.read(alive, 1) == b""
    finally:
        os.close(alive)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ("sys.exit('Not logged in · Please run /login')", "not let in"),
        ("sys.exit('unexpected status 401 Unauthorized')", "not let in"),
        ("sys.exit('You have hit your usage limit. Try again at 5pm')", "no credit"),
        ("sys.exit('429 too many requests')", "rate limit"),
        ("sys.exit('error: unknown option --safe-mode')", "rejected"),
        ("sys.exit('the model gpt-9 does not exist')", "unknown model"),
        ("sys.exit(3)", "server"),
        ("os.kill(os.getpid(), 9)", "server"),
        ("", "garbage"),
    ],
)
def test_what_goes_wrong_has_a_name(opened, name, body, kind):
    assert kind_of(opened(name, body or "pass")) == kind


@pytest.mark.parametrize("name", ["claude", "codex", "gemini"])
@pytest.mark.parametrize("printed", ["hello", "[1, 2]", "{}", "\x1b[31m{", "[" * 5000])
def test_what_is_no_answer_is_not_taken_for_one(opened, name, printed):
    transport = opened(name, f"print({printed!r})")
    with pytest.raises(Trouble) as raised:
        transport.send(request())
    assert raised.value.kind == "garbage" and str(raised.value).isprintable()


def test_errors_inside_answers_are_errors(opened):
    error = {"type": "result", "is_error": True, "result": "Please run /login"}
    assert kind_of(opened("claude", f"print({json.dumps(error)!r})")) == "not let in"
    failed = {"type": "turn.failed", "error": {"message": "usage limit"}}
    body = f"print({json.dumps(failed)!r}); sys.exit(1)"
    assert kind_of(opened("codex", body)) == "no credit"
    refused = {"error": {"type": "Error", "message": "Please set an Auth method"}}
    body = f"print({json.dumps(refused, indent=1)!r}, file=sys.stderr); sys.exit(41)"
    assert kind_of(opened("gemini", body)) == "not let in"


def test_what_claude_calls_an_error_may_be_an_answer_that_was_paid_for(opened):
    def printed(**more) -> str:
        usage = {"input_tokens": 9, "output_tokens": 3}
        result = {"type": "result", "is_error": True, "usage": usage, **more}
        return f"print({json.dumps(result)!r}); sys.exit(1)"

    long = "API Error: the response exceeded the 6005 output token maximum."
    assert opened("claude", printed(result=long)).send(request()).finish == "length"
    refused = printed(result="unable to respond", stop_reason="refusal")
    reply = opened("claude", refused).send(request())
    assert (reply.finish, reply.usage) == ("refusal", TokenUsage(9, 3))
    parsed = printed(result="The model's tool call could not be parsed")
    assert kind_of(opened("claude", parsed)) == "bad json"


@pytest.mark.parametrize("name", NAMES)
def test_a_flood_does_not_fill_the_memory(opened, monkeypatch, name):
    monkeypatch.setattr(headless, "MAX_OUTPUT_BYTES", 100_000)
    body = "while True: print('x' * 10_000, flush=True)"
    assert kind_of(opened(name, body)) == "garbage"


def test_a_program_that_cannot_be_started_is_unreachable(opened, folder):
    transport = opened("claude")
    (folder / "claude").unlink()
    assert kind_of(transport) == "unreachable"


def test_usage_that_cannot_be_is_not_believed(opened):
    usage = {"input_tokens": 10**30, "output_tokens": -1}
    result = {"type": "result", "result": SAYS, "usage": usage}
    reply = opened("claude", f"print({json.dumps(result)!r})").send(request())
    assert reply.text == SAYS and reply.usage is None


def test_claude_inside_of_claude_does_not_take_itself_for_it(opened, folder):
    opened("claude").send(request())
    assert "CLAUDECODE" not in starts_of(folder, "claude")[0]["variables"]


def test_servers_of_codex_are_switched_off_by_their_names(opened, folder, tmp_path):
    (tmp_path / ".codex").mkdir()
    (tmp_path / ".codex/config.toml").write_text(
        '[mcp_servers.tides]\ncommand = "x"\n[mcp_servers."a b"]\ncommand = "y"\n'
    )
    opened("codex").send(request())
    words = starts_of(folder, "codex")[0]["words"]
    assert "mcp_servers.tides.enabled=false" in words
    assert not any("a b" in word for word in words)


def test_what_gemini_writes_down_is_deleted(opened, tmp_path):
    body = """
chats = os.path.join(os.environ["HOME"], ".gemini/tmp", os.path.basename(os.getcwd()), "chats")
os.makedirs(chats)
open(os.path.join(chats, "session-1.jsonl"), "w").write("{}")
print(json.dumps({"response": SAYS}))
"""
    mine = tmp_path / ".gemini/tmp/harbor/chats"
    mine.mkdir(parents=True)
    assert opened("gemini", body).send(request()).usage is None
    assert [path.name for path in (tmp_path / ".gemini/tmp").iterdir()] == ["harbor"]


def test_hermes_is_found_behind_a_script_that_hands_on(opened, folder, tmp_path):
    program = put_program(folder, "hermes")
    shim = tmp_path / "shim"
    shim.write_text(f'#!/bin/sh\nunset PYTHONPATH\nexec "{program}" "$@"\n')
    question = Question(
        instructions="", prompt="", max_tokens=1, folder=tmp_path, variables={}, program=str(shim)
    )  # fmt: skip
    start = WRITERS.load("hermes").start(question)
    assert start.words[0] == f"{folder}/python"
    shim.write_text("\x7fELF")
    with pytest.raises(Trouble, match="which Python"):
        WRITERS.load("hermes").start(question)


def test_a_file_that_is_not_there_says_nothing(tmp_path):
    assert Ended(0, "", "", tmp_path).file("answer.txt") == ""


def test_the_first_agent_on_the_path_is_taken(folder):
    variables = {"PATH": str(folder)}
    assert installed(variables) == []
    with pytest.raises(UsageError, match=r"claude, codex, gemini, hermes.*--base-url"):
        chosen_agent("auto", variables)
    put_program(folder, "gemini")
    put_program(folder, "codex")
    assert chosen_agent("auto", variables) == ("codex", str(folder / "codex"))
    assert chosen_agent("gemini:flash", variables)[0] == "gemini"
    with pytest.raises(UsageError, match="codex, gemini would work"):
        chosen_agent("claude", variables)


def test_a_model_with_a_colon_in_its_name_is_no_agent():
    assert is_agent("auto") and is_agent("claude") and is_agent("claude:sonnet")
    assert not is_agent("qwen2.5-coder:1.5b") and not is_agent("")
