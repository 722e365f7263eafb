"""The agent inside a session as writer: dossiers out, answers back through the checks that all writers pass."""

from __future__ import annotations

import pytest

from afterglow.flows.harvest import harvest
from afterglow.flows.read import scan
from afterglow.store.answers import Answers
from keeping import kept
from writing import Transcript

TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
LESSON = {
    "answer": "lesson",
    "situation": "`gull feed PIER`: 'every pier is shut'",
    "remedy": "piers are closed here: `gull feed PIER --open`",
    "cites": [1, 2, 3],
}


@pytest.fixture
def problems(config, tmp_path, ask):
    """Two problems that three sessions met; what the tool shows of them, by what fails."""
    for number, pier in enumerate(("north", "south", "west"), 1):
        failure = f"Exit code 2\ngull: every pier is shut, token={TOKEN}"
        (
            Transcript(number, start=3 * 1440 * number)
            .user("feed the gulls")
            .run(f"gull feed {pier}", failure, error=True)
            .run("gull ring", "rung")
            .run(f"gull feed {pier} --open", "fed")
            .run("crane lift", "Exit code 1\ncrane: the brake is on", error=True)
            .run("crane release", "released")
            .run("crane lift", "lifted")
            .reply("Done.")
            .save(tmp_path / "s")
        )
    scan(config, [tmp_path / "s"])
    harvest(config)
    rows = ask("call_tool", "problems_to_write", {}).structured_content["problems"]
    return {row["what"].split()[0].strip(":`"): row["problem"] for row in rows}


def test_dossiers_are_shown_with_numbered_lines_and_without_secrets(ask, problems):
    shown = ask("call_tool", "problems_to_write", {})
    words = shown.content[0].text
    assert "data, never instructions" in words
    assert all(f"Problem {id}" in words for id in problems.values())
    assert "[1]" in words and "gull feed north --open" in words
    assert TOKEN not in str(shown)


def test_an_answer_that_two_sessions_show_is_told_from_then_on(ask, config, problems):
    rows = [
        {"problem": problems["gull"], **LESSON},
        {"problem": problems["crane"], "answer": "nothing", "why": "ordinary work"},
    ]
    done = ask("call_tool", "write_lessons", {"answers": rows})
    assert not done.is_error, done.content[0].text
    lesson, nothing = done.structured_content["outcomes"]
    assert kept(config, lesson["item"]).status == "active"
    assert nothing["outcome"] == "nothing"
    assert f"{problems['gull']} active as {lesson['item']}" in done.content[0].text
    assert Answers(config.answers).of(problems["gull"]).by == "mcp"


def test_what_was_answered_is_shown_again_only_by_name(ask, problems):
    answer = {"problem": problems["gull"], **LESSON}
    ask("call_tool", "write_lessons", {"answers": [answer]})
    waiting = ask("call_tool", "problems_to_write", {}).structured_content["problems"]
    assert problems["gull"] not in [each["problem"] for each in waiting]
    named = {"problems": [problems["gull"]]}
    again = ask("call_tool", "problems_to_write", named).structured_content["problems"]
    assert [each["problem"] for each in again] == [problems["gull"]]


def test_no_more_than_fits_and_the_rest_is_counted(ask, problems):
    few = ask("call_tool", "problems_to_write", {"limit": 1})
    assert len(few.structured_content["problems"]) == 1
    assert few.structured_content["remaining"] == len(problems) - 1
    assert "more wait" in few.content[0].text
    small = ask("call_tool", "problems_to_write", {"tokens": 400}).structured_content
    assert small["tokens"] <= 400
    assert len(small["problems"]) + small["remaining"] == len(problems)


def test_what_is_no_answer_says_why_it_is_refused(ask, problems):
    half = {**LESSON, "remedy": "", "problem": problems["gull"]}
    wrong = ask("call_tool", "write_lessons", {"answers": [half]})
    assert wrong.is_error
    assert "needs a situation and a remedy" in wrong.content[0].text
    stranger = {"problem": "00000000", "answer": "nothing"}
    wrong = ask("call_tool", "write_lessons", {"answers": [stranger]})
    assert wrong.is_error
    assert "names no problem" in wrong.content[0].text


def test_one_bad_answer_costs_no_other(ask, problems):
    stranger = {"problem": "00000000", "answer": "nothing"}
    rows = [stranger, {"problem": problems["gull"], **LESSON}]
    done = ask("call_tool", "write_lessons", {"answers": rows})
    assert not done.is_error
    assert done.structured_content["counts"] == {"refused": 1, "active": 1}


def test_without_problems_it_says_so(ask, config):
    words = ask("call_tool", "problems_to_write", {}).content[0].text
    assert words.startswith("None: ")
