"""The newer decision replaces the older, end to end: sessions thirty days apart, harvested in any order."""

from __future__ import annotations

from itertools import permutations

import pytest
from bench.supersession import WORKED_REPLACING, WORKED_STAYING, outcomes

from afterglow.config import Config
from afterglow.flows import knowledge as flow
from afterglow.flows.harvest import harvest
from afterglow.flows.knowledge import recall
from afterglow.flows.session import bootstrap
from afterglow.flows.supersession import supersede
from afterglow.harvest.supersession import RULES
from afterglow.records.selection import below
from afterglow.store.knowledge import Knowledge
from keeping import NOW, item, keep, kept
from writing import Transcript

DAY = 24 * 60  # minutes, as a transcript counts
MAIN, RELEASE = "always deploy from `main`", "from now on deploy from `release`"
WHY = "said in jest"
SOON = 1793577600.0  # in November 2026, a day after the last session


@pytest.fixture
def config(tmp_path):
    return Config(home=tmp_path / "kept", user_home=tmp_path / "home")


def saying(number: int, words: str, *, day: int) -> Transcript:
    session = Transcript(number, start=day * DAY).user("look at the pipeline")
    return session.run("ls", "README.md").user(words).reply("Understood.")


def harvested(config, folder, *sessions: Transcript):
    for session in sessions:
        session.save(folder)
    harvest(config, below(folder))


def stored(config):
    with Knowledge(config.knowledge) as knowledge:
        items = knowledge.items(miner=RULES, evidence=True)
        return {item.remedy: item for item in items}


def statuses(config) -> dict[str, str]:
    return {words: item.status for words, item in stored(config).items()}


@pytest.fixture
def replaced(config, tmp_path):
    """A store in which the newer rule has replaced the older."""
    sessions = saying(1, MAIN, day=0), saying(2, RELEASE, day=30)
    harvested(config, tmp_path / "s", *sessions)
    return config


def test_decisions_thirty_days_apart_replace_one_another():
    missed = [item.pair for item in outcomes(WORKED_REPLACING) if not item.replaced]
    assert missed == []


def test_other_matters_narrower_ones_additions_and_questions_replace_nothing():
    for outcome in outcomes(WORKED_STAYING):
        assert not outcome.replaced, outcome.pair
        assert any(outcome.pair[0].split(": ")[-1] in fact for fact in outcome.told)


def test_only_the_newest_is_told(replaced):
    listed = flow.list_items(replaced)
    assert [item.remedy for item in listed.items] == ["deploy from `release`"]
    assert [item.remedy for item in recall(replaced, "deploy from main")] == [
        "deploy from `release`"
    ]
    found = flow.search(replaced, "deploy from main", status=None)
    assert {hit.item.status for hit in found} == {"active", "superseded"}


@pytest.mark.parametrize(("older", "newer"), WORKED_REPLACING[:4])
def test_a_session_starts_with_the_newest(config, tmp_path, older, newer):
    sessions = saying(1, older, day=0), saying(2, newer, day=30)
    harvested(config, tmp_path / "s", *sessions)
    _, _, items = bootstrap(config, cwd=tmp_path, repo="harbor", now=SOON)
    told = " ".join(item.fact for item in items)
    assert newer.removeprefix("from now on ") in told
    assert older not in told


def test_a_lesson_written_of_an_older_word_gives_way_to_the_newer(config, tmp_path):
    """What rules write of a sentence that was said twice is not told against what was said since."""
    sessions = (
        saying(1, MAIN, day=0),
        saying(2, MAIN, day=5),
        saying(3, RELEASE, day=30),
    )
    harvested(config, tmp_path / "s", *sessions)
    harvest(config, below(tmp_path / "s"), again=True)
    told = [item.fact for item in flow.list_items(config).items]
    assert told == ['The user\'s rule: "deploy from `release`".']


def test_an_item_shows_its_chain_both_ways(replaced):
    items = stored(replaced)
    older, newer = items[MAIN], items["deploy from `release`"]
    (shown,) = flow.show(replaced, [older.id])
    assert [item.id for item in shown.replaced_by] == [newer.id]
    (shown,) = flow.show(replaced, [newer.id])
    assert [item.id for item in shown.replaces] == [older.id]
    assert any(change.what == "created" for change in shown.history)


def test_the_order_of_harvest_does_not_matter(tmp_path):
    sessions = [
        saying(1, "never push to main", day=0),
        saying(2, "you may push to main again", day=10),
        saying(3, "never push to main", day=20),
        saying(4, RELEASE, day=25),
        saying(5, MAIN, day=1),
    ]
    states = []
    for number, order in enumerate(list(permutations(sessions))[::31]):
        config = Config(home=tmp_path / f"k{number}", user_home=tmp_path / "home")
        for session in order:
            harvested(config, tmp_path / f"s{number}", session)
        states.append(statuses(config))
    assert all(state == states[0] for state in states)
    assert states[0] == {
        "never push to main": "active",
        "you may push to main again": "superseded",
        "deploy from `release`": "active",
        MAIN: "superseded",
    }


