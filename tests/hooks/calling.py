"""Runs the hook program as an agent does: a process, an event on its standard input, its standard output read."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from afterglow.config import Config, environment

EVENTS = Path(__file__).parent / "events"
PROGRAM = [sys.executable, "-m", "afterglow", "hook"]
PATIENT = ["--deadline-ms", "60000"]  # a busy machine must not fail a test


def event(
    name: str, agent: str = "claude-code", **changed: object
) -> dict[str, object]:
    """A recorded event; a value of `...` leaves a field out."""
    told = json.loads((EVENTS / f"{agent}.json").read_text())[name]
    return {
        key: value for key, value in {**told, **changed}.items() if value is not ...
    }


def hook(
    config: Config,
    told: dict[str, object] | bytes,
    *words: str,
    patient: list[str] = PATIENT,
    variables: dict[str, str] | None = None,
) -> subprocess.CompletedProcess:
    """Runs a hook to its answer, then waits for what it does after it: all its processes hold one end of a pipe."""
    data = told if isinstance(told, bytes) else json.dumps(told).encode()
    reading, writing = os.pipe()
    try:
        done = subprocess.run(
            [*PROGRAM, *words, *patient], input=data, env={**environment(config), **(variables or {})}, capture_output=True,
            check=False, pass_fds=(writing,),
        )  # fmt: skip
    finally:
        os.close(writing)
        os.read(reading, 1)
        os.close(reading)
    return done


def context_of(done: subprocess.CompletedProcess) -> str:
    """The context in a valid answer; empty where it has none."""
    assert (done.returncode, done.stderr) == (0, b"")
    answer = json.loads(done.stdout)
    assert set(answer) <= {"hookSpecificOutput"}
    told = answer.get("hookSpecificOutput", {})
    assert set(told) in (set(), {"hookEventName", "additionalContext"})
    return told.get("additionalContext", "")
