"""What Hermes is told behind the output of a call that went wrong."""

from __future__ import annotations

import json

import pytest

from afterglow.flows.harvest import harvest
from afterglow.flows.session import handed
from afterglow.records.context import BEHIND_OUTPUT
from afterglow.records.selection import below
from afterglow.records.session import Outcome
from afterglow.sessions.formats.hermes.results import answer
from writing import Transcript


@pytest.fixture
def taught(config, tmp_path):
    """Two sessions ran into a flag that is not there, and found the one that is."""
    for number in (1, 2):
        session = Transcript(number, start=1500 * number).user("what changed?")
        error = "Exit code 1\nunknown flag: --stat"
        session.run(f"gh pr diff {number} --stat", error, error=True)
        session.run(f"gh pr diff {number} --name-only", "dock/agent.go")
        session.reply("One file.").save(tmp_path / "s")
    harvest(config, below(tmp_path / "s"))
    return config


def result(output: str = "unknown flag: --stat", code: int = 1) -> str:
    return json.dumps({"output": output, "exit_code": code, "error": None})


def ended(hermes, text: object, command: str = "gh pr diff 7 --stat", **more):
    told = {"tool_name": "terminal", "args": {"command": command}, "result": text}
    ids = {"session_id": "s1", "tool_call_id": "call_1", "status": "ok"}
    return hermes.fire("transform_tool_result", **{**told, **ids, **more})


def test_a_known_failure_is_told_behind_its_output_once(hermes, taught):
    text = ended(hermes, result())
    assert text.startswith(result() + BEHIND_OUTPUT) and "--name-only" in text
    assert ended(hermes, result()) is None
    (line,) = handed(taught, "s1")
    assert (line.when, line.agent, line.call) == ("failure", "hermes", "call_1")


def test_a_failure_behind_a_pipe_is_told(hermes, taught):
    text = ended(hermes, result(code=0), "gh pr diff 7 --stat 2>&1 | tail -2")
    assert "--name-only" in text


@pytest.mark.parametrize(
    ("text", "more"),
    [
        (result("dock/agent.go", 0), {}),
        (result("some other trouble", 2), {}),
        (["a", "picture"], {}),
        (result(), {"tool_name": "afterglow_recall"}),
        ("", {"args": None}),
    ],
)
def test_what_is_fine_or_not_known_stays_as_it_is(hermes, taught, text, more):
    assert ended(hermes, text, **more) is None


def test_who_wants_no_word_on_failures_gets_none(hermes, taught):
    settings = "[hooks]\nfailures = false\ndeadline_ms = 60000\n"
    (taught.home / "config.toml").write_text(settings)
    assert ended(hermes, result()) is None


def test_the_reader_takes_output_and_line_apart(hermes, taught):
    text = ended(hermes, result())
    arguments = json.dumps({"command": "gh pr diff 7 --stat"})
    warned = f"{text}\n\n[Tool loop warning: same call; count=2; stop]"
    for stored in (text, warned):
        read = answer("terminal", arguments, stored)
        assert read.text == result() and "--name-only" in read.injected
        assert read.verdict.outcome is Outcome.FAILED
    quoted = result() + BEHIND_OUTPUT + "two\nlines"
    assert answer("terminal", arguments, quoted).injected == ""
