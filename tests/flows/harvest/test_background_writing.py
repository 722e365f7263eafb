"""Lessons written in the background by the user's own agent: only where the user agreed, when problems have gathered,
within the cap; and what is said of it."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from afterglow.config import Config
from afterglow.flows.doctor import doctor, status
from afterglow.flows.harvest import (
    enqueue,
    estimate_writing,
    harvest,
    last_writing,
    lessons_written,
    log_of,
    plan_writing,
    problems,
    work_off,
    write_in_background,
    write_lessons,
)
from afterglow.flows.harvest.background_writing import MIN_PAUSE_SECONDS
from afterglow.flows.model_client import writer_of
from afterglow.records.selection import below
from afterglow.records.settings import WriteSettings
from llm.fake_agents import put_program, starts_of
from writing import Transcript

SECOND = 1_790_992_800.0  # 3 October 2026, when the second session ran
LATER = SECOND + 40 * 86_400
ANSWERING = """
import re
answers = [
    {"problem": id, "answer": "lesson", "situation": "`lampctl ignite`: the oil is low", "cites": [2, 3, 4],
     "remedy": "fill its tank first, with `lampctl fill --name`"}
    for id in re.findall(r"\\bProblem ([0-9a-f]{8,})", asked)
]
usage = {"input_tokens": 900, "output_tokens": 100}
print(json.dumps({"type": "result", "result": json.dumps({"answers": answers}), "usage": usage}))
"""  # fmt: skip
LOGIN = "sys.exit('Please run /login')"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    folder = tmp_path / "bin"
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
    return folder


@pytest.fixture
def config(tmp_path, folder):
    for number, tank in ((1, "north"), (2, "south")):
        session = Transcript(number, start=1500 * number).user("light the lamps")
        session.run("lampctl ignite", "Exit code 1\nthe oil is low", error=True)
        session.reply("The oil is low, so I fill the tank first.")
        session.run(f"lampctl fill --name {tank}", "filled")
        session.run("lampctl ignite", "3 lamps are lit").save(tmp_path / "s")
    settings = WriteSettings(writer="claude", on="yes")
    config = Config(home=tmp_path / "kept", user_home=tmp_path, write=settings)
    harvest(config, below(tmp_path / "s"))
    return config


def test_nobody_is_asked_before_the_user_agreed(config, folder):
    put_program(folder, "claude", ANSWERING)
    for settings in (
        WriteSettings(),
        WriteSettings(writer="claude"),
        WriteSettings(writer="claude", on="no"),
        WriteSettings(on="yes"),
    ):
        assert write_in_background(replace(config, write=settings), now=LATER) is None
    assert starts_of(folder, "claude") == []


def test_a_single_problem_waits_a_day_for_company(config, folder):
    put_program(folder, "claude", ANSWERING)
    (each,) = problems(config).problems
    assert write_in_background(config, now=each.last + 3_600) is None
    last = write_in_background(config, now=each.last + 90_000)
    assert last is not None and (last.problems, last.answered, last.lessons) == (
        1,
        1,
        1,
    )
    assert last_writing(config) == last and last.trouble == ""
    assert lessons_written(config, since=0.0) == last.lessons
    assert len(starts_of(folder, "claude")) == 1


def test_what_was_answered_is_not_asked_again(config, folder):
    put_program(folder, "claude", ANSWERING)
    write_in_background(config, now=LATER)
    assert write_in_background(config, now=LATER + 2 * MIN_PAUSE_SECONDS) is None
    assert len(starts_of(folder, "claude")) == 1


def test_a_writer_that_is_not_let_in_is_noted_and_tried_again_after_a_pause(
    config, folder
):
    put_program(folder, "claude", LOGIN)
    last = write_in_background(config, now=LATER)
    assert last is not None and "/login" in last.trouble and last.answered == 0
    assert "/login" in log_of(config).recent()[-1].detail
    assert write_in_background(config, now=LATER + 60) is None
    put_program(folder, "claude", ANSWERING)
    last = write_in_background(config, now=LATER + MIN_PAUSE_SECONDS)
    assert last is not None and last.answered == 1


def test_trouble_is_over_when_a_writer_has_answered_by_hand(config, folder):
    put_program(folder, "claude", LOGIN)
    write_in_background(config, now=LATER)
    put_program(folder, "claude", ANSWERING)
    with writer_of(config) as writer:
        write_lessons(config, writer, plan_writing(config), now=LATER + 60)
    last = last_writing(config)
    assert last is not None and last.trouble == ""


def test_a_problem_that_has_a_lesson_is_no_reason_to_ask(config, folder):
    put_program(folder, "claude", ANSWERING)
    write_in_background(config, now=LATER)
    for path in config.answers.iterdir():
        path.unlink()
    assert plan_writing(config).questions
    assert write_in_background(config, now=LATER + 2 * MIN_PAUSE_SECONDS) is None


def test_a_writer_that_is_gone_is_noted(config, folder):
    last = write_in_background(config, now=LATER)
    assert last is not None and "PATH" in last.trouble


def test_the_cap_of_a_day_ends_it_and_is_no_trouble(config, folder):
    put_program(folder, "claude", ANSWERING)
    tight = WriteSettings(writer="claude", on="yes", daily_tokens=10)
    last = write_in_background(replace(config, write=tight), now=LATER)
    assert last is not None and (last.answered, last.trouble) == (0, "")
    assert starts_of(folder, "claude") == []


def test_the_queue_has_lessons_written_when_sessions_were_harvested(
    config, folder, tmp_path
):
    put_program(folder, "claude", ANSWERING)
    third = Transcript(3, start=4500).user("and now?").reply("Nothing.")
    path = third.save(tmp_path / "s")
    enqueue(config, agent="claude-code", source=path, session=third.id, why="end")
    worked = work_off(config, now=LATER)
    assert worked.harvested == 1
    last = last_writing(config)
    assert last is not None and last.answered == 1 and worked.lessons == last.lessons


def test_what_it_would_cost_is_estimated_from_the_history(config):
    estimate = estimate_writing(config, "claude")
    assert (estimate.waiting, estimate.weekly) == (1, 1.0)
    assert estimate.tokens_now == 900 == estimate.tokens_weekly
    assert estimate_writing(config, "codex").tokens_now > 5_000


def test_status_and_doctor_say_what_writing_cost_and_whether_it_works(config, folder):
    put_program(folder, "claude", ANSWERING)
    last = write_in_background(config)
    assert last is not None
    current = status(config)
    assert current.writing is not None
    assert current.writing.tokens_today == 1_000 == current.writing.tokens_week
    assert current.writing.lessons_week == last.lessons
    (line,) = [line for line in doctor(config).findings if line.about == "writing"]
    assert line.level == "ok" and "claude" in line.text


def test_doctor_says_what_to_do_about_a_writer_that_does_not_answer(config, folder):
    def line(settings=config):
        lines = doctor(settings).findings
        (line,) = [line for line in lines if line.about == "writing"]
        return line

    assert line().level == "attention" and "not on the PATH" in line().text
    put_program(folder, "claude", LOGIN)
    write_in_background(config)
    assert line().level == "attention" and "/login" in line().text
    nobody = line(replace(config, write=WriteSettings()))
    assert nobody.level == "note" and nobody.do.endswith("--write-with claude")
    refused = line(replace(config, write=WriteSettings(on="no")))
    assert refused.level == "ok"
