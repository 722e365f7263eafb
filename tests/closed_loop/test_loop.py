"""The whole loop in small, with a scripted model: it tries the obvious, and does better only if it was told how."""

from __future__ import annotations

import re
import subprocess

import pytest
from bench.closed_loop import comparison, rows
from bench.closed_loop.analyse import told, trials_of
from bench.closed_loop.families import FAMILIES
from bench.closed_loop.loop import Loop, measuring, run
from bench.closed_loop.model import Reply
from bench.closed_loop.sandbox import Result
from bench.closed_loop.tasks import PERSON

from afterglow.flows import experiment
from afterglow.sessions import load
from afterglow.store.ledger import Ledger

# What the module prepares is dear: one worker makes it, once.
pytestmark = pytest.mark.xdist_group("small loop")

FEW = tuple(
    family
    for family in FAMILIES
    if family.name in {"lamps", "food", "gauges", "dispatch", "labels"}
)
LEARNING = 2  # sessions of a family: what one showed is told when another agrees
TASKS = {
    task.request: task
    for family in FEW
    for number in range(8)
    for task in [family.task(number)]
}


class Scripted:
    """Does what anybody would, until a person or the context tells the lesson."""

    name = "scripted"

    def __init__(self):
        self.asked = 0

    def reply(self, messages, *, seed):
        self.asked += 1
        task = TASKS[messages[1]["content"]]
        is_told = task.lesson(messages[0]["content"]) == "right"
        knows = is_told or "user says" in messages[-1]["content"]
        return Reply(f"```sh\n{task.solution if knows else task.naive}", 100, 10)


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
    loop = Loop(
        out=tmp_path_factory.mktemp("loop"), families=FEW, learning=LEARNING, measured=2
    )
    run(loop, Scripted(), Plain())
    return loop


def of(loop, arm):
    return [row for row in rows.read(loop.rows) if row.arm == arm]


def test_a_learner_is_helped_after_two_failures_and_then_solves_it(small):
    learned = [row for row in of(small, "learn") if row.kind != PERSON]
    assert len(learned) == LEARNING * (len(FEW) - 1)
    assert {(row.solved, row.failed, row.helped) for row in learned} == {
        (True, 2, True)
    }


def test_a_person_who_wants_it_otherwise_says_so_when_the_work_is_finished(small):
    learned = [row for row in of(small, "learn") if row.kind == PERSON]
    assert [(row.solved, row.calls, row.failed, row.helped) for row in learned] == [
        (True, 2, 0, True)
    ] * LEARNING


def test_the_sessions_are_read_like_any_agents(small):
    sessions = [
        session
        for path in small.sessions("learn").glob("*.jsonl")
        for session in load(path)
    ]
    assert len(sessions) == LEARNING * len(FEW)
    assert {session.cwd for session in sessions} == {
        f"/projects/{family.project}" for family in FEW
    }
    assert all(
        turn.calls
        for session in sessions
        for turn in session.turns
        if turn.text == "" and turn.role != "tool"
    )


def test_what_was_harvested_helps_the_warm_arm_and_no_other(small):
    right = [row for row in of(small, "warm") if row.lesson == "right"]
    assert len(right) >= 4 and all(row.solved and not row.failed for row in right)
    assert not any(row.solved for arm in ("cold", "placebo") for row in of(small, arm))
    assert not any(
        row.helped for arm in ("cold", "warm", "placebo") for row in of(small, arm)
    )


def test_a_placebo_is_about_as_long_and_tells_nothing_of_the_task(small):
    warm, placebo = (
        {row.task: row for row in of(small, arm)} for arm in ("warm", "placebo")
    )
    for task, row in placebo.items():
        assert (
            row.context <= warm[task].context + 8
        )  # ids and days differ, and so do their tokens
        assert warm[task].context > 0 or not row.context
        assert row.lesson == warm[task].lesson


def test_deliveries_are_noted_and_stand_in_the_transcripts(small):
    with Ledger(small.config.ledger) as ledger:
        noted = {one.id for one in ledger.deliveries()}
    given = {row.delivery: row.session for row in of(small, "warm") if row.delivery}
    assert given and given.keys() == noted
    for id, session in given.items():
        assert id in (small.sessions("warm") / f"{session}.jsonl").read_text(
            encoding="utf-8"
        )


def test_a_run_that_was_stopped_goes_on_where_it_was(small):
    before = {row.unit for row in rows.read(small.rows)}
    lines = small.rows.read_bytes().splitlines(True)
    small.rows.write_bytes(b"".join(lines[:-2]) + lines[-2][:40])
    model = Scripted()
    run(small, model, Plain())
    again = rows.read(small.rows)
    assert {row.unit for row in again} == before
    assert len(again) == len(lines) and model.asked <= 2 * small.calls


def test_the_plan_stands_before_the_first_measured_session_and_everything_is_recorded(
    small,
):
    data = experiment.gathered(small.config, comparison.NAME)
    measured = {
        (row.task, row.arm): row for row in rows.read(small.rows) if row.arm != "learn"
    }
    assert data.plan.created <= min(row.start for row in measured.values())
    assert data.plan.planned == len(FEW) * 2 and data.plan.primary == "success"
    assert {(one.unit, one.arm): one.outcomes["success"] for one in data.trials} == {
        unit: float(row.solved) for unit, row in measured.items()
    }


def test_every_task_is_assigned_to_every_arm_in_an_order_of_its_own(small):
    orders = [tuple(job.arm for job in jobs) for jobs in measuring(small)]
    assert all(set(order) == {"cold", "warm", "placebo"} for order in orders)
    assert len(set(orders)) > 1


def test_the_text_of_a_run_has_every_arm_and_what_became_of_lessons(small):
    text = "\n".join(
        told(
            experiment.analyse(small.config, comparison.NAME),
            trials_of(small.config),
            rows.read(small.rows),
        )
    )
    assert (
        "| success | warm | cold | 10 |" in text
        and "| success | warm | placebo |" in text
    )
    assert re.search(r"Lesson right: \d+ tasks of \d families", text)
    assert "| kennel-food | environment | right | 0 of 2 | 2 of 2 | 0 of 2 |" in text
