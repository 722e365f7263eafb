"""Every example of an adapter runs as it stands, against the package it adapts and a model that follows a script."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = {
    "warm_openai_messages": "openai",
    "warm_anthropic_messages": "anthropic",
    "warm_openai_agents": "agents",
    "warm_langgraph": "langchain",
    "warm_mini_swe_agent": "minisweagent",
}
# Lines of an example that deal with us: imports, home, session, result, record.
MAX_LINES_OF_OURS = 10


def test_every_example_of_an_adapter_is_run_here():
    examples = {path.stem for path in (ROOT / "examples").glob("warm_*.py")}
    assert examples == set(PACKAGES)


@pytest.mark.parametrize("name", PACKAGES)
def test_the_example_starts_warm_and_is_told_when_a_call_fails(name, tmp_path):
    if find_spec(PACKAGES[name]) is None:
        pytest.skip(f"{PACKAGES[name]} is not installed")
    env = {
        **os.environ,
        "HOME": str(tmp_path),
        "TMPDIR": str(tmp_path),
        "MSWEA_SILENT_STARTUP": "1",
    }
    ended = subprocess.run(
        [sys.executable, str(ROOT / "examples" / f"{name}.py")],
        env=env,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert ended.returncode == 0, ended.stderr
    start, _, failure = ended.stdout.partition("told when a call failed:")
    assert "told at the start:" in start
    assert "./lock-piers" in start
    assert failure.count("./lock-piers") == 1, "once, behind the call that failed"
    (home,) = tmp_path.glob("harbour-*/home")
    recorded = [path.name for path in home.glob("recorded/*/*")]
    assert len(recorded) == 3, "two earlier sessions, and this one"


@pytest.mark.parametrize("name", PACKAGES)
def test_an_embedder_needs_few_lines(name):
    text = (ROOT / "examples" / f"{name}.py").read_text(encoding="utf-8")
    code = text.split('"""', 2)[2]
    ours = ("afterglow", "ag.", "(ag", "session", "warm", "WarmAgent", "ag =")
    lines = [line for line in code.splitlines() if any(word in line for word in ours)]
    assert len(lines) <= MAX_LINES_OF_OURS, lines
