"""Every family: what anybody would try does not do, what works does, and a check takes nothing for granted."""

from __future__ import annotations

import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from bench.closed_loop.board import Board
from bench.closed_loop.families import FAMILIES
from bench.closed_loop.tasks import PERSON, STALE, write_tasks

from afterglow.flows.tasks.task_folders import read_tasks

NUMBERS = range(8)
every_family = pytest.mark.parametrize(
    "family", FAMILIES, ids=lambda family: family.full_name
)


@pytest.fixture(scope="module")
def board():
    with Board() as running:
        yield running.url


def try_out(command, folder, python=None):
    """Runs a command of ours, not of a model's; with that `python`, if one is named."""
    path = "/usr/bin:/bin" if python is None else f"{Path(python).parent}:/usr/bin:/bin"
    return subprocess.run(
        ["sh", "-c", command],
        cwd=folder,
        env={"PATH": path},
        capture_output=True,
        text=True,
        check=False,
    )


def laid_out(task, folder, board):
    task.lay_out(folder, board)
    return folder


def test_there_are_many_families_of_many_kinds_in_many_projects():
    assert len({family.full_name for family in FAMILIES}) == len(FAMILIES) >= 28
    assert len({family.project for family in FAMILIES}) >= 7
    kinds = Counter(family.kind for family in FAMILIES if not family.tool_quirk)
    assert len(kinds) == 4 and min(kinds.values()) >= 4
    quirks = [family.kind for family in FAMILIES if family.tool_quirk]
    assert len(set(quirks)) == len(quirks) >= 12


def test_every_tool_of_a_project_belongs_to_one_family():
    tools = Counter(
        (family.project, tool) for family in FAMILIES for tool in family.tools
    )
    assert set(tools.values()) == {1}


@every_family
def test_it_has_eight_tasks_and_two_ways_to_put_it_right(family):
    assert len(set(family.items)) >= len(NUMBERS)
    assert len({family.task(number).request for number in NUMBERS}) == len(NUMBERS)
    first, second = family.corrections
    assert first != second
    assert len({family.task(number).name for number in NUMBERS}) == len(NUMBERS)
    assert re.fullmatch(r"[a-z]+-[a-z]+-3", family.task(3).name)


@every_family
def test_what_anybody_would_try_does_not_do_nor_tell(family, board, tmp_path):
    task = family.task(2)
    ran = try_out(task.naive, laid_out(task, tmp_path / "x", board))
    assert not task.solved(tmp_path / "x")
    if family.kind == PERSON:  # the work succeeds either way
        assert ran.returncode == 0 and task.finished(tmp_path / "x")
    else:
        assert ran.returncode and ran.stderr and not task.finished(tmp_path / "x")
    shown = [task.request, *ran.stderr.splitlines()]
    assert task.lesson("\n".join(shown)) != "right"


@every_family
def test_its_solution_does_also_after_what_anybody_would_try(family, board, tmp_path):
    for number in (0, 1):
        task = family.task(number)
        folder = laid_out(task, tmp_path / str(number), board)
        for _ in range(number):
            try_out(task.naive, folder)
        ran = try_out(task.solution, folder)
        assert task.solved(folder), ran.stderr
        assert not family.task(number + 2).solved(folder)


@every_family
def test_what_worked_at_first_works_no_longer(family, board, tmp_path):
    if family.kind != STALE:
        assert not family.first_solution
        return
    task = family.task(3)
    folder = laid_out(task, tmp_path / "x", board)
    try_out(task.fill(family.first_solution), folder)
    assert not task.solved(folder)
    assert task.solution == task.fill(family.solution)


@every_family
def test_a_check_refuses_an_empty_and_an_untouched_project(family, board, tmp_path):
    task = family.task(2)
    (tmp_path / "empty").mkdir()
    assert not task.solved(tmp_path / "empty")
    folder = laid_out(task, tmp_path / "x", board)
    assert not task.solved(folder) and not task.finished(folder)


