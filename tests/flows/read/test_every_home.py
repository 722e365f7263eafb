"""`scan` without paths finds every agent's sessions where that agent keeps them."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from afterglow.config import Config
from afterglow.flows.read import scan
from afterglow.sessions.agent_homes import AGENTS
from writing import Transcript

FIXTURES = Path(__file__).parents[2] / "sessions" / "fixtures"
EDITOR = ".config/Code/User"
EXTENSIONS = f"{EDITOR}/globalStorage"
TASK = "1787157600000"

# agent -> a fixture, and where such an agent would have left it.
PLACES = {
    "opencode": ("opencode-db/harbor.sql", ".local/share/opencode/opencode.db"),
    "cursor": ("cursor/harbor.jsonl", ".cursor/projects/harbor/agent-transcripts/harbor.jsonl"),
    "copilot-chat": ("copilot-chat/harbor/1a2b", f"{EDITOR}/workspaceStorage/1a2b"),
    "cline": ("cline-sessions/harbor/session_harbor_01", ".cline/data/sessions/session_harbor_01"),
    "roo-code": (
        f"cline-tasks/harbor/globalStorage/rooveterinaryinc.roo-cline/tasks/{TASK}",
        f"{EXTENSIONS}/rooveterinaryinc.roo-cline/tasks/{TASK}",
    ),
    "kilo-code": (
        f"cline-tasks/harbor/globalStorage/rooveterinaryinc.roo-cline/tasks/{TASK}",
        f"{EXTENSIONS}/kilocode.kilo-code/tasks/1787157600001",
    ),
    "oh-my-pi": ("oh-my-pi/harbor.jsonl", ".omp/agent/sessions/-harbor/01a0-harbor.jsonl"),
    "droid": ("droid/052c-harbor.jsonl", ".factory/sessions/-harbor/052c-harbor.jsonl"),
    "amp": ("amp/T-019c-harbor.json", ".local/share/amp/threads/T-019c-harbor.json"),
    "goose": ("goose-db/harbor.sql", ".local/share/goose/sessions/sessions.db"),
    "windsurf": ("windsurf/harbor.jsonl", ".windsurf/transcripts/harbor-w.jsonl"),
    "continue": ("continue/harbor", ".continue/sessions"),
    "openhands": ("openhands-conversation/harbor/c0ffee", ".openhands/conversations/c0ffee"),
}  # fmt: skip
TRIED_ELSEWHERE = {"hermes", "claude-code", "codex", "gemini-cli", "copilot-cli", "pi"}


def put(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    if source.is_dir():
        shutil.copytree(source, target)
    elif source.suffix == ".sql":
        with closing(sqlite3.connect(target)) as db, db:
            db.executescript(source.read_text(encoding="utf-8"))
    else:
        shutil.copy(source, target)


@pytest.fixture
def config(tmp_path):
    home = tmp_path / "home"
    for fixture, place in PLACES.values():
        put(FIXTURES / fixture, home / place)
    return Config(home=tmp_path / "kept", user_home=home)


def test_every_agent_has_a_home_that_is_tried():
    assert PLACES.keys() | TRIED_ELSEWHERE == AGENTS.keys()


def test_a_home_that_holds_all_of_them_names_each(config):
    report = scan(config)
    assert {row.agent for row in report.agents} == PLACES.keys()
    assert all(trouble.damaged for trouble in report.troubles)  # no more than that


def test_the_second_scan_reads_nothing(config):
    scan(config)
    assert scan(config).read == 0


def test_a_folder_beside_is_not_looked_into(config):
    noise = config.user_home / EDITOR / "workspaceStorage" / "1a2b" / "ext" / "deep"
    put(FIXTURES / "cursor/harbor.jsonl", noise / "chatSessions" / "other.jsonl")
    assert {row.agent: row.sessions for row in scan(config).agents}["copilot-chat"] == 1


def test_what_a_checkout_holds_is_found_once_a_session_has_worked_in_it(tmp_path):
    config = Config(home=tmp_path / "kept", user_home=tmp_path / "home")
    checkout = tmp_path / "harbor"
    transcript = Transcript(1, cwd=str(checkout)).user("hello").reply("yes")
    transcript.save(tmp_path / "home" / ".claude" / "projects" / "harbor")
    put(FIXTURES / "aider/.aider.chat.history.md", checkout / ".aider.chat.history.md")
    history = FIXTURES / "specstory/2026-08-19_16-40-tide.md"
    put(history, checkout / ".specstory" / "history" / "tide.md")
    bare = FIXTURES / "entire-checkpoints/harbor/harbor.git"
    put(bare, checkout / ".git")
    scan(config)
    sessions = {row.agent: row.sessions for row in scan(config).agents}
    assert sessions == {"claude-code": 3, "aider": 2, "oh-my-pi": 1}
    assert scan(config).read == 0
