"""Programs of agents that the tests here start for real."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from shutil import which

import pytest

from live.agent_room import learn

PACKAGES = {
    "claude": "@anthropic-ai/claude-code",
    "codex": "@openai/codex",
    "gemini": "@google/gemini-cli",
    "opencode": "opencode-ai",
}


@pytest.fixture(scope="session")
def program(agent_programs: str) -> Callable[[str], str]:
    """A program of npm: on the PATH, or in the folder that AFTERGLOW_TEST_NPM names."""

    def program(name: str) -> str:
        path = which(name, path=agent_programs)
        if path is None:
            pytest.skip(
                f"no {name} here: npm install --prefix FOLDER {PACKAGES[name]}, then AFTERGLOW_TEST_NPM=FOLDER"
            )
        return path

    return program


@pytest.fixture(scope="session")
def learned(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What two earlier sessions taught, harvested once for all rooms."""
    return learn(tmp_path_factory.mktemp("learned"))
