"""Two runs of a benchmark are compared as they lie: no file is written by hand, and nothing is kept."""

from __future__ import annotations

import json

import pytest

from afterglow.errors import UsageError
from afterglow.flows.experiment import from_runs


def run_of(path, scores):
    """A result file of tau2: (task, score) in the order they were tried."""
    simulations = [
        {
            "id": f"{path.stem}-{number}",
            "task_id": task,
            "start_time": f"2026-03-01T10:{number:02}:00",
            "messages": [{"role": "user", "content": "hello"}],
            "reward_info": None if score is None else {"reward": score},
        }
        for number, (task, score) in enumerate(scores)
    ]
    head = {"num_trials": 1, "user_info": {}, "agent_info": {"llm": "beam-2"}}
    path.write_text(json.dumps({"info": head, "simulations": simulations}))
    return path


def test_pairs_are_counted_by_who_passed(tmp_path):
    tasks = [f"t{number}" for number in range(12)]
    first = run_of(tmp_path / "cold.json", [(task, 0.0) for task in tasks])
    second = run_of(tmp_path / "warm.json", [(task, 1.0) for task in tasks])
    pairs = from_runs(first, second)
    assert (pairs.pairs, pairs.only_second, pairs.only_first) == (12, 12, 0)
    (estimate,) = pairs.analysis.estimates
    assert (estimate.arm, estimate.control) == ("warm", "cold")
    assert estimate.p == pytest.approx(2 * 0.5**12)
    assert "McNemar" in estimate.method


def test_trials_of_a_task_are_paired_in_their_order_and_the_rest_is_left_out(tmp_path):
    first = run_of(tmp_path / "a.json", [("t", 1.0), ("t", 0.0), ("u", 1.0)])
    second = run_of(tmp_path / "b.json", [("t", 1.0), ("t", 1.0), ("v", None)])
    pairs = from_runs(first, second)
    assert (pairs.pairs, pairs.tasks, pairs.trials) == (2, 1, 2)
    assert (pairs.both, pairs.only_second) == (1, 1)
    assert (pairs.unpaired, pairs.unscored) == ((1, 0), (0, 1))


def test_names_of_tasks_may_be_long_and_runs_may_be_folders(tmp_path):
    task = "[mobile_data_issue]" * 20
    for name, score in (("a", 0.0), ("b", 1.0)):
        (tmp_path / name).mkdir()
        run_of(tmp_path / name / "results.json", [(task, score), ("short", 1.0)])
        (tmp_path / name / "notes.txt").write_text("not a run")
    pairs = from_runs(tmp_path / "a", tmp_path / "b")
    assert (pairs.pairs, pairs.only_second) == (2, 1)


def test_what_counts_as_passed_can_be_said(tmp_path):
    first = run_of(tmp_path / "a.json", [("t", 0.4), ("u", 0.0)])
    second = run_of(tmp_path / "b.json", [("t", 0.6), ("u", 0.0)])
    assert from_runs(first, second).neither == 2
    assert from_runs(first, second, passing=0.5).only_second == 1


def test_what_cannot_be_compared_is_said(tmp_path):
    scored = run_of(tmp_path / "a.json", [("t", 1.0)])
    unscored = run_of(tmp_path / "b.json", [("t", None)])
    nameless = run_of(tmp_path / "c.json", [(None, 1.0)])
    other = run_of(tmp_path / "d.json", [("u", 1.0)])
    for path, words in (
        (scored, "is one run"),
        (unscored, "none of a task with a score"),
        (nameless, "none of a task with a score"),
        (other, "no task in common"),
        (tmp_path / "e.json", "is not there"),
    ):
        with pytest.raises(UsageError, match=words):
            from_runs(scored, path)
