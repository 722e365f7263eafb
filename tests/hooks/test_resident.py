"""A process stays to answer the hooks of further calls: the same answers, and no harm when it is not there."""

from __future__ import annotations

import json
import os
import select
import signal
import socket
import sqlite3
import stat
import subprocess
import sys
import time
from contextlib import closing, suppress
from pathlib import Path

import pytest

from afterglow.config import Config, environment
from afterglow.flows.harvest import log_of
from afterglow.flows.session import handed
from hooks.calling import PROGRAM, event, hook
from keeping import home_with_rules, item, keep
from state_sessions import read
from writing import Transcript

PATIENCE = 60.0  # seconds that a busy machine may take
CALL = event("PreToolUse", hook_event_name="PostToolUse")


@pytest.fixture
def config(tmp_path, compiled_rules):
    home = home_with_rules(tmp_path / "kept", compiled_rules)
    config = Config(home=home, user_home=tmp_path / "home")
    keep(config, item(1))
    return config


def socket_of(config: Config) -> Path | None:
    return next(config.home.glob("hook-*.sock"), None)


def process_of(config: Config) -> int:
    """The process that stays, once it does."""
    begun = time.monotonic()
    while time.monotonic() - begun < PATIENCE:
        if path := socket_of(config):
            return int(path.with_suffix(".lock").read_text())
        select.select([], [], [], 0.02)
    raise AssertionError("no process stays")


def is_over(process: int) -> bool:
    begun = time.monotonic()
    while time.monotonic() - begun < PATIENCE:
        try:
            os.kill(process, 0)
        except ProcessLookupError:
            return True
        state = Path(f"/proc/{process}/stat")
        if state.exists() and state.read_text().rpartition(")")[2].split()[0] == "Z":
            return True
        select.select([], [], [], 0.02)
    return False


def first_in_log(config: Config) -> str:
    """What is noted when the agent has its answer: by a process that nobody waits for."""
    begun = time.monotonic()
    while time.monotonic() - begun < PATIENCE:
        if noted := log_of(config).recent():
            return noted[-1].detail
        select.select([], [], [], 0.02)
    raise AssertionError("nothing was noted")


def stayed(config: Config) -> int:
    assert hook(config, CALL, "PostToolUse").stdout == b"{}\n"
    return process_of(config)


def test_the_first_call_leaves_a_process_that_answers_the_next(config):
    process = stayed(config)
    path = socket_of(config)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    for _ in range(3):
        assert hook(config, CALL, "PostToolUse").stdout == b"{}\n"
    assert process_of(config) == process


def test_a_session_that_starts_leaves_none(config):
    hook(config, event("SessionStart"), "SessionStart")
    assert socket_of(config) is None


def test_none_stays_where_that_is_not_wished(config):
    config.home.joinpath("config.toml").write_text("[hooks]\nresident_minutes = 0\n")
    hook(config, CALL, "PostToolUse")
    assert list(config.home.glob("hook-*")) == []


def test_a_socket_that_a_crash_left_is_replaced(config):
    process = stayed(config)
    os.kill(process, signal.SIGKILL)
    assert is_over(process)
    path = socket_of(config)
    before = path.stat().st_ino
    assert hook(config, CALL, "PostToolUse").stdout == b"{}\n"
    begun = time.monotonic()
    while path.stat().st_ino == before and time.monotonic() - begun < PATIENCE:
        select.select([], [], [], 0.02)
    assert process_of(config) != process
    assert hook(config, CALL, "PostToolUse").stdout == b"{}\n"


