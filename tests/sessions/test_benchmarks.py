"""What only benchmark runs have: scores, from the run itself or from a file beside it, and pass^k over trials."""

from __future__ import annotations

import shutil
from collections import defaultdict
from math import comb
from pathlib import Path

from afterglow import sessions
from afterglow.records import Session

FIXTURES = Path(__file__).parent / "fixtures"


def pass_hat(found: list[Session], k: int) -> float:
    """pass^k: the chance that k trials of a task all succeed, averaged over the tasks; C(c,k) / C(n,k) of each."""
    scores: dict[str, list[bool]] = defaultdict(list)
    for session in found:
        scores[session.task].append(session.score == 1.0)
    return sum(comb(sum(won), k) / comb(len(won), k) for won in scores.values()) / len(
        scores
    )


def test_pass_hat_k_follows_from_the_scores_of_the_trials():
    found = sessions.load(FIXTURES / "tau-bench" / "ferry.json")
    assert pass_hat(found, 1) == (1 / 2 + 2 / 2) / 2
    assert pass_hat(found, 2) == (0 + 1) / 2


def test_a_summary_beside_a_trajectory_says_whether_it_was_resolved(tmp_path):
    path = Path(shutil.copy(FIXTURES / "mini-swe-agent" / "blocks.traj.json", tmp_path))
    assert sessions.load(path)[0].score is None
    summary = tmp_path / "results_summary.csv"
    summary.write_text("instance_id,resolved\nharbor__dock-7,False\n", encoding="utf-8")
    assert sessions.load(path)[0].score == 0.0


def test_trials_of_one_task_are_sessions_of_their_own():
    found = sessions.load(FIXTURES / "tau-bench" / "ferry.json")
    assert [session.id for session in found] == [
        "ferry-0-0",
        "ferry-0-1",
        "ferry-1-0",
        "ferry-1-1",
    ]
