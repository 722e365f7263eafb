"""Stated causes, and questions nobody answered."""

from __future__ import annotations

import pytest

from afterglow.harvest.miners import causes
from afterglow.harvest.trail import Trail
from afterglow.records.knowledge import Finding, Telling
from afterglow.sessions import load
from writing import Transcript

REFUSED = "Exit code 1\nconnection to server at localhost, port 5433 refused"
CAUSE = "The root cause was that nothing listens on port 5433 until the tide-db container runs."


def mined(folder, transcript: Transcript, repo: str = "harbor") -> list[Finding]:
    return [
        f
        for session in load(transcript.save(folder))
        for f in causes.mine(Trail(session, repo))
    ]


def told(findings: list[Finding]) -> Telling:
    telling = causes.tell(findings)
    assert isinstance(telling, Telling), telling
    return telling


def failing(number: int = 1) -> Transcript:
    return (
        Transcript(number)
        .user("please migrate")
        .run("make migrate", REFUSED, error=True)
    )


def test_a_cause_stated_after_the_recovery_is_a_fact(tmp_path):
    telling = told(
        mined(
            tmp_path,
            failing()
            .run("docker compose up -d tide-db")
            .run("make migrate")
            .reply(CAUSE),
        )
    )
    assert telling.category == "fact"
    assert telling.fact == (
        "`make migrate` failed (connection to server at localhost, port 5433 refused); "
        "the cause: nothing listens on port 5433 until the tide-db container runs."
    )


def test_a_cause_is_surer_when_what_was_done_names_it(tmp_path):
    said = failing().reply(
        "Found it. `tide-db` needs to be up before anything else runs on port 5433."
    )
    telling = told(
        mined(
            tmp_path,
            said.run("docker compose up -d tide-db").run("make migrate").reply("Done."),
        )
    )
    assert telling.directness == causes.ACTED


def test_only_the_last_statement_counts(tmp_path):
    start = failing().reply(
        "The problem is that `DATABASE_URL` is refused by the server on port 5433."
    )
    found = mined(
        tmp_path,
        start.run("docker compose up -d tide-db").run("make migrate").reply(CAUSE),
    )
    assert [finding.slots["what"] for finding in found] == [
        "nothing listens on port 5433 until the tide-db container runs"
    ]


@pytest.mark.parametrize(
    "statement",
    [
        "The root cause is probably that port 5433 is closed by the firewall.",  # doubt
        "The issue is in line 41 of `migrate.go`, where port 5433 stands.",  # for those who were there
        "The root cause was that my change broke port 5433.",
        "The root cause was that gulls are loud in `spring_time`.",  # nothing to do with the failure
        "The problem is: why?",
    ],
)
def test_a_statement_that_cannot_be_used_is_left_out(tmp_path, statement):
    assert (
        mined(
            tmp_path,
            failing()
            .run("docker compose up -d db")
            .run("make migrate")
            .reply(statement),
        )
        == []
    )


def test_without_a_success_there_is_no_fact(tmp_path):
    found = mined(
        tmp_path,
        failing().reply("I see.").user("and?").reply(CAUSE).user("ok, leave it"),
    )
    assert found == []


def test_a_cause_that_a_session_ends_on_is_a_question(tmp_path):
    telling = told(mined(tmp_path, failing().reply(CAUSE)))
    assert (
        telling.category == "question"
        and "port 5433 until" in telling.fact
        and telling.fact.endswith("?")
    )


def test_a_person_who_objects_overrules_it(tmp_path):
    start = (
        failing().run("docker compose up -d tide-db").run("make migrate").reply(CAUSE)
    )
    assert mined(tmp_path, start.user("no, that was something else")) == []


def test_the_same_failure_soon_after_takes_it_back(tmp_path):
    start = (
        failing().run("docker compose up -d tide-db").run("make migrate").reply(CAUSE)
    )
    assert (
        mined(tmp_path, start.run("make migrate", REFUSED, error=True).user("leave it"))
        == []
    )


