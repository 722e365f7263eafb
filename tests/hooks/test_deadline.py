"""The deadline holds whatever the work does, and what stands on standard output is whole."""

from __future__ import annotations

import subprocess
import sys

import pytest

PROGRAM = """
import os, re, signal, sys, time
from afterglow.hooks.deadline import answered, by_thread

def work(line):
    {work}

def note(why):
    open(sys.argv[1], "a").write(why)

{run}
os._exit(0)
"""
FORKED = "answered(work, empty=b'{}', seconds=%s, note=note)"
THREAD = "by_thread(work, b'{}', %s, note)"
STUCK = 're.match(r"(a+)+$", "a" * 60 + "b")'  # inside C code, and no other thread of Python gets a turn


def run(tmp_path, work: str, how=FORKED, seconds: float = 20) -> tuple[str, str]:
    """Standard output, and what was noted; a short deadline must lead to a note."""
    code = PROGRAM.format(work=work, run=how % seconds)
    notes = tmp_path / "notes"
    with subprocess.Popen(
        [sys.executable, "-c", code, str(notes)], stdout=subprocess.PIPE
    ) as process:
        output = process.stdout.read().decode()
        assert process.wait() == 0
    while seconds < 20 and not (notes.exists() and notes.read_text()):
        pass
    return output, notes.read_text() if notes.exists() else ""


@pytest.mark.parametrize("how", [FORKED, THREAD])
def test_an_answer_comes_through_whole(tmp_path, how):
    assert run(tmp_path, "line.wait(30); line.say(b'x' * 60000)", how) == (
        "x" * 60000,
        "",
    )


@pytest.mark.parametrize("how", [FORKED, THREAD])
def test_only_the_first_answer_counts(tmp_path, how):
    assert run(tmp_path, "line.say(b'one'); line.say(b'two')", how)[0] == "one"


@pytest.mark.parametrize("how", [FORKED, THREAD])
def test_work_that_waits_forever_is_an_empty_answer(tmp_path, how):
    assert run(tmp_path, "signal.pause()", how, 0.1) == ("{}", "no answer in time")


def test_work_that_never_lets_another_thread_run_is_an_empty_answer(tmp_path):
    assert run(tmp_path, STUCK, seconds=0.1) == ("{}", "no answer in time")


@pytest.mark.parametrize(
    "end",
    [
        "os.kill(os.getpid(), signal.SIGSEGV)",
        "os._exit(3)",
        "sys.exit(3)",
        "os.abort()",
    ],
)
def test_work_that_dies_is_an_empty_answer(tmp_path, end):
    output, why = run(tmp_path, f"{end}", seconds=19)
    assert output == "{}"
    assert "ended without an answer" in why


def test_half_an_answer_is_none(tmp_path):
    output, why = run(
        tmp_path,
        "line._send(b'a 500 '[:-1] + bytes([10]) + b'half'); os._exit(0)",
        seconds=19,
    )
    assert output == "{}"
    assert why


def test_the_work_can_ask_for_another_deadline(tmp_path):
    assert (
        run(tmp_path, "line.wait(0.1); signal.pause()", seconds=19)[1]
        == "no answer in time"
    )


@pytest.mark.parametrize("stays", [True, False])
def test_what_must_be_done_is_done_when_nobody_waits_any_more(tmp_path, stays):
    done = tmp_path / "done"
    until_alone = (
        "parent = os.getppid(); all(iter(lambda: os.getppid() == parent, False))"
    )
    work = f"{'line.stay(); ' * stays}{until_alone}; open({str(done)!r}, 'w').close()"
    output, _ = run(tmp_path, work, seconds=0.1)
    assert output == "{}"
    if stays:
        while not done.exists():
            pass
    else:
        assert not done.exists()
