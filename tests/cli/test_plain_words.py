"""Words that only we understand stay off the screen, and who shows numbers says where they are explained."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from afterglow.cli.main import cli
from afterglow.context.left_out_words import LEFT_OUT_WORDS, counted_reasons
from afterglow.errors import CapReached
from afterglow.llm.budget import Budget, Caps
from afterglow.measure.replay import sentences
from afterglow.records.context import Why
from afterglow.records.knowledge import sessions_that_show, support
from afterglow.records.model import Price, TokenUsage

ROOT = Path(__file__).parents[2]
SOURCES = sorted((ROOT / "src" / "afterglow").rglob("*.py"))
# From the first look of somebody who had never seen it; each with what says it plainly.
JARGON = {
    "smallest crowd": "alike at least",
    "tells less: ": "made coarser",
    "end harvested": "learned from as they end",
    "for before: ": "because of what came before",
    "it compounds": "it grows",
    "Never met their situation": "Shown, and never needed",
    "proved to arrive": "seen to arrive",
    "calibration error": "points apart",
}


@pytest.mark.parametrize("words", JARGON)
def test_words_that_a_newcomer_stumbled_over_are_printed_nowhere(words: str) -> None:
    printing = [
        path
        for path in SOURCES
        if {"cli", "measure", "llm", "experiment"} & set(path.parts)
    ]
    strings = re.compile(rf'f?"[^"\n]*{re.escape(words)}')
    saying = [path.name for path in printing if strings.search(path.read_text())]
    assert saying == [], f"say it plainly: {JARGON[words]}"


def test_why_an_item_is_left_out_is_said_in_words() -> None:
    assert set(LEFT_OUT_WORDS) == set(Why.__args__)
    text = counted_reasons({"worth": 16, "status": 2, "confidence": 31})
    assert text == "31 not sure enough, 16 not worth a line, 2 not active"


def test_every_kind_of_miss_has_words() -> None:
    assert set(sentences.MISSED) == set(sentences.CALLED)


@pytest.mark.parametrize("command", ["replay", "measure", "profile"])
def test_who_shows_numbers_says_where_they_are_explained(command: str) -> None:
    text = (ROOT / "src" / "afterglow" / "cli" / f"{command}.py").read_text()
    assert "HOW_TO_READ" in text
    page = (ROOT / "docs" / "reading-numbers.md").read_text()
    assert f"{command}.md" in page or command == "profile"


@pytest.mark.parametrize(
    "words", [["profile", "--plot"], ["profile", "--output"], ["replay", "--output"]]
)
def test_a_folder_that_is_not_there_is_said_before_the_work(
    words: list[str], tmp_path: Path
) -> None:
    file = tmp_path / "nope" / "x.svg"
    result = CliRunner().invoke(
        cli, [*words, str(file)], env={"AFTERGLOW_HOME": str(tmp_path / "kept")}
    )
    assert "is not a folder; give a file in one that is there" in str(result.exception)
    assert not file.parent.exists()


def test_a_new_experiment_says_that_it_does_nothing_before_it_is_started(
    tmp_path: Path,
) -> None:
    result = CliRunner().invoke(
        cli, ["experiment", "new", "daily"], env={"AFTERGLOW_HOME": str(tmp_path)}
    )
    assert "afterglow experiment start daily" in result.output
    assert "anytime-valid" not in result.output


def test_sessions_that_are_not_independent_are_not_called_so() -> None:
    class Counted:
        miner, source_count, times, worked = "state", 8, 65, 0

    assert support(Counted()) == "seen 65 times, 8 independent sessions"
    Counted.worked = 60
    assert support(Counted()) == "worked 60 of 65 times, 8 independent sessions"
    Counted.times = Counted.worked = 0
    assert support(Counted()) == "8 sessions"


def test_of_a_lesson_about_a_problem_only_those_count_that_show_it() -> None:
    class Counted:
        miner, source_count, times, worked = "written", 8, 12, 3

    assert support(Counted()) == "met 12 times in 8 sessions, shown in 3"
    assert sessions_that_show(Counted()) == 3
    Counted.worked = 9
    assert sessions_that_show(Counted()) == 8


def test_a_cap_says_what_is_left_of_it() -> None:
    budget = Budget(Caps(max_tokens=5000), Price(1.0, 1.0))
    with pytest.raises(CapReached, match="of the cap of 5000 tokens 5000 are left"):
        budget.hold(TokenUsage(4000, 2000), "test")
