"""replay with what writers wrote, and with what is said on failure: nothing from the future, no model."""

from __future__ import annotations

import re

import pytest

from afterglow.config import Config
from afterglow.errors import NotFound
from afterglow.flows.harvest import NOBODY, hand_in, harvest, problems
from afterglow.flows.measure import replay
from afterglow.records.selection import below
from writing import Transcript

DAY = 24 * 60  # the clock of a transcript counts minutes
STALE = "Exit code 3\ncannot open the berth table: file is older than its index"


@pytest.fixture
def config(tmp_path):
    return Config(home=tmp_path / "kept", user_home=tmp_path / "home")


def moored(number: int, *, solved: bool = True) -> Transcript:
    session = Transcript(number, start=number * DAY)
    session.user("moor the boat").run(f"quayctl moor boat{number}", STALE, error=True)
    if solved:
        session.run("quayctl tide pull", "tide table pulled")
        session.run(f"quayctl moor boat{number}", "moored")
    return session.reply("done")


@pytest.fixture
def answered(config, tmp_path):
    """Five sessions with one problem; the second is the first that ends it. Its lesson is written in the end."""
    return written(config, tmp_path, solved={2, 3, 4, 5})


def written(config, tmp_path, solved):
    for number in range(1, 6):
        moored(number, solved=number in solved).save(tmp_path / "s")
    harvest(config, below(tmp_path / "s"))
    problem = problems(config).problems[0]
    lesson = {
        "problem": problem.id,
        "answer": "lesson",
        "situation": "`quayctl moor`: 'cannot open the berth table: file is older than its index'",
        "remedy": "run `quayctl tide pull` first",
        "cites": list(range(1, 12)),
    }
    report = hand_in(config, [lesson], by="claude")
    assert report.counts == {"active": 1}, report
    return config


def test_a_written_lesson_counts_from_the_end_of_the_first_session_that_showed_it(
    answered,
):
    report, rows = replay(answered)
    in_view = ["quayctl tide pull` first" in row.context for row in rows]
    assert in_view == [False, False, True, True, True]
    assert (report.written.lessons, report.written.in_contexts) == (1, 1)


def test_its_day_is_the_one_on_which_it_was_last_shown(config, tmp_path):
    def days(rows) -> list[str]:
        return re.findall(r"(\d+ \w{3})\]", "\n".join(row.context for row in rows))

    always = days(replay(written(config, tmp_path / "a", solved={2, 3, 4, 5}))[1])
    assert len(set(always)) == 3
    other = Config(home=tmp_path / "other", user_home=tmp_path / "home")
    twice = days(replay(written(other, tmp_path / "b", solved={2, 3}))[1])
    assert twice == [*always[:2], always[1]]


def test_a_lesson_of_nobody_or_of_another_writer_is_not_told(answered):
    report, rows = replay(answered, writer=NOBODY)
    assert not any("--pull` first" in row.context for row in rows)
    assert replay(answered, writer="claude")[0].written.lessons == 1
    with pytest.raises(NotFound, match="there are claude, nobody"):
        replay(answered, writer="codex")
    assert report.written.writer == NOBODY


def test_on_failure_a_session_is_told_what_was_known_when_it_started(answered):
    report, rows = replay(answered)
    assert [len(row.hints) for row in rows] == [0, 0, 1, 1, 1]
    hint = rows[-1].hints[0]
    assert "run `quayctl tide pull` first" in hint.text
    assert report.on_failure.hints == 3
    assert report.on_failure.at_hand.count >= report.shares["in view"].count


def test_a_problem_that_comes_twice_in_a_session_is_told_once(answered, tmp_path):
    again = moored(9).run("quayctl moor boat2", STALE, error=True).reply("hm")
    again.save(tmp_path / "s")
    _, rows = replay(answered, below(tmp_path / "s"))
    assert len(rows[-1].hints) == 1


def test_a_placebo_is_told_nothing_on_failure(answered):
    _, rows = replay(answered, placebo=True)
    assert not any(row.hints for row in rows)
