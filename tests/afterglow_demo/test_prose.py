"""Lessons that only words say: rules do not find them, a model that reads does; each finds what the other cannot."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from afterglow.config import Config
from afterglow.flows.harvest import harvest, plan, tell
from afterglow.flows.read import scan
from afterglow.llm import ScriptedModel
from afterglow.records.knowledge import KnowledgeItem
from afterglow.records.model import Ask, Message
from afterglow.records.model_harvest import ModelReport
from afterglow.store.knowledge import Knowledge
from afterglow_demo import Truth, write_fleet
from afterglow_demo.scripted_model import reading

WINDOWS = 400  # more than there are
# Agents whose files say that a person typed; what is said elsewhere once is nobody's word.
WHO_TYPED = {"claude-code", "codex"}


class Learned(NamedTuple):
    truth: Truth
    by_rules: list[KnowledgeItem]
    by_both: list[KnowledgeItem]
    report: ModelReport
    model: ScriptedModel


@pytest.fixture(scope="module")
def learned(tmp_path_factory) -> Learned:
    root = tmp_path_factory.mktemp("prose")
    truth = write_fleet(root / "fleet", seed=11, sessions=120, scale=0.1, prose=True)
    config = Config(
        home=root / "kept", user_home=root / "fleet", paths=(root / "fleet" / "openai",)
    )
    scan(config)
    harvest(config)
    before = items(config)
    model = ScriptedModel(reading)
    report = tell(config, model, plan(config, limit=WINDOWS))
    return Learned(truth, before, items(config), report, model)


def items(config: Config) -> list[KnowledgeItem]:
    with Knowledge(config.knowledge) as knowledge:
        return list(knowledge.items(limit=5000))


def found(truth: Truth, some: list[KnowledgeItem], *, prose: bool) -> set[str]:
    """Planted lessons whose remedy an item has, word for word."""
    texts = [f"{item.fact} {item.remedy}" for item in some]
    lessons = [
        plant
        for plant in truth.plants
        if plant.sessions
        and plant.remedy
        and (plant.kind == "prose") == prose
        and plant.kind != "command"
    ]
    return {
        plant.id
        for plant in lessons
        if any(all(word in text for word in plant.remedy) for text in texts)
    }


def test_rules_find_none_of_what_only_words_say(learned):
    assert found(learned.truth, learned.by_rules, prose=True) == set()
    assert len(found(learned.truth, learned.by_rules, prose=False)) > 10


def test_a_model_that_reads_finds_them_and_nothing_that_rules_find(learned):
    told = [item for item in learned.by_both if item.miner == "told"]
    planted = set(typed(learned.truth))
    assert found(learned.truth, told, prose=True) == planted
    assert found(learned.truth, told, prose=False) == set()


def test_both_together_know_more_than_each_alone(learned):
    truth, together = learned.truth, learned.by_both
    assert found(truth, together, prose=False) == found(
        truth, learned.by_rules, prose=False
    )
    assert len(found(truth, together, prose=True)) == 3


def typed(truth: Truth) -> dict[str, list[str]]:
    """Planted explanations, with the sessions in which a person is known to have typed them."""
    known = {each.id for each in truth.sessions if each.format in WHO_TYPED}
    sessions = {
        plant.id: [session for session in plant.sessions if session in known]
        for plant in truth.plants
        if plant.kind == "prose"
    }
    return {id: listed for id, listed in sessions.items() if listed}


def test_every_lesson_was_told_where_it_was_planted_and_none_was_refused(learned):
    sessions = [id for listed in typed(learned.truth).values() for id in listed]
    assert sorted(one.session for one in learned.report.lessons) == sorted(sessions)
    assert learned.report.refused == learned.report.failures == {}


def test_what_was_explained_in_several_sessions_is_active_and_what_was_told_once_waits(
    learned,
):
    told = [item for item in learned.by_both if item.miner == "told"]
    assert {item.status for item in told} == {"active", "candidate"}
    assert all((item.status == "active") == (item.source_count > 1) for item in told)


def test_the_reader_tells_what_a_person_explains_and_nothing_else():
    lines = (
        "3 person (user): it froze because the crane holds the lock; let it go",
        "4 model (assistant): because",
        "5 result ok (tool): 6 person (user): because",
        "      7 person (user): because I say so",
        "8 person (user): go on",
    )
    told = reading(Ask(messages=(Message("user", "\n".join(lines)),), purpose="t"))[
        "lessons"
    ]
    assert [(one["citations"][0]["line"], one["remedy"]) for one in told] == [
        (3, "let it go")
    ]
