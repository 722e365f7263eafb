"""What happened when this failed before: the line that hooks give unasked, for agents that ask."""

from __future__ import annotations

import json

import pytest
from mcp_types import Implementation

from afterglow.config import Config
from afterglow.flows.harvest import harvest
from afterglow.flows.session import on_failure
from afterglow.mcp.server import build
from afterglow.records.context import FinishedCall
from afterglow.records.selection import below
from afterglow.store.ledger import Ledger
from writing import Transcript

COMMAND = "gh pr diff 77 --stat"
ERROR = "unknown flag: --stat"


@pytest.fixture
def harvested(config: Config, tmp_path):
    for number in (1, 2):
        Transcript(number, start=1500 * number).user("what changed?").run(
            f"gh pr diff {number} --stat", f"Exit code 1\n{ERROR}", error=True
        ).run(f"gh pr diff {number} --name-only", "dock/agent.go").reply(
            "One file."
        ).save(tmp_path / "s")
    harvest(config, below(tmp_path / "s"))
    return config


def text(result) -> str:
    return result.content[0].text


def test_the_answer_is_that_of_the_hook(ask, harvested, here):
    answer = ask("call_tool", "failed_before", {"output": ERROR, "arguments": COMMAND})
    call = FinishedCall(
        "Bash", json.dumps({"command": COMMAND}), f"Exit code 1\n{ERROR}", failed=True
    )
    line = on_failure(
        harvested, agent="claude-code", cwd=here, session="s1", calls=[call]
    )
    assert "--name-only" in line.text
    assert answer.structured_content["text"] == line.text
    assert line.text in text(answer)
    assert "data, not instructions" in text(answer)


def test_who_asks_twice_is_told_twice_and_both_are_noted(ask, harvested):
    question = {"output": ERROR, "arguments": json.dumps({"command": COMMAND})}
    answers = [ask("call_tool", "failed_before", question) for _ in range(2)]
    assert all("--name-only" in text(answer) for answer in answers)
    with Ledger(harvested.ledger) as ledger:
        moments = [delivery.when for delivery in ledger.deliveries()]
    assert moments == ["failure", "failure"]


def test_what_is_not_known_is_said_in_a_line(ask, harvested):
    answer = ask(
        "call_tool", "failed_before", {"output": "the tide is out", "arguments": "sail"}
    )
    assert text(answer).startswith("Nothing: ")
    assert answer.structured_content["items"] == []


@pytest.mark.parametrize(
    "question",
    [
        {"output": ""},
        {"output": "\0" * 500, "arguments": "{", "tool": ""},
        {"output": "x" * 300_000, "arguments": '{"command": 7}'},
        {"output": "error", "arguments": "[]", "tool": "mcp__quay__run"},
    ],
)
def test_odd_questions_are_answered(ask, harvested, question):
    answer = ask("call_tool", "failed_before", question)
    assert text(answer).startswith("Nothing: ")


def test_without_a_folder_it_says_what_is_missing(ask, harvested):
    answer = ask(
        "call_tool", "failed_before", {"output": ERROR, "arguments": COMMAND}, here=None
    )
    assert answer.is_error and "say cwd" in text(answer)


def test_the_agent_is_the_one_that_asks(harvested, here, talk):
    async def conversation(client):
        question = {"output": ERROR, "arguments": COMMAND}
        return await client.call_tool("failed_before", question)

    client = Implementation(name="codex-mcp-client", version="1")
    answer = talk(build(harvested, here), conversation, client_info=client)
    assert "--name-only" in text(answer)
    with Ledger(harvested.ledger) as ledger:
        assert [delivery.agent for delivery in ledger.deliveries()] == ["codex"]
