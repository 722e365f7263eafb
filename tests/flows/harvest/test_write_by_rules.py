"""Harvest lets rules write what sessions agree on; what they no longer agree on goes."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from afterglow.config import Config
from afterglow.flows.harvest import hand_in, harvest, problems
from afterglow.records.knowledge import KnowledgeItem
from afterglow.records.selection import below
from afterglow.records.writing import BY_RULES
from afterglow.store.knowledge import Knowledge
from writing import Transcript


@pytest.fixture
def config(tmp_path):
    return Config(home=tmp_path / "kept", user_home=tmp_path / "home")


def session(number: int, working: str = "--name-only") -> Transcript:
    return (
        Transcript(number, start=1500 * number)
        .user("what changed in the pull request?")
        .run(f"gh pr diff {number} --stat", "Exit code 1\nunknown flag: --stat", error=True)
        .run(f"gh pr diff {number} {working}", "dock/agent.go")
        .reply("One file changed.")
    )  # fmt: skip


def written(config: Config, **wanted) -> list[KnowledgeItem]:
    with Knowledge(config.knowledge) as knowledge:
        return knowledge.items(miner=BY_RULES, evidence=True, **wanted)


def test_two_sessions_that_agree_give_an_active_lesson_with_its_evidence(
    config, tmp_path
):
    session(1).save(tmp_path / "s")
    harvest(config, below(tmp_path / "s"))
    assert written(config) == []
    session(2).save(tmp_path / "s")
    report = harvest(config, below(tmp_path / "s"))
    (item,) = written(config)
    assert item.status == "active"
    assert item.remedy == (
        "`--name-only` in place of `--stat`: `gh pr diff <n> --name-only`"
    )
    assert len({span.session for span in item.evidence}) == 2
    (count,) = [each for each in report.miners if each.miner == BY_RULES]
    assert (count.topics, count.items, count.active) == (1, 1, 1)


def test_nothing_is_written_again_where_nothing_is_new(config, tmp_path):
    for number in (1, 2):
        session(number).save(tmp_path / "s")
    harvest(config, below(tmp_path / "s"))
    (before,) = written(config)
    report = harvest(config)
    assert (report.created, report.changed) == (0, 0)
    assert written(config) == [before]


def test_a_third_session_is_counted(config, tmp_path):
    for number in (1, 2):
        session(number).save(tmp_path / "s")
    harvest(config, below(tmp_path / "s"))
    session(3).save(tmp_path / "s")
    harvest(config, below(tmp_path / "s"))
    (item,) = written(config)
    assert item.source_count == 3


def test_what_sessions_no_longer_agree_on_is_retired(config, tmp_path):
    for number in (1, 2):
        session(number).save(tmp_path / "s")
    harvest(config, below(tmp_path / "s"))
    for number in (3, 4, 5):
        session(number, "--patch").save(tmp_path / "s")
    harvest(config, below(tmp_path / "s"))
    by_status = {item.status: item for item in written(config)}
    assert "--name-only" in by_status["retired"].remedy
    assert "no longer agree" in by_status["retired"].reason


def test_what_a_person_approved_stays(config, tmp_path):
    for number in (1, 2):
        session(number).save(tmp_path / "s")
    harvest(config, below(tmp_path / "s"))
    (item,) = written(config)
    with Knowledge(config.knowledge) as knowledge:
        knowledge.save([replace(item, decided=True)], by="ana", now=5.0)
    for number in (3, 4, 5):
        session(number, "--patch").save(tmp_path / "s")
    harvest(config, below(tmp_path / "s"))
    assert item.id in {item.id for item in written(config, status=("active",))}


def test_a_dry_run_writes_nothing(config, tmp_path):
    for number in (1, 2):
        session(number).save(tmp_path / "s")
    harvest(config, below(tmp_path / "s"), dry=True)
    assert not config.knowledge.exists()


def test_what_a_miner_made_of_the_same_calls_makes_place(config, tmp_path):
    for number in (1, 2):
        session(number).save(tmp_path / "s")
    harvest(config, below(tmp_path / "s"))
    (item,) = written(config)
    with Knowledge(config.knowledge) as knowledge:
        mined = knowledge.items(miner="recoveries")
    assert [(each.status, each.superseded_by) for each in mined] == [
        ("superseded", item.id)
    ]


def test_what_the_state_explains_is_told_once(config, tmp_path):
    for number in (1, 2):
        transcript = (
            Transcript(number, start=1500 * number)
            .user("what is in the pull request?")
            .run(f"gh api repos/a/b?n={number}", f"Exit code 1\n(eval):1: no matches found: repos/a/b?n={number}", error=True)
            .run(f"gh api 'repos/a/b?n={number}'", "{}")
        )  # fmt: skip
        transcript.save(tmp_path / "s")
    harvest(config, below(tmp_path / "s"))
    with Knowledge(config.knowledge) as knowledge:
        active = knowledge.items(status=("active",))
    assert [item.miner for item in active if "quote" in item.fact] == ["state"]


def test_a_writer_s_lesson_about_one_cause_takes_no_place_of_another_s(
    config, tmp_path
):
    """A problem holds what is worded alike; a writer who answers about one part of it has said nothing about the rest."""
    for number, (call, field) in enumerate(
        [("gh pr view 7", "moored"), ("gh search issues lamp", "wick")] * 2, 1
    ):
        Transcript(number, start=1500 * number).user("what is open?").run(
            f"{call} --json title,{field}", f"Unknown JSON field: {field!r}", error=True
        ).run(f"{call} --json title", "[]").reply("Nothing.").save(tmp_path / "s")
    harvest(config, below(tmp_path / "s"))
    facts = {item.fact: item for item in written(config, status=("active",))}
    of_field = {
        field: fact for fact in facts for field in ("moored", "wick") if field in fact
    }
    assert set(of_field) == {"moored", "wick"}
    (problem,) = [
        each for each in problems(config).problems if "Unknown JSON field" in each.what
    ]
    lesson = {
        "problem": problem.id,
        "answer": "lesson",
        "situation": "`gh pr view --json moored`: no such field",
        "remedy": "`gh pr view <n> --json title`: titles say which boat is moored where",
        "cites": list(range(1, 20)),
    }
    report = hand_in(config, [lesson], by="otter")
    assert report.counts == {"active": 1}, report.outcomes[0].reason
    after = {item.fact: item.status for item in written(config)}
    assert after == {of_field["moored"]: "superseded", of_field["wick"]: "active"}
