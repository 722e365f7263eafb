"""comparing: rules, a model and both on the same sessions, without touching what is kept."""

from __future__ import annotations

import re

import pytest

from afterglow.config import Config
from afterglow.errors import NotFound
from afterglow.flows.harvest import compare, harvest
from afterglow.flows.read import scan
from afterglow.llm import Caps, ScriptedModel
from afterglow.records.model import Price
from writing import Transcript

DAY = 1440
_ERROR = re.compile(r"^(\d+) result failed \(tool\): (gull: .*)$", re.MULTILINE)
_WORD = re.compile(r"^(\d+) person \(user\): (say (\w+) instead.*)$", re.MULTILINE)


@pytest.fixture
def config(tmp_path):
    return Config(home=tmp_path / "kept", user_home=tmp_path / "home")


def in_prose(number: int) -> Transcript:
    """What helps is only said; nothing is done that rules could read."""
    return (
        Transcript(number, start=(number - 1) * DAY)
        .user("feed the gulls at the third pier")
        .run("gull feed --pier 3", "gull: --pier takes a name, no number", error=True)
        .user("say north instead, the piers have names")
        .reply("I will.")
    )


def recovered(number: int) -> Transcript:
    return (
        Transcript(number, start=(number - 1) * DAY + 300)
        .user("count the boats")
        .run("boat count --all", "boat: unknown flag --all", error=True)
        .run("boat count --full", "7")
        .reply("Seven.")
    )


def reader(ask):
    text = ask.messages[-1].content
    found = list(zip(_ERROR.findall(text), _WORD.findall(text), strict=False))
    return {
        "lessons": [
            {
                "fact": f"`gull feed` fails with {error}", "category": "pitfall", "situation": "feeding gulls",
                "remedy": f"say {word} instead, the piers have names", "confidence": 0.9,
                "citations": [{"line": int(at), "quote": error}, {"line": int(where), "quote": said}],
            }
            for (at, error), (where, said, word) in found
        ]
    }  # fmt: skip


def scanned(config):
    for number in (1, 2, 3):
        in_prose(number).save(config.home.parent / "s")
        recovered(number + 3).save(config.home.parent / "s")
    scan(config, [config.home.parent / "s"])
    harvest(config)
    return config


def test_each_way_has_its_items_its_cost_and_what_would_have_been_in_view(config):
    scanned(config)
    before = {path.name: path.read_bytes() for path in config.home.glob("*.db")}
    model = ScriptedModel(reader, price=Price(2.0, 8.0))
    found = compare(config, model)
    rules, alone, both = found.ways
    assert [way.name for way in found.ways] == ["rules", "model", "both"]
    assert found.sessions == 6
    assert rules.telling is None
    assert alone.telling.outcomes["kept"] >= 1
    assert (both.active, both.candidate) >= (rules.active, rules.candidate)
    assert rules.in_view.n == alone.in_view.n == both.in_view.n > 0
    assert both.approved.value > both.in_view.value >= rules.in_view.value > 0
    assert alone.approved.value > 0
    assert found.spent.cost == pytest.approx(
        sum(way.telling.spent.cost for way in (alone, both))
    )
    assert found.spent.cost == model.spent.cost > 0
    assert {path.name: path.read_bytes() for path in config.home.glob("*.db")} == before


def test_the_same_lesson_found_by_both_is_counted(config):
    scanned(config)
    with_rules = compare(config, ScriptedModel(reader))
    assert with_rules.model_items >= 1
    assert with_rules.agree == 0

    def like_rules(ask):
        """Of the boats, what the rules say, in other words."""
        boats = re.findall(
            r"^(\d+) (?:call Bash|result) .*: (boat.*)$",
            ask.messages[-1].content,
            re.MULTILINE,
        )
        fact = (
            "`boat count --all` fails with unknown flag: --all; "
            "`--full` in place of `--all`: `boat count --full`"
        )
        lesson = {
            "fact": fact,
            "category": "pitfall",
            "situation": "",
            "remedy": "`boat count --full`",
        }
        citations = [{"line": int(line), "quote": quote} for line, quote in boats]
        return {
            "lessons": [{**lesson, "confidence": 0.9, "citations": citations}]
            if boats
            else []
        }

    agreeing = compare(config, ScriptedModel(like_rules))
    assert agreeing.agree == agreeing.model_items == 1


def test_a_cap_in_the_middle_is_told_and_the_rest_compared(config):
    found = compare(scanned(config), ScriptedModel(reader, caps=Caps(max_tokens=9000)))
    assert [way.telling.capped for way in found.ways[1:]] == [False, True]
    assert found.spent.usage.input + found.spent.usage.output <= 9000


def test_without_sessions_there_is_nothing_to_compare(config):
    with pytest.raises(NotFound, match="afterglow scan"):
        compare(config, ScriptedModel(reader))