@pytest.mark.parametrize("decide", [flow.reject, flow.retire, flow.delete])
def test_when_a_person_takes_the_newer_away_the_older_comes_back(
    replaced, tmp_path, decide
):
    decide(replaced, [stored(replaced)["deploy from `release`"].id], why=WHY)
    assert statuses(replaced)[MAIN] == "active"
    harvest(replaced, below(tmp_path / "s"), again=True)
    assert statuses(replaced)[MAIN] == "active"


def test_who_approves_the_older_one_makes_it_the_newest_word(replaced):
    flow.approve(replaced, [stored(replaced)[MAIN].id])
    assert statuses(replaced) == {MAIN: "active", "deploy from `release`": "superseded"}


def test_a_move_is_from_what_the_agent_had_just_run(config, tmp_path):
    first = saying(1, "always use yarn for installs", day=0)
    second = Transcript(2, start=30 * DAY).user("set it up").run("yarn install", "done")
    second.user("we moved to pnpm").reply("Understood.")
    harvested(config, tmp_path / "s", first, second)
    assert statuses(config) == {
        "always use yarn for installs": "superseded",
        "we moved to pnpm": "active",
    }


def test_what_was_rejected_does_not_come_back_in_other_words(replaced, tmp_path):
    flow.reject(replaced, [stored(replaced)["deploy from `release`"].id], why=WHY)
    harvested(
        replaced,
        tmp_path / "s",
        saying(3, "from now on please deploy from the `release`", day=30),
    )
    assert statuses(replaced)["deploy from `release`"] == "retired"


# A writer's word


def written(number: int, **more):
    return item(number, miner="written", trust="tool", repo="harbor", **more)


def test_a_writer_replaces_what_it_names_until_its_own_lesson_goes(config):
    keep(config, written(1), written(2))
    with Knowledge(config.knowledge) as knowledge:
        done = supersede(knowledge, "k0000002", ["k0000001"], by="written:x", now=NOW)
    assert done.replaced == ("k0000001",) and not done.refused
    assert kept(config, "k0000001").superseded_by == "k0000002"
    flow.reject(config, ["k0000002"], why=WHY)
    back = kept(config, "k0000001")
    assert (back.status, back.superseded_by) == (
        "candidate",
        "",
    )  # as one session shows


@pytest.mark.parametrize(
    ("older", "reason"),
    [
        ({"edited": True}, "weaker source"),
        ({"decided": True}, "approved"),
        ({"repo": "pier"}, "elsewhere"),
        ({"status": "retired"}, "retired already"),
        ({"miner": "rules", "trust": "user"}, "weaker source"),
    ],
)
def test_a_writer_does_not_replace_a_person_s_word_or_another_place_s(
    config, older, reason
):
    keep(config, item(1, **{"repo": "harbor"} | older), written(2))
    with Knowledge(config.knowledge) as knowledge:
        done = supersede(knowledge, "k0000002", ["k0000001"], by="written:x", now=NOW)
    assert reason in done.refused["k0000001"]
    assert kept(config, "k0000001").status != "superseded"


def test_replacing_with_or_by_what_is_not_there_is_refused(config):
    keep(config, written(1))
    with Knowledge(config.knowledge) as knowledge:
        missing = supersede(knowledge, "k9", ["k0000001"], by="x", now=NOW)
        nothing = supersede(knowledge, "k0000001", ["k9"], by="x", now=NOW)
    assert "not there" in missing.refused["k0000001"]
    assert "not there" in nothing.refused["k9"]


# What a person writes into the folder


def test_what_a_person_writes_into_the_folder_is_the_newest_word(replaced, tmp_path):
    folder = tmp_path / "folder"
    flow.export(replaced, folder)
    (page,) = folder.rglob("harbor*.md")
    text = page.read_text(encoding="utf-8")
    page.write_text(
        text.rstrip() + "\n- From now on deploy from `hotfix`.\n", encoding="utf-8"
    )
    flow.sync(replaced, folder, mine=True, now=SOON)
    by_fact = {item.fact: item.status for item in stored_items(replaced)}
    assert by_fact["From now on deploy from `hotfix`."] == "active"
    assert sorted(by_fact.values()) == ["active", "superseded", "superseded"]


def stored_items(config):
    with Knowledge(config.knowledge) as knowledge:
        return knowledge.items()