def test_the_cause_of_an_ordinary_red_test_must_be_lasting(tmp_path):
    red = "Exit code 1\n--- FAIL: TestTide (0.0s)\ntide_test.go:4: excludes_file gave 3"
    for number, what, kept in (
        (1, "is read after `tide`", 0),
        (2, "needs an absolute path", 1),
    ):
        start = (
            Transcript(number)
            .run("go test ./dock", red, error=True)
            .reply(f"The issue is `excludes_file` {what}.")
        )
        assert (
            len(mined(tmp_path, start.run("go test ./dock", "ok").reply("Done.")))
            == kept
        )


def test_the_same_cause_in_several_repositories_names_none_of_them(tmp_path):
    found = []
    for number, repo in ((1, "harbor"), (2, "tidewatch")):
        start = (
            failing(number)
            .run("docker compose up -d tide-db")
            .run("make migrate")
            .reply(CAUSE)
        )
        found += mined(tmp_path, start, repo)
    assert len({finding.topic for finding in found}) == 1
    assert told(found).fact.startswith("`make migrate` failed")


def test_a_question_at_the_very_end_stays_open(tmp_path):
    asked = (
        Transcript(1)
        .user("look at the retries")
        .reply("Done so far. Should the limit count per feed or for all?")
    )
    assert (
        told(mined(tmp_path, asked)).fact
        == "Open: Should the limit count per feed or for all?"
    )


@pytest.mark.parametrize(
    "words",
    [
        "Would you like me to commit this change now?",
        "Shall I go on with the next one?",
    ],
)
def test_offers_are_no_questions(tmp_path, words):
    assert mined(tmp_path, Transcript(1).user("hello").reply(words)) == []


def test_an_answered_question_is_closed(tmp_path):
    asked = (
        Transcript(1)
        .user("retries?")
        .reply("Should the limit count per feed or for all feeds together?")
    )
    assert mined(tmp_path, asked.user("per feed")) == []


def test_a_cause_that_an_edit_put_right_is_not_kept(tmp_path):
    said = failing().reply(
        "The issue is that `tide-db` needs an absolute path for port 5433."
    )
    said.ask(
        "Edit", file_path="a.go", old_string="tide-db", new_string="/tide-db"
    ).answer("updated")
    assert mined(tmp_path, said.run("make migrate").reply("Done.")) == []


def test_a_piped_rerun_confirms_nothing(tmp_path):
    start = (
        failing()
        .run("docker compose up -d tide-db")
        .run("make migrate 2>&1 | tail -5")
        .reply(CAUSE)
    )
    assert [
        f for f in mined(tmp_path, start.user("thanks")) if "command" in f.slots
    ] == []


def test_how_something_behaves_may_be_told_after_the_fix(tmp_path):
    start = Transcript(1).user("why is it dirty?").run("make status", "clean")
    said = start.reply(
        "The fix works. The issue was that gitlib doesn't respect `~/.config/git/ignore`."
    )
    assert (
        told(mined(tmp_path, said)).fact
        == "gitlib doesn't respect `~/.config/git/ignore`."
    )


def test_what_the_session_itself_changed_is_not_told_as_a_fact(tmp_path):
    start = (
        Transcript(1)
        .ask(
            "Edit",
            file_path="a.go",
            old_string="runTide(x)",
            new_string="runTide(x, y)",
        )
        .answer("ok")
    )
    said = start.run("make status", "ok").reply(
        "Fixed. The bug was that `runTide` doesn't respect the second berth."
    )
    assert mined(tmp_path, said) == []


def test_a_hidden_ending_settles_a_failure_so_that_no_later_run_confirms_another_cause(
    tmp_path,
):
    start = (
        failing()
        .run("docker compose up -d tide-db")
        .run("make migrate | tail -3")
        .user("go on")
        .reply(CAUSE)
    )
    found = mined(tmp_path, start.run("make migrate").user("thanks"))
    assert [finding for finding in found if "command" in finding.slots] == []


def test_a_file_rewritten_in_the_shell_is_an_edit_too(tmp_path):
    start = (
        failing()
        .run("sed -i s/5432/5433/ compose.yml")
        .run("make migrate")
        .reply(CAUSE)
    )
    assert mined(tmp_path, start.user("thanks")) == []
