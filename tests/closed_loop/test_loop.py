"""The whole loop in small: sessions that learn, a harvest, then tasks run by `afterglow experiment run`."""

from __future__ import annotations

import os
import shutil
import subprocess

import msgspec
import pytest
from bench.closed_loop import rows
from bench.closed_loop.analyse import in_words, loop_results
from bench.closed_loop.board import Board
from bench.closed_loop.dataset import files
from bench.closed_loop.dataset.__main__ import problems
from bench.closed_loop.dataset.make import make_dataset
from bench.closed_loop.families import FAMILIES
from bench.closed_loop.loop import LEARNING, Loop, run_loop
from bench.closed_loop.model import Endpoint
from bench.closed_loop.plans import StudyPlan
from bench.closed_loop.sandbox import Result
from bench.closed_loop.told import ToldFamily

from afterglow.flows import experiment
from afterglow.sessions import load
from closed_loop.scripted_endpoint import scripted_endpoint

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("bwrap") is None, reason="no bubblewrap here"),
]
FEW = FAMILIES[:3]
PLAN = StudyPlan(
    name="moments", arms=("cold", "start"), numbers=(2,), hypothesis="It helps."
)


class Plain:
    """Runs commands of ours, not of a model's."""

    def run(self, command, folder, at):
        ran = subprocess.run(
            ["sh", "-c", command],
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
        )
        return Result(ran.returncode, (ran.stdout + ran.stderr).strip())


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    out = tmp_path_factory.mktemp("loop")
    with scripted_endpoint() as url, Board() as board:
        loop = Loop(
            out=out, url=url, model="scripted", families=FEW, plans=(PLAN,), parallel=2
        )
        model = Endpoint(url, "scripted", temperature=0.0)
        run_loop(loop, model, Plain(), board.url)
        yield loop, model, board


def test_a_learner_is_helped_and_then_does_it(small):
    loop, _, _ = small
    learned = rows.read(loop.rows)
    assert len(learned) == LEARNING * len(FEW)
    assert all(row.solved and row.helped for row in learned)


def test_the_sessions_are_read_like_any_agents(small):
    loop, _, _ = small
    paths = list(loop.learning_sessions.glob("*.jsonl"))
    sessions = [session for path in paths for session in load(path)]
    assert len(sessions) == LEARNING * len(FEW)
    assert {session.cwd for session in sessions} == {
        f"/projects/{family.project}" for family in FEW
    }


def test_what_will_be_told_is_written_down_before_the_first_run(small):
    loop, _, _ = small
    path = loop.out / "told.json"
    told = msgspec.json.decode(path.read_bytes(), type=list[ToldFamily])
    assert [family.family for family in told] == [family.full_name for family in FEW]
    assert all(family.lesson in ("right", "wrong", "missing") for family in told)
    trials = experiment.gathered(loop.config, "moments").trials
    assert path.stat().st_mtime <= min(trial.time for trial in trials)


def test_every_task_ran_in_every_arm_and_a_right_lesson_helped(small):
    loop, _, _ = small
    results = loop_results(loop)
    plan = results.plans["moments"]
    assert (plan.tasks, plan.runs) == (len(FEW), len(FEW) * len(PLAN.arms))
    right = sum(family.at_start == "right" for family in results.families)
    success = plan.outcomes["success"]
    assert success["cold"].value == 0.0
    assert success["start"].value * len(FEW) == pytest.approx(right)
    assert plan.planned_at <= plan.first_run <= plan.last_run


def test_the_transcripts_of_measured_runs_are_kept(small):
    loop, _, _ = small
    names = {path.name for path in loop.measured_sessions.glob("moments/*.json")}
    assert names == {
        f"{family.task(2).name}.{arm}.json" for family in FEW for arm in PLAN.arms
    }


def test_the_text_names_every_family_and_arm(small):
    loop, _, _ = small
    text = "\n".join(in_words(loop_results(loop)))
    assert all(family.full_name in text for family in FEW)
    assert "| success | start | cold |" in text


def test_a_loop_that_was_stopped_goes_on_where_it_was(small):
    loop, model, board = small
    before = rows.read(loop.rows)
    lines = loop.rows.read_bytes().splitlines(True)
    loop.rows.write_bytes(b"".join(lines[:-1]) + lines[-1][:40])
    modified = os.stat(loop.out / "told.json").st_mtime_ns
    run_loop(loop, model, Plain(), board.url)
    again = rows.read(loop.rows)
    assert {row.task for row in again} == {row.task for row in before}
    assert os.stat(loop.out / "told.json").st_mtime_ns == modified
    assert loop_results(loop).plans["moments"].runs == len(FEW) * len(PLAN.arms)


def test_what_a_loop_left_behind_becomes_a_dataset(small, tmp_path):
    loop, _, _ = small
    files.write(tmp_path, make_dataset(loop.out))
    assert list(problems(tmp_path)) == []
    tables = files.read(tmp_path)
    assert len(tables["runs"]) == len(FEW) * len(PLAN.arms)
    assert all(row["session"] for row in tables["runs"])
