"""The user's own model through Hermes: asked by the same client, within the same caps."""

from __future__ import annotations

import json

import pytest
from msgspec import Struct
from msgspec.structs import replace

from afterglow.errors import CapReached, ConfigError, ModelError
from afterglow.flows import model_client as flow
from afterglow.flows.model_client import model_of
from afterglow.flows.read import scan
from afterglow.hermes.model import NAME, Hosted
from afterglow.records.model import Ask, Message, TokenUsage
from afterglow.store.knowledge import Knowledge
from hermes.fake_hermes import FakeLLM, FakeUsage
from writing import Transcript

SCHEMA = {
    "type": "object", "properties": {"pier": {"type": "string"}}, "required": ["pier"], "additionalProperties": False,
}  # fmt: skip


class Pier(Struct, forbid_unknown_fields=True):
    pier: str


ASK = Ask(
    messages=(Message("system", "Name a pier."), Message("user", "north or south?")),
    purpose="t",
    answer_type=Pier,
)
NORTH = '{"pier": "north"}'


class Refused(Exception):
    """As the packages of providers do it."""

    def __init__(self, status: int, words: str = "no") -> None:
        super().__init__(words)
        self.status_code = status


@pytest.fixture(autouse=True)
def unlocked(monkeypatch):
    """What stands for Hermes here asks nobody."""
    monkeypatch.setenv("AFTERGLOW_LOCAL_ONLY", "0")


@pytest.fixture
def llm(config, monkeypatch):
    fake = FakeLLM()
    monkeypatch.setitem(flow.OFFERED, NAME, lambda: Hosted(fake))
    return fake


@pytest.fixture
def model(config, llm):
    with model_of(config, name=NAME, max_tokens=50_000) as found:
        yield found


def test_a_home_that_is_locked_does_not_ask_through_hermes_which_may_ask_anywhere(
    config, llm
):
    locked = replace(config, model=replace(config.model, local_only=True))
    with pytest.raises(ConfigError, match="local_only"):
        model_of(locked, name=NAME, max_tokens=50_000)


def test_a_question_with_a_schema_is_a_structured_completion(model, llm):
    llm.script = [NORTH]
    answer = model.ask(ASK)
    assert (
        answer.data == Pier("north")
        and answer.model == "hermes-4"
        and answer.usage == TokenUsage(100, 20)
    )
    (asked,) = llm.asked
    assert asked["instructions"] == "Name a pier." and asked["input"] == [
        "north or south?"
    ]
    assert asked["json_schema"] == SCHEMA and asked["max_tokens"] == ASK.max_tokens
    assert model.spent.usage == TokenUsage(100, 20) and model.spent.cost is None


def test_a_question_without_a_schema_is_a_plain_completion(model, llm):
    llm.script = ["north"]
    assert model.ask(Ask(messages=ASK.messages, purpose="t")).text == "north"
    assert llm.asked[0]["messages"][-1] == {
        "role": "user",
        "content": "north or south?",
    }


def test_tokens_are_counted_by_us_where_hermes_does_not_say(model, llm):
    llm.script, llm.usage = [NORTH], FakeUsage()
    used = model.ask(ASK).usage
    assert used.estimated and used.input and used.output


def test_without_a_cap_hermes_is_not_asked(config, llm):
    with pytest.raises(CapReached, match="--max-tokens"):
        model_of(config, name=NAME)
    with model_of(config, name=NAME, max_tokens=10) as small, pytest.raises(CapReached):
        small.ask(ASK)
    assert llm.asked == []


def test_an_answer_that_hermes_keeps_back_is_asked_for_in_a_plainer_way_and_counted(
    model, llm
):
    llm.script = [
        ValueError("Plugin LLM structured output did not match schema: x"),
        NORTH,
    ]
    assert model.ask(ASK).data == Pier("north")
    assert (
        llm.asked[1]["json_mode"]
        and llm.asked[1]["json_schema"] is None
        and "pier" in llm.asked[1]["input"][-1]
    )
    assert model.spent.unanswered == 1


def test_a_bad_answer_is_repaired_in_the_same_conversation(model, llm):
    llm.script = ['{"pier": 7}', NORTH]
    assert model.ask(ASK).tries == 2
    assert [block[:16] for block in llm.asked[1]["input"]] == [
        "north or south?",
        "Your answer was:",
        "That answer cann",
    ]


@pytest.mark.parametrize(
    ("error", "kind", "times"),
    [
        (Refused(401, "key sk-lost-and-found"), "not let in", 1),
        (PermissionError("no override"), "not let in", 1),
        (Refused(404, "no such thing"), "unknown model", 1),
        (Refused(402, "pay first"), "no credit", 1),
        (RuntimeError("No LLM provider configured"), "not set up", 1),
        (KeyError("choices"), "unreachable", 1),
    ],
)
def test_what_goes_wrong_behind_hermes_has_a_name_and_none_of_its_words(
    model, llm, error, kind, times
):
    llm.script = [error] * 9
    with pytest.raises(ModelError) as raised:
        model.ask(ASK)
    assert (
        raised.value.kind == kind
        and len(llm.asked) == times
        and str(error) not in str(raised.value)
    )


def test_the_command_harvests_with_the_model_of_hermes(
    hermes, config, capsys, tmp_path
):
    said = "the gate froze because the crane holds the ledger lock; crane release --all frees it"
    story = (
        Transcript(1)
        .user("open the gate")
        .run("gate open", "Exit code 1\ngate: frozen, code 17", error=True)
        .user(said)
    )
    scan(config, [story.reply("I see.").save(tmp_path / "s")])
    lesson = {
        "fact": said,
        "category": "pitfall",
        "situation": "",
        "remedy": "",
        "confidence": 0.9,
    }
    line = next(n for n, text in enumerate(story.lines, 1) if "crane release" in text)
    hermes.llm.script = [
        json.dumps(
            {"lessons": [lesson | {"citations": [{"line": line, "quote": said}]}]}
        )
    ]
    with pytest.raises(SystemExit) as end:
        hermes.command(
            "afterglow",
            "write",
            "--windows",
            "--with",
            "hermes",
            "--max-tokens",
            "20000",
        )
    assert end.value.code == 0, capsys.readouterr()
    with Knowledge(config.knowledge) as knowledge:
        assert [item.fact for item in knowledge.items(miner="told")] == [said]


def test_outside_hermes_its_model_is_not_there(config):
    with pytest.raises(ConfigError, match="no model is set up"):
        model_of(config, name=NAME, max_tokens=10)
