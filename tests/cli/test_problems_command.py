"""`afterglow problems` as a person runs it."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from afterglow.cli.main import cli
from writing import Transcript


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("AFTERGLOW_HOME", str(tmp_path / "kept"))
    monkeypatch.setenv("COLUMNS", "160")

    def command(*words: str):
        return CliRunner().invoke(cli, words)

    return command


@pytest.fixture
def harvested(run, tmp_path):
    for number in (1, 2):
        (
            Transcript(number, start=1500 * number)
            .user("light the lamps")
            .run("lampctl ignite --all", "Exit code 2\nlampctl: wick is wet", error=True)
            .run("lampctl dry", "dry")
            .run("lampctl ignite --all", "lit")
            .reply("Lit.")
            .save(tmp_path / "s")
        )  # fmt: skip
    assert run("harvest", str(tmp_path / "s")).exit_code == 0
    return run


def test_a_line_a_problem_and_a_sentence_at_the_end(harvested):
    result = harvested("problems")
    assert result.exit_code == 0
    row = next(line for line in result.output.splitlines() if "wick is wet" in line)
    assert row.split()[1:3] == ["2", "2"]
    assert "1 problem keeps coming back; " in result.output


def test_json_has_all_of_it(harvested):
    listed = json.loads(harvested("problems", "--json").output)
    (problem,) = listed["problems"]
    assert problem["times"] == 2
    assert len(problem["events"]) == 2


def test_show_prints_the_dossier_and_where_it_stands(harvested):
    (problem,) = json.loads(harvested("problems", "--json").output)["problems"]
    result = harvested("problems", "show", problem["id"])
    assert result.exit_code == 0
    assert "[1]" in result.output
    assert "lampctl: wick is wet" in result.output
    assert "session:line" in result.output
    report = json.loads(harvested("problems", "show", problem["id"], "--json").output)
    assert report["dossier"]["problem"] == problem["id"]


def test_filters_and_limits(harvested):
    unknown = harvested("problems", "--repo", "quay").exception
    assert "no session is of the repository 'quay'" in str(unknown)
    assert "keeps coming back" in harvested("problems", "--limit", "1").output
    assert "1 problem were" not in harvested("problems", "--all").output


def test_before_a_harvest_it_says_what_to_do(run, tmp_path):
    Transcript(1).user("x").reply("y").save(tmp_path / "s")
    run("scan", str(tmp_path / "s"))
    result = run("problems")
    assert result.exit_code == 0
    assert "afterglow harvest" in result.output


@pytest.fixture
def answered(harvested):
    """Hands in an answer to the one problem and shows it: what `problems`, `problems show` and its JSON say then."""
    (problem,) = json.loads(harvested("problems", "--json").output)["problems"]
    id = problem["id"]

    def hand_in(**answer):
        row = json.dumps({"problem": id, "cites": [1, 2, 3], **answer})
        CliRunner().invoke(cli, ["write", "--answers", "-", "--by", "otter"], row)
        shown_json = harvested("problems", "show", id, "--json").output
        return (
            harvested("problems").output,
            harvested("problems", "show", id).output,
            json.loads(shown_json),
        )

    return hand_in


def retired(run):
    """Nothing that rules wrote stands in the way."""
    for item in json.loads(run("knowledge", "list", "--json").output)["items"]:
        assert run("knowledge", "retire", "--why", "x", item["id"]).exit_code == 0


def test_what_nobody_answered_waits_and_says_for_whom(harvested):
    listed = json.loads(harvested("problems", "--json").output)
    id = listed["problems"][0]["id"]
    assert listed["waiting"] == 1
    output = harvested("problems").output
    assert "1 waits for somebody who writes: `afterglow write" in output
    shown = harvested("problems", "show", id).output
    assert f"Next: `afterglow write {id} --with auto` has it written" in shown


def test_why_there_is_nothing_to_tell_is_said(answered, harvested):
    retired(harvested)
    listed, shown, report = answered(answer="nothing", why="wicks dry by themselves")
    assert "nothing: wicks dry by themselves" in shown
    assert "Answered by otter on " in shown
    assert "nothing: wicks" in listed
    assert "for somebody who writes" not in listed
    assert report["problem"]["answers"][0]["outcome"] == "nothing"
    assert report["waits"] is False


def test_a_lesson_is_said_with_its_id_and_one_that_waits_with_its_reason(
    answered, harvested
):
    retired(harvested)
    remedy = "dry it first: `lampctl dry`, then `lampctl ignite --all`"
    lesson = {"answer": "lesson", "situation": "wick is wet", "remedy": remedy}
    _, shown, report = answered(**lesson)
    (answer,) = report["problem"]["answers"]
    assert answer["status"] in {"active", "candidate"}
    words = {"active": "written as", "candidate": "waits as"}[answer["status"]]
    assert f"{words} {answer['item']}" in shown
    harvested("knowledge", "reject", "--why", "it drips", answer["item"])
    rejected = harvested("problems", "show", report["problem"]["id"]).output
    assert f"{answer['item']} is retired" in rejected
    assert "--by-hand` says it better" in rejected


def test_a_refused_answer_says_why(answered):
    _, shown, _ = answered(answer="lesson", situation="wick is wet")
    assert "refused: a lesson needs a situation and a remedy" in shown


def test_an_agent_that_writes_itself_gets_what_nobody_has_answered(answered, harvested):
    waiting = json.loads(harvested("problems", "to-write", "--json").output)
    (problem,) = waiting["problems"]
    assert "[1]" in problem["text"] and waiting["remaining"] == 0
    output = harvested("problems", "to-write").output
    assert "never instructions" in output and problem["text"] in output
    answered(answer="nothing", why="wicks dry by themselves")
    assert harvested("problems", "to-write").output.startswith("None: every problem")
    assert problem["text"] in harvested("problems", "to-write", "--again").output


def test_an_answer_that_says_what_a_person_rejected_says_so(answered, harvested):
    for status in ("active", "candidate"):
        words = ("knowledge", "list", "--status", status, "--json")
        for item in json.loads(harvested(*words).output)["items"]:
            harvested("knowledge", "reject", "--why", "it drips", item["id"])
    remedy = "dry it first: `lampctl dry`, then `lampctl ignite --all`"
    lesson = {"answer": "lesson", "situation": "wick is wet", "remedy": remedy}
    _, shown, _ = answered(**lesson)
    assert "rejected: it drips" in shown


def test_episodes_stand_beside_each_other_or_as_json(harvested):
    (problem,) = json.loads(harvested("problems", "--json").output)["problems"]
    shown_text = harvested("problems", "show", problem["id"], "--episodes").output
    assert shown_text.count("failed: $ lampctl ignite --all [2]") == 2
    assert shown_text.count("then: $ lampctl dry") == 2
    words = ("problems", "show", problem["id"], "--episodes", "--limit", "1", "--json")
    met = json.loads(harvested(*words).output)
    assert (len(met["columns"]), met["total"]) == (1, 2)
    assert met["columns"][0]["worked"]["text"].startswith("the same call again")


def test_problems_by_lesson_and_kind(harvested):
    with_lesson = harvested("problems", "--lesson", "with").output
    without = harvested("problems", "--lesson", "without").output
    assert ("wick is wet" in with_lesson) != ("wick is wet" in without)
    assert "No problem came back" in harvested("problems", "--kind", "ci").output
    since = harvested("problems", "--since", "2020-01-01", "--kind", "failed").output
    assert "wick is wet" in since
