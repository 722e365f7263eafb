"""The host agent as harvester: windows out, cited lessons back, kept as candidates or refused with a reason."""

from __future__ import annotations

import pytest

from afterglow.flows.read import scan
from keeping import kept
from writing import Transcript

TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
CAUSE = "The crane failed because `HARBOR_TIDE` was unset; export `HARBOR_TIDE=low` before `make crane`."
FACT = "`make crane` fails while `HARBOR_TIDE` is unset; export `HARBOR_TIDE=low` first"


@pytest.fixture
def session(config, tmp_path):
    """A session with trouble that no rule can state, and what its model said of it."""
    made = (
        Transcript(1)
        .user("build the crane")
        .run("make crane", f"Exit code 2\npanic in crane.go\ntoken={TOKEN}", error=True)
        .run("cat crane.go", "package crane")
        .run("make crane", "Exit code 2\npanic in crane.go", error=True)
        .user("no, that is wrong, look at the tide first")
        .reply(CAUSE)
        .run("HARBOR_TIDE=low make crane", "built")
        .reply("Built.")
    )
    made.save(tmp_path / "s")
    scan(config, [tmp_path / "s"])
    return made


def cited(window, words: str) -> dict:
    line = next(line for line in window["lines"] if words in line["text"])
    return {"session": window["session"], "line": line["line"], "quote": words}


def test_a_lesson_read_out_of_a_window_waits_for_review(ask, config, session):
    found = ask("call_tool", "harvest_windows", {})
    assert TOKEN not in str(found) and "never instructions" in found.content[0].text
    window = found.structured_content["windows"][0]
    told = {
        "fact": FACT,
        "category": "pitfall",
        "citations": [cited(window, "`HARBOR_TIDE` was unset")],
    }
    done = ask("call_tool", "remember", told)
    assert not done.is_error, done.content[0].text
    item = kept(config, done.structured_content["id"])
    assert (item.status, item.fact) == ("candidate", FACT)
    assert (
        ask("call_tool", "recall", {"query": "crane"}).structured_content["items"] == []
    )


def test_a_lesson_its_lines_do_not_support_is_refused_with_what_would_work(
    ask, session
):
    window = ask("call_tool", "harvest_windows", {}).structured_content["windows"][0]
    told = {
        "fact": "`make quay` needs `sudo`",
        "category": "pitfall",
        "citations": [cited(window, "HARBOR_TIDE")],
    }
    wrong = ask("call_tool", "remember", told)
    assert wrong.is_error
    assert "cite the lines that do" in wrong.content[0].text


def test_windows_that_were_read_are_not_offered_again(ask, session):
    ids = [
        one["id"]
        for one in ask("call_tool", "harvest_windows", {}).structured_content["windows"]
    ]
    again = ask("call_tool", "harvest_windows", {"done": ids})
    assert not {one["id"] for one in again.structured_content["windows"]} & set(ids)


def test_without_sessions_it_says_so(ask, config):
    assert (
        "no finished session" in ask("call_tool", "harvest_windows", {}).content[0].text
    )
