"""compression, end to end: what of a template is left within a budget, by strategy, and what came of it in studies."""

from __future__ import annotations

import pytest

from afterglow.flows.experiment import new, record
from afterglow.flows.research import research
from afterglow.measure.research.compression import BUDGETS
from research_history import history

STRATEGIES = [
    "as told",
    "examples-only",
    "clipped-results",
    "merged-duplicates",
    "knapsack",
    "placebo",
]


@pytest.fixture(scope="module")
def config(tmp_path_factory):
    return history(tmp_path_factory.mktemp("home"), days=11)


@pytest.fixture(scope="module")
def answer(config):
    return research(config, "compression")


def table(answer, title):
    (chosen,) = [each for each in answer.tables if each.title == title]
    return {row[0]: row[1:] for row in chosen.rows}


def test_every_strategy_is_measured_at_every_budget(answer):
    rows = table(answer, "Failures with their remedy in view")
    assert list(rows) == STRATEGIES
    assert all(len(cells) == len(BUDGETS) for cells in rows.values())


def test_no_strategy_takes_more_than_its_budget(answer):
    for sizes in table(answer, "Tokens taken, on average").values():
        assert all(size <= budget for size, budget in zip(sizes, BUDGETS, strict=True))


def test_more_room_holds_at_least_as_much_as_told(answer):
    for title in (
        "Failures with their remedy in view",
        "Files that were opened, named",
    ):
        counts = [cell.count for cell in table(answer, title)["as told"]]
        assert counts == sorted(counts)
    assert counts[-1] > 0


def test_a_placebo_of_any_size_shows_nothing_of_it(answer):
    placebo = table(answer, "Failures with their remedy in view")["placebo"]
    assert [cell.count for cell in placebo] == [0] * len(BUDGETS)


def test_the_answer_names_the_smallest_size_and_says_that_no_study_has_run(answer):
    assert answer.enough
    assert "tokens for failures" in answer.answer
    assert answer.next_step.startswith("No study of yours has asked this yet")


def test_what_a_study_of_sizes_found_stands_beside_it(config):
    arms = ("cold", "template:150", "template")
    new(config, "sizes", arms=arms, outcomes=("success",), unit="task", design="paired")
    for task in range(4):
        for arm in arms:
            success = float(arm != "cold" and task > 0)
            row = {"unit": f"t{task}", "arm": arm, "cluster": "f", "success": success}
            record(config, "sizes", row)
    answer = research(config, "compression")
    rows = table(answer, "In your own studies: runs that succeeded")
    assert {name: cells[1].count for name, cells in rows.items()} == {
        "sizes: cold": 0,
        "sizes: template:150": 3,
        "sizes: template": 3,
    }
    assert answer.next_step == ""
    assert answer.findings[-1].endswith(
        "study sizes: cold 0.0 %, template:150 75.0 %, template 75.0 %."
    )


def test_a_study_of_parts_stands_beside_the_ablation_and_not_here(config):
    arms = ("cold", "template:examples", "placebo")
    new(config, "parts", arms=arms, outcomes=("success",), unit="task", design="paired")
    for arm in arms:
        record(config, "parts", {"unit": "t1", "arm": arm, "success": 1.0})
    title = "In your own studies: runs that succeeded"
    beside = table(research(config, "ablation"), title)
    assert list(beside) == ["parts: cold", "parts: template:examples", "parts: placebo"]
    assert not any(
        name.startswith("parts")
        for name in table(research(config, "compression"), title)
    )
