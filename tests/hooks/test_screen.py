"""The few lines of shell before the hook program: what starts a Python, and what does not."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

import afterglow
from hooks.calling import event

SCREEN = Path(afterglow.__file__).parent / "hooks/screen.sh"


@pytest.fixture
def passed(tmp_path):
    """Whether an event gets through, and that it gets through whole; the program behind it answers `reply`."""

    def passed(told: dict[str, object], reply: str = "{}") -> bool:
        seen = tmp_path / "seen"
        seen.unlink(missing_ok=True)
        program = tmp_path / "afterglow"
        program.write_text(f"#!/bin/sh\ncat > {seen}\nprintf '%s\\n' '{reply}'\n")
        program.chmod(0o755)
        words = [program, "hook", str(told["hook_event_name"]), "--agent", "x"]
        done = subprocess.run(
            ["sh", SCREEN, *words], input=json.dumps(told).encode(), capture_output=True, check=True,
        )  # fmt: skip
        assert done.stderr == b""
        assert done.stdout.decode() == (
            "" if reply == "{}" or not seen.exists() else f"{reply}\n"
        )
        if seen.exists():
            assert json.loads(seen.read_text()) == told
        return seen.exists()

    return passed


def ran(command: str, **response: object) -> dict[str, object]:
    return event("PostToolUse", tool_input={"command": command}, **response)


@pytest.mark.parametrize(
    "command",
    ["make | tail", "make; echo done", "make || true", "make\nls", "a 'b' \\\n c", "x % \\ $HOME | cat"],
)  # fmt: skip
def test_a_line_that_can_hide_a_failure_gets_through(passed, command):
    assert passed(ran(command))


@pytest.mark.parametrize("command", ["make", "cd pier && make ship", "git log -3"])
def test_any_other_line_starts_nothing(passed, command):
    quoted = {"stdout": 'a | b; c\n"tool_input": |', "stderr": ""}
    assert not passed(ran(command, tool_response=quoted))


def test_a_batch_gets_through_where_a_call_was_refused(passed):
    assert passed(event("PostToolBatch"))
    calls = event("PostToolBatch")["tool_calls"][1:]
    assert not passed(event("PostToolBatch", tool_calls=calls))


@pytest.mark.parametrize("name", ["PostToolUseFailure", "SessionStart"])
def test_what_is_not_screened_gets_through(passed, name):
    assert passed(event(name))


def test_an_event_of_another_shape_gets_through(passed):
    told = {"hook_event_name": "PostToolUse", "tool_response": "x", "tool_input": {}}
    assert passed(told)


def test_an_answer_is_handed_on(passed):
    assert passed(ran("make | tail"), '{"hookSpecificOutput": {"a": "b\\n%s"}}')


def test_a_large_event_is_no_trouble(passed):
    assert passed(ran("make | tail", tool_response={"stdout": "x y\n" * 200_000}))
    assert not passed(ran("make", tool_response={"stdout": "x y\n" * 200_000}))
