"""Long output on a terminal goes through the pager; elsewhere nothing changes."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from command_line import afterglow
from writing import ordinary

AFTERGLOW = str(Path(sys.executable).with_name("afterglow"))


@pytest.fixture
def home(tmp_path) -> dict[str, str]:
    for number in range(3):
        ordinary(number, start=100 * number).save(
            tmp_path / ".claude/projects/-home-ana-src-harbor"
        )
    env = {
        **os.environ,
        "HOME": str(tmp_path),
        "AFTERGLOW_HOME": str(tmp_path / "kept"),
    }
    assert afterglow("scan", env=env).returncode == 0
    return env


def at_a_terminal(words: list[str], env: dict[str, str]) -> str:
    """What a terminal of its own shows."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        words, env=env, stdin=theirs, stdout=theirs, stderr=theirs, close_fds=True
    )
    os.close(theirs)
    shown = b""
    while True:
        try:
            piece = os.read(ours, 65536)
        except OSError:  # the other end is closed
            break
        if not piece:
            break
        shown += piece
    process.wait()
    os.close(ours)
    assert process.returncode == 0, shown
    return shown.decode("utf-8", "replace")


def test_a_report_is_led_through_the_pager(home, tmp_path):
    pager = tmp_path / "pager"
    pager.write_text("#!/bin/sh\necho PAGED\ncat\n")
    pager.chmod(0o755)
    shown = at_a_terminal([AFTERGLOW, "profile"], home | {"PAGER": str(pager)})
    assert "PAGED" in shown
    assert "sessions" in shown


def test_short_answers_and_questions_are_not(home, tmp_path):
    shown = at_a_terminal([AFTERGLOW, "status"], home | {"PAGER": "false"})
    assert "afterglow" in shown


def test_without_a_terminal_there_is_no_pager(home):
    ended = subprocess.run(
        [AFTERGLOW, "profile"],
        env=home | {"PAGER": "false"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0
    assert "sessions" in ended.stdout


def test_who_leaves_the_pager_early_sees_no_error(home):
    shown = at_a_terminal([AFTERGLOW, "profile"], home | {"PAGER": "true"})
    assert "Traceback" not in shown