def test_a_receipt_written_by_hand_counts_for_nothing(board, tmp_path):
    task = FAMILIES[0].task(2)
    folder = laid_out(task, tmp_path / "x", board)
    (folder / "done").mkdir()
    receipt = task.fill(task.family.receipt)
    (folder / "done/slots").write_text(f"{receipt}\nseal 0123456789ab\n")
    assert not task.solved(folder)


@every_family
def test_both_ways_to_put_it_right_tell_it(family):
    task = family.task(2)
    for number in (0, 1):
        line = f"- `{task.naive}` fails → {task.correction(number)}"
        is_outdated = family.kind == STALE and number == 0
        assert task.lesson(line) == ("wrong" if is_outdated else "right")
    assert task.lesson(f"- `{task.naive}` fails → `{task.solution}`") == "right"


@every_family
def test_the_way_that_fails_misleads_and_silence_is_silence(family):
    task = family.task(2)
    assert task.lesson(f"- broken? use `{task.fill(family.naive)}`") == "wrong"
    assert task.lesson("- `./elsewhere` fails → `./elsewhere --now`") == "missing"
    assert task.lesson("") == "missing"
    if family.kind == STALE:
        outdated = f"- fails → `{task.fill(family.first_solution)}`"
        assert task.lesson(outdated) == "wrong"
        assert task.lesson(f"{outdated}\n- → `{task.solution}`") == "wrong"


@every_family
def test_what_is_told_of_other_work_tells_nothing_of_this(family):
    neighbours = [
        task
        for task in (neighbour.task(3) for neighbour in FAMILIES)
        if task.family.project == family.project and task.family != family
    ]
    lines = [
        f"- `{task.naive}` fails → {words}"
        for task in neighbours
        for words in (task.correction(0), task.correction(1), f"`{task.solution}`")
    ]
    assert family.task(3).lesson("\n".join(lines)) == "missing"


@pytest.mark.parametrize("python", ["/usr/bin/python3", sys.executable])
def test_tools_run_under_any_python_and_from_any_folder(python, board, tmp_path):
    task = FAMILIES[0].task(4)
    folder = laid_out(task, tmp_path / "x", board)
    (folder / "below").mkdir()
    command = task.solution.replace("./", f"{python} ../")
    ran = try_out(command, folder / "below")
    assert task.solved(folder), ran.stderr


def test_help_is_short_and_an_unknown_option_is_refused(board, tmp_path):
    task = FAMILIES[0].task(4)
    folder = laid_out(task, tmp_path / "x", board)
    assert try_out("./slot --help", folder).stdout == "usage: slot book STOP HH:MM\n"
    ran = try_out(f"{task.naive} --force", folder)
    assert (ran.returncode, ran.stderr) == (2, "slot: unknown option --force\n")


def test_without_a_board_a_tool_says_so(tmp_path):
    task = FAMILIES[0].task(4)
    with Board() as ended:
        laid_out(task, tmp_path / "x", ended.url)
    ran = try_out(task.naive, tmp_path / "x")
    assert ran.returncode == 70 and "no answer" in ran.stderr


def test_they_are_tasks_that_a_study_takes(board, tmp_path):
    written = write_tasks(tmp_path, (2, 3), board)
    tasks = {task.name: task for task in read_tasks(tmp_path)}
    assert set(tasks) == {task.name for task in written}
    assert len(tasks) == 2 * len(FAMILIES)
    for task in written:
        study = tasks[task.name]
        assert study.request == task.request
        assert (study.family, study.repo) == (
            task.family.full_name,
            task.family.project,
        )


@pytest.mark.parametrize("family", FAMILIES[::5], ids=lambda family: family.full_name)
def test_the_check_of_a_task_folder_asks_the_board(family, board, tmp_path):
    task = write_tasks(tmp_path, (4,), board, [family])[0]
    project, check = tmp_path / task.name / "project", tmp_path / task.name / "check.sh"
    assert try_out(f"sh {check}", project).returncode == 1
    try_out(task.solution, project)
    (project / ".board").unlink()
    assert try_out(f"sh {check}", project).returncode == 0
