"""bench.attacks: sets that hold together, files our readers take, surfaces that show what they should."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import msgspec
import pytest
from bench.attacks.__main__ import SET
from bench.attacks.attack import Attack, Edit, Held, Kept, Pulled, Turn, read_set
from bench.attacks.draw import halves
from bench.attacks.honest import (
    ONCE,
    RISK,
    TOLD,
    WITNESS,
    KeptItem,
    LabelledWords,
    compared,
    fate,
    held_back,
)
from bench.attacks.report import by_surface, by_way, each
from bench.attacks.run import Result, plain, run_attack
from bench.attacks.scene import Scene
from bench.attacks.transcripts import WRITERS
from bench.generalise.labels import Lesson

from afterglow.records import Outcome
from afterglow.records.knowledge import ONE_WITNESS, KnowledgeItem
from afterglow.sessions import load

FURTHER_SETS = [
    SET.with_name(f"attacks_{name}.json")
    for name in ("more", "strangers", "strangers_aside", "second_stranger")
]
TURNS = [
    Turn(user="get the gate ready"),
    Turn(run="make gate", out="gate: rusty hinge", code=2),
    Turn(run="make oil", out="oiled"),
    Turn(run="make gate", out="open"),
    Turn(say="The gate is open."),
]
HELD = Held(turns=TURNS)


def attack(*acts, **fields) -> Attack:
    fields = {"marks": ["make oil"], "way": "trial", "risky": True, **fields}
    return Attack(id="trial-1", kind="trial", acts=list(acts), **fields)


def test_the_set_has_many_ways_in():
    attacks = read_set(SET).attacks
    assert len(attacks) >= 90
    assert len({each.way for each in attacks}) >= 18


def test_every_attack_has_a_name_of_its_own_and_its_payload_is_planted():
    sets = map(read_set, [SET, *FURTHER_SETS])
    attacks = [each for attack_set in sets for each in attack_set.attacks]
    assert len({each.id for each in attacks}) == len(attacks)
    for one_attack in attacks:
        planted = plain(msgspec.json.encode(one_attack.acts).decode())
        marks = [plain(mark) for mark in one_attack.marks]
        assert any(mark in planted for mark in marks), one_attack.id


@pytest.mark.parametrize("agent", WRITERS)
def test_what_is_planted_is_read_as_that_agents_session(agent, tmp_path):
    scene = Scene(tmp_path, "trial")
    scene.hold(Held(turns=TURNS, agent=agent))
    (path,) = [file for file in scene.sessions.rglob("*.json*") if file.is_file()]
    (session,) = load(path)
    outcomes = [call.outcome for turn in session.turns for call in turn.calls]
    assert session.agent.startswith(agent.removesuffix("-bench"))
    assert outcomes == [Outcome.FAILED, Outcome.OK, Outcome.OK]
    asked = [turn.text for turn in session.turns if turn.role == "user"]
    assert asked == ["get the gate ready"]


def test_a_half_is_drawn_within_each_way_and_nothing_is_lost():
    attacks = [
        msgspec.structs.replace(attack(), id=f"{way}-{number}", way=way)
        for way in ("page", "error")
        for number in range(6)
    ]
    build, aside = halves(attacks, "a seed")
    assert Counter(each.way for each in build) == {"page": 3, "error": 3}
    assert sorted(each.id for each in build + aside) == sorted(
        each.id for each in attacks
    )
    assert halves(attacks, "a seed") == (build, aside)


def test_what_a_person_approved_is_seen_on_every_surface_that_tells_items(tmp_path):
    item = Kept(
        fact="`make ship` fails until `make dock` has run",
        situation="`make ship` fails: no dock",
        remedy="run `make dock` first",
    )
    shipped = Held(turns=[Turn(user="ship it"), Turn(run="make ship", out="shipped")])
    trial = attack(item, shipped, marks=["make dock"], task="make ship")
    result = run_attack(trial, tmp_path)
    at_start = {"start", "bootstrap", "subagent", "context file", "before a call"}
    asked_for = {"mcp recall", "mcp context", "mcp resources", "list", "search"}
    assert at_start | asked_for | {"export"} <= set(result.reached)
    assert result.active


def test_what_writers_read_is_counted_apart_from_what_agents_are_told():
    result = Result(attack=attack(), surfaces=("dossiers", "list"), items=())
    assert result.reached == ("list",)
    assert not Result(attack=attack(), surfaces=("dossiers",), items=()).reached


def test_lessons_of_another_repository_are_no_concern_of_the_victim(tmp_path):
    held = Held(turns=TURNS, days=(0, 2, 4), people=("ana", "bo"), repo="gullkit")
    result = run_attack(attack(held), tmp_path)
    assert not result.reached
    assert not result.items


def test_an_edit_that_was_pulled_is_in_the_folder_when_sync_runs(tmp_path):
    item = Kept(fact="the north pier is closed")
    edit = Edit(path="repos/acme/harbor.md", old="north", new="south")
    result = run_attack(attack(item, Pulled(edits=[edit]), marks=["south"]), tmp_path)
    page = Path(tmp_path / "home/ana/team/knowledge/repos/acme/harbor.md")
    assert "south pier" in page.read_text() or not result.active


def test_the_report_counts_by_way_and_by_surface(tmp_path):
    item = Kept(fact="`make dock` opens the dock")
    result = run_attack(attack(item, marks=["make dock"]), tmp_path)
    rows = list(by_way([result]))
    assert rows[-1].split() == ["all", "1", "1", "1", "1", "1", "1"]
    assert any(row.split() == ["start", "1", "1"] for row in by_surface([result]))
    assert "trial-1" in next(iter(each([result])))


def kept(fate: str, words: str = "use the north gate when it rains") -> KeptItem:
    return KeptItem(id="k1", words=words, fate=fate, why="a reason")


RAIN = Lesson(id="rain-01", situation=(("rain",),), remedy=(("north gate",),))


def test_a_harmless_lesson_is_not_held_back():
    words = LabelledWords(
        id="rain-01",
        situation_words="`cargo test a b` refuses a second filter.",
        remedy_words="Give one filter a call: `cargo test a`.",
        ideal="`cargo test` takes one filter: `cargo test a`.",
    )
    assert list(held_back(words, "harbor")) == []


def test_what_stands_against_an_item_is_named_by_its_first_reason():
    item = KnowledgeItem(id="k1", fact="f", category="pitfall", status="candidate")
    replace = msgspec.structs.replace
    assert fate(replace(item, status="active")) == TOLD
    assert fate(replace(item, reason=ONE_WITNESS)) == ONCE
    assert fate(replace(item, risk="`sudo x` is risky", reason=ONE_WITNESS)) == RISK
    assert fate(replace(item, trust="tool")) == WITNESS


def test_lessons_that_were_told_and_are_not_are_named():
    lines = list(compared("harbor", [RAIN], [kept(TOLD)], [kept(RISK), kept(WITNESS)]))
    assert lines[0].strip().startswith("rain-01 told -> held back by risk (a reason)")
    assert "told before: 1; now held back by risk 1" in lines[1]
    lines = list(compared("harbor", [RAIN], [kept(ONCE)], [kept(TOLD)]))
    assert "once, on failure before: 1; now told 1" in lines[1]
