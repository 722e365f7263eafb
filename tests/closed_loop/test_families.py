"""Every planted quirk: what anybody would try fails, and what the person says would work does."""

from __future__ import annotations

import re
import subprocess

import pytest
from bench.closed_loop.families import FAMILIES

every_family = pytest.mark.parametrize(
    "family", FAMILIES, ids=lambda family: family.name
)


def try_out(task, folder, command):
    """Runs a command of ours, not of a model's."""
    task.lay_out(folder, FAMILIES)
    return subprocess.run(
        ["sh", "-c", command], cwd=folder, capture_output=True, text=True, check=False
    )


def test_there_are_more_than_twenty_families_of_many_kinds():
    assert len({family.name for family in FAMILIES}) >= 20
    assert len({family.kind for family in FAMILIES}) >= 15


@every_family
def test_what_anybody_would_try_fails_and_leaves_nothing(family, tmp_path):
    for number in range(len(family.items)):
        task = family.task(number)
        ran = try_out(task, tmp_path / str(number), task.fill(family.naive))
        assert ran.returncode and ran.stderr
        assert not task.solved(tmp_path / str(number))


@every_family
def test_its_own_solution_solves_every_task(family, tmp_path):
    for number in range(len(family.items)):
        task = family.task(number)
        ran = try_out(task, tmp_path / str(number), task.fill(family.solution))
        assert task.solved(tmp_path / str(number)), ran.stderr


@every_family
def test_another_item_does_not_solve_a_task(family, tmp_path):
    one, other = family.task(0), family.task(1)
    try_out(one, tmp_path / "x", one.fill(family.solution))
    assert not other.solved(tmp_path / "x")


@every_family
def test_the_request_and_the_message_do_not_tell_the_quirk(family, tmp_path):
    task = family.task(0)
    ran = try_out(task, tmp_path / "x", task.fill(family.naive))
    assert not re.search(family.quirk, task.request)
    assert not re.search(family.quirk, ran.stderr)


@every_family
def test_a_line_with_the_solution_tells_the_quirk(family):
    task = family.task(0)
    shown = (
        task.fill(family.solution)
        if "$(" not in family.solution
        else task.fill(family.correction)
    )
    assert (
        task.lesson(f"head\n- `{task.fill(family.naive)}` fails → {shown} ") == "right"
    )
    assert (
        task.lesson(f"head\n- `{task.fill(family.naive)}` fails → ask a colleague")
        == "wrong"
    )
    assert task.lesson("head\n- `./other` fails → `./other --now`") == "missing"
