"""What a model writes runs enclosed, or not at all."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from bench.closed_loop.board import Board
from bench.closed_loop.families import FAMILIES
from bench.closed_loop.sandbox import NoSandbox, Sandbox

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def sandbox():
    try:
        return Sandbox(seconds=2)
    except NoSandbox as error:
        pytest.skip(str(error))


@pytest.fixture
def folder():
    """Where nobody, too, can reach it: folders of the test run are their owner's alone."""
    with tempfile.TemporaryDirectory() as place:
        Path(place).chmod(0o755)
        (Path(place) / "harbor").mkdir()
        yield Path(place) / "harbor"


def test_without_bubblewrap_nothing_runs():
    with pytest.raises(NoSandbox, match="apt install bubblewrap"):
        Sandbox("no-such-program")


def test_a_program_that_does_not_enclose_is_refused(tmp_path):
    fake = tmp_path / "bwrap"
    fake.write_text(
        '#!/bin/sh\nwhile [ "$1" != /bin/sh ]; do shift; done\nexec "$@"\n',
        encoding="utf-8",
    )
    fake.chmod(0o755)
    with pytest.raises(NoSandbox, match="does not enclose"):
        Sandbox(str(fake))


def test_the_bench_refuses_to_run_without_a_sandbox(tmp_path):
    command = [
        sys.executable,
        "-m",
        "bench.closed_loop.run",
        "--url",
        "http://127.0.0.1:9/v1",
        "--out",
        str(tmp_path),
    ]
    ran = subprocess.run(
        command,
        cwd=ROOT,
        env={**os.environ, "PATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 1 and "not installed" in ran.stderr
    assert not list(tmp_path.iterdir())


def test_a_command_works_in_its_folder_and_what_it_wrote_stays(sandbox, folder):
    assert (
        sandbox.run("pwd; echo done > note", folder, "/projects/harbor").output
        == "/projects/harbor"
    )
    assert (folder / "note").read_text(encoding="utf-8") == "done\n"


def test_exit_code_and_messages_come_back(sandbox, folder):
    ran = sandbox.run("echo no >&2; exit 3", folder, "/projects/harbor")
    assert (ran.code, ran.output) == (3, "no")


def test_no_home_no_users_no_other_projects_are_seen(sandbox, folder):
    seen = sandbox.run(
        "ls / /projects; id -u; ls /proc | grep -c '^[0-9]'", folder, "/projects/harbor"
    ).output.split()
    assert not {"root", "home", "etc", "var", "work"} & set(seen)
    assert "1000" in seen and int(seen[-1]) < 8


def test_there_is_no_network(sandbox, folder):
    assert (
        sandbox.run("grep -c : /proc/net/dev", folder, "/projects/harbor").output == "1"
    )  # lo


def test_with_network_a_tool_inside_asks_the_board(sandbox, folder):
    task = FAMILIES[0].task(2)
    with Board() as board:
        task.lay_out(folder, board.url)
        open_sandbox = Sandbox(network=True)
        ran = open_sandbox.run(task.solution, folder, "/projects/harbor")
    assert task.solved(folder), ran.output


def test_the_system_cannot_be_written_to(sandbox, folder):
    assert sandbox.run("touch /usr/bin/x", folder, "/projects/harbor").code != 0


def test_no_variable_of_ours_gets_in(sandbox, folder, monkeypatch):
    monkeypatch.setenv("AN_INVENTED_KEY", "k-1234")
    assert "k-1234" not in sandbox.run("env", folder, "/projects/harbor").output


def test_a_command_that_does_not_end_is_stopped(sandbox, folder):
    ran = sandbox.run("tail -f /dev/null", folder, "/projects/harbor")
    assert ran.code == 124 and "stopped after 2 s" in ran.output


def test_endless_output_is_cut(sandbox, folder):
    assert len(sandbox.run("yes", folder, "/projects/harbor").output) <= 1500


def test_memory_and_files_are_bounded(sandbox, folder):
    assert (
        sandbox.run("tail -c 900000000 /dev/zero", folder, "/projects/harbor").code != 0
    )
    sandbox.run("head -c 90000000 /dev/zero > big", folder, "/projects/harbor")
    assert (folder / "big").stat().st_size <= 4 << 20


def test_processes_are_bounded(sandbox, folder):
    ran = sandbox.run(
        "for i in $(seq 400); do tail -f /dev/null & done; wait",
        folder,
        "/projects/harbor",
    )
    assert ran.code != 0 and "fork" in ran.output
