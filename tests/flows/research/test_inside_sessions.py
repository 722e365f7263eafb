"""length and code-first, end to end: from transcripts to an answer, a page and what the screen shows."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from afterglow.cli.research import research as command
from afterglow.config import Config
from afterglow.flows.read import scan
from afterglow.flows.research import research
from afterglow.measure.research.page import page
from afterglow.records.selection import Selection
from writing import Transcript

DAY = 24 * 60  # the clock of a transcript counts minutes
HARBOR, PIER = "/home/ana/src/harbor", "/home/ana/src/pier"


def session(number: int, *, calls: int, failing: int, early_run: bool, cwd: str):
    """So many calls, of which one in `failing` fails; it runs a test early, or only behind the tenth call."""
    transcript = Transcript(number, start=number * DAY, cwd=cwd).user("mend the crane")
    for call in range(calls):
        runs = call == 2 if early_run else call == 12
        line = "go test ./crane" if runs else f"cat crane-{call}.go"
        if call % failing == 1:
            transcript.run(line, "Exit code 1\nno such crane", error=True)
        else:
            transcript.run(line, "ok")
    return transcript.reply("Mended.")


@pytest.fixture(scope="module")
def config(tmp_path_factory) -> Config:
    """Short sessions fail one time in four, long ones one time in twenty; every other one runs something early."""
    home = tmp_path_factory.mktemp("home")
    for number in range(16):
        is_long, cwd = number < 8, HARBOR if number % 4 < 2 else PIER
        calls, failing = (60, 20) if is_long else (22, 4)
        transcript = session(
            number, calls=calls, failing=failing, early_run=bool(number % 2), cwd=cwd
        )
        transcript.save(home / "sessions")
    config = Config(home=home / "kept", user_home=home / "home")
    scan(config, [home / "sessions"], jobs=1)
    return config


def cells(answer, title):
    (table,) = [table for table in answer.tables if table.title == title]
    return {row[0]: dict(zip(table.heads, row, strict=True)) for row in table.rows}


def test_long_sessions_that_were_better_from_the_start_are_told_as_such(config):
    answer = research(config, "length")
    assert answer.enough and answer.sessions == 16 and answer.repos == 2
    assert "Long sessions fail less often than short ones" in answer.answer
    rows = cells(answer, "Between sessions: by length")
    assert rows["0–50"]["sessions"] == rows["over 100"]["sessions"] == 8
    assert rows["long less short"]["first 10 calls"].value < 0
    by_call = cells(answer, "By call number, beside what survivorship alone would give")
    assert by_call["1–10"]["counted"].n == 160
    assert by_call["51–100"]["survivorship alone"].sessions == 8
    claims = cells(
        answer, "What one fleet reported of its own agents, tested on these sessions"
    )
    assert len(claims) == 3


def test_how_sessions_begin_is_compared_between_sessions_alike(config):
    answer = research(config, "code-first")
    assert answer.enough
    assert "do not clearly fail less or more often" in answer.answer
    rows = cells(answer, "The error rate of the rest: ran early less others")
    assert rows["alike"]["difference"].sessions == 16
    assert cells(answer, "How sessions begin")["looks"]["sessions"] == 16


@pytest.mark.parametrize("question", ["length", "code-first"])
def test_a_page_and_json_say_the_same(config, question):
    answer = research(config, question, Selection(repo="harbor"))
    assert answer.selection == {"repo": "harbor"} and answer.sessions == 8
    written = page(research(config, question))
    assert "What this cannot say" in written and "<svg" in written
    again = research(config, question)
    assert json.dumps(str(again.tables)) == json.dumps(
        str(research(config, question).tables)
    )


@pytest.mark.parametrize("question", ["length", "code-first"])
def test_a_person_reads_it_on_a_screen_of_80_columns(config, question, tmp_path):
    env = {
        "HOME": str(config.user_home),
        "AFTERGLOW_HOME": str(config.home),
        "COLUMNS": "80",
    }
    file = tmp_path / "page.html"
    words = [question, "--page", str(file), "--jobs", "1"]
    result = CliRunner().invoke(command, words, env=env, catch_exceptions=False)
    assert result.exit_code == 0
    assert max(map(len, result.stdout.splitlines())) <= 80
    assert file.read_text(encoding="utf-8").startswith("<!doctype html>")


def test_too_few_sessions_are_said_plainly(tmp_path):
    session(1, calls=22, failing=4, early_run=True, cwd=HARBOR).save(tmp_path / "s")
    config = Config(home=tmp_path / "kept", user_home=tmp_path / "home")
    scan(config, [tmp_path / "s"], jobs=1)
    for question in ("length", "code-first"):
        answer = research(config, question)
        assert not answer.enough and answer.answer.startswith("Too few sessions")