def test_of_twenty_first_calls_each_gets_its_line_and_one_process_stays(
    config, tmp_path
):
    batch = refused_edit(tmp_path)
    words = [*PROGRAM, "PostToolBatch", "--deadline-ms", "60000"]
    running = []
    for number in range(20):
        process = subprocess.Popen(
            words,
            env=environment(config),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        session = {**batch, "session_id": f"s{number}"}
        process.stdin.write(json.dumps(session).encode())
        process.stdin.close()
        running.append(process)
    for number, process in enumerate(running):
        with process:
            assert b"tab" in process.stdout.read()
        assert process.returncode == 0
        assert len(handed(config, f"s{number}")) == 1
    process_of(config)
    assert len(list(config.home.glob("hook-*.sock"))) == 1


def test_a_locked_ledger_means_an_empty_answer_and_a_line_in_the_log(config, tmp_path):
    batch = refused_edit(tmp_path)
    hook(config, {**batch, "session_id": "first"}, "PostToolBatch")
    process_of(config)
    with closing(sqlite3.connect(config.ledger, isolation_level=None)) as writer:
        writer.execute("BEGIN EXCLUSIVE")
        answer = hook(config, {**batch, "session_id": "second"}, "PostToolBatch")
    assert (answer.stdout, answer.returncode) == (b"{}\n", 0)
    assert "locked" in first_in_log(config)
    answer = hook(config, {**batch, "session_id": "second"}, "PostToolBatch")
    assert b"tab" in answer.stdout


def test_a_process_that_does_not_answer_is_not_waited_for(config):
    process = stayed(config)
    os.kill(process, signal.SIGSTOP)
    assert hook(config, CALL, "PostToolUse").stdout == b"{}\n"
    os.kill(process, signal.SIGKILL)


def test_what_is_no_resident_at_all_costs_nothing(config):
    process = stayed(config)
    path = socket_of(config)
    os.kill(process, signal.SIGTERM)
    assert is_over(process)
    path.unlink()
    with socket.socket(socket.AF_UNIX) as silent:
        silent.bind(str(path))
        silent.listen()
        silent.setblocking(False)
        assert hook(config, CALL, "PostToolUse").stdout == b"{}\n"
    path.unlink()
    path.write_text("no socket")
    assert hook(config, CALL, "PostToolUse").stdout == b"{}\n"


@pytest.mark.parametrize("request_", [b"", b"\0\0", b"PostToolUse", b"\xff" * 70000])
def test_odd_visitors_do_not_end_it(config, request_):
    process = stayed(config)
    with socket.socket(socket.AF_UNIX) as visitor:
        visitor.settimeout(PATIENCE)
        visitor.connect(str(socket_of(config)))
        visitor.send(request_[:60000])
        visitor.shutdown(socket.SHUT_WR)
        assert visitor.recv(10) == b""
    assert hook(config, CALL, "PostToolUse").stdout == b"{}\n"
    assert process_of(config) == process


def refused_edit(tmp_path: Path) -> dict[str, object]:
    """A batch with an edit that its tool refused, of a session that had read the file."""
    file = "/home/ana/src/harbor/lamp.go"
    text = "func lamp() {\n\tif tide {\n\t\treturn high\n\t}\n}"
    transcript = read(Transcript(7).user("mend it"), file, text)
    edit = {
        "file_path": file,
        "old_string": "    if tide {\n        return high",
        "new_string": "    return low",
    }
    refused = "<tool_use_error>String to replace not found in file.</tool_use_error>"
    call = {"tool_name": "Edit", "tool_input": edit, "tool_use_id": "t9"}
    return {
        "hook_event_name": "PostToolBatch",
        "cwd": str(tmp_path),
        "transcript_path": str(transcript.save(tmp_path / "s")),
        "tool_calls": [{**call, "tool_response": refused}],
    }


def test_its_answers_are_those_of_a_hook_that_works_alone(config, tmp_path):
    batch = refused_edit(tmp_path)
    alone = hook(config, {**batch, "session_id": "alone"}, "PostToolBatch")
    assert b"tab" in alone.stdout
    process = process_of(config)
    for session in ("second", "third"):
        asked = hook(config, {**batch, "session_id": session}, "PostToolBatch")
        assert asked.stdout == alone.stdout
        again = hook(config, {**batch, "session_id": session}, "PostToolBatch")
        assert again.stdout == b"{}\n"
    assert process_of(config) == process
    assert {len(handed(config, name)) for name in ("alone", "second", "third")} == {1}


@pytest.mark.parametrize("words", [(), ("--agent", "codex"), ("--agent", "nobody")])
def test_odd_events_are_answered_as_without_it(config, words):
    process = stayed(config)
    for content in (b"", b"{", b"[]", b"\xff\0", b"{}" * 9, b"null"):
        asked = hook(config, content, "PostToolUse", *words)
        assert (asked.stdout, asked.returncode) == (b"{}\n", 0)
    assert process_of(config) == process


def test_what_comes_too_late_from_it_is_not_noted_as_given_out(config, tmp_path):
    stayed(config)
    batch = {**refused_edit(tmp_path), "session_id": "late"}
    hook(config, batch, "PostToolBatch", patient=["--deadline-ms", "0"])
    assert handed(config, "late") == []


STAY = """
import sys
from afterglow.hooks.resident import stay
import changing
stay(sys.argv[1], lambda words, line: line.say(b"{}"), lambda: None, float(sys.argv[2]))
"""


def staying(tmp_path: Path, seconds: float) -> tuple[subprocess.Popen, Path]:
    """A process that stays, with a module of its own loaded."""
    tmp_path.joinpath("changing.py").write_text("")
    path = tmp_path / "hook-1.sock"
    process = subprocess.Popen(
        [sys.executable, "-c", STAY, str(path), str(seconds)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path])},
    )
    return process, path


def test_it_ends_when_nobody_comes_and_leaves_no_socket(tmp_path):
    process, path = staying(tmp_path, 0.2)
    assert process.wait(PATIENCE) == 0
    assert not path.exists()


def test_it_ends_when_its_code_has_changed_and_says_nothing(tmp_path):
    process, path = staying(tmp_path, 300.0)
    begun = time.monotonic()
    while not path.exists() and time.monotonic() - begun < PATIENCE:
        select.select([], [], [], 0.02)
    tmp_path.joinpath("changing.py").write_text("newer = True")
    while process.poll() is None and time.monotonic() - begun < PATIENCE:
        with socket.socket(socket.AF_UNIX) as visitor, suppress(OSError):  # it may end
            visitor.settimeout(PATIENCE)
            visitor.connect(str(path))
            visitor.shutdown(socket.SHUT_WR)
            assert visitor.recv(10) == b""
        select.select([], [], [], 0.1)
    assert process.wait(PATIENCE) == 0
    assert not path.exists()


def test_a_first_call_that_was_too_slow_leaves_a_process_for_the_next(config):
    answer = hook(config, CALL, "PostToolUse", patient=["--deadline-ms", "1"])
    assert answer.stdout == b"{}\n"
    process_of(config)
    assert hook(config, CALL, "PostToolUse").stdout == b"{}\n"
