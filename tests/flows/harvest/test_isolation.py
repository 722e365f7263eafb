"""What goes wrong with one session costs that session alone, and is said wherever a person looks."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from afterglow.cli.harvest import describe
from afterglow.config import Config
from afterglow.errors import NotFound, Stumbled
from afterglow.flows.doctor import doctor
from afterglow.flows.harvest import harvest
from afterglow.flows.isolation import isolated
from afterglow.harvest import MINERS
from afterglow.records.selection import below
from afterglow.store.knowledge import Knowledge
from writing import Transcript

STATE = Path(__file__).parents[2] / "sessions" / "fixtures" / "hermes-db" / "state.sql"
SEEDED = "20260310_090000_ee0001"


@pytest.fixture
def config(tmp_path):
    return Config(home=tmp_path / "kept", user_home=tmp_path / "home")


def facts(config: Config) -> list[str]:
    with Knowledge(config.knowledge) as knowledge:
        return [item.fact for item in knowledge.items()]


def lesson(number: int, words: str = "what changed?") -> Transcript:
    return (
        Transcript(number, start=100 * number)
        .user(words)
        .run("gh pr diff 41 --stat", "Exit code 1\nunknown flag: --stat", error=True)
        .run("gh pr diff 41 --name-only", "dock/agent.go")
        .reply("One file changed.")
    )


def test_any_error_of_a_block_comes_out_by_one_name_with_its_place():
    told = r"^a miner stumbled: IndexError: none \(.*test_isolation\.py:\d+\)$"
    with pytest.raises(Stumbled, match=told), isolated("a miner"):
        raise IndexError("none")


def test_errors_with_a_name_and_a_person_who_stops_it_pass():
    for error in (NotFound("no such repo"), FileNotFoundError(2, "gone")):
        with pytest.raises(type(error)), isolated("a miner"):
            raise error
    with pytest.raises(KeyboardInterrupt), isolated("a miner"):
        raise KeyboardInterrupt


def test_a_miner_that_falls_over_one_of_three_sessions_costs_that_one(
    config, tmp_path, monkeypatch
):
    monkeypatch.setitem(MINERS.rows, "clumsy", "harvest.clumsy_miner")
    sessions = lesson(1), lesson(2, "the clumsy one, please"), lesson(3)
    for session in sessions:
        session.save(tmp_path / "s")
    report = harvest(config, below(tmp_path / "s"))
    assert (report.sessions, report.mined, report.stumbled) == (3, 2, 1)
    ((path, reason),) = report.troubles
    assert path.endswith(f"{sessions[1].id}.jsonl")
    assert sessions[1].id in reason and "LookupError" in reason
    assert "clumsy_miner.py" in reason
    assert any("--name-only" in fact for fact in facts(config))
    assert "1 session could not be mined" in describe(report)
    assert reason in describe(report)

    found = doctor(config, hook_seconds=60)
    (text,) = [one.text for one in found.findings if one.about == "reading"]
    assert not found.healthy
    assert text.startswith("1 session could not be mined") and "LookupError" in text

    whole = b"".join(path.read_bytes() for path in config.home.glob("*.db*"))
    assert b"a1B2a1B2" not in whole  # an error may quote what it fell over
    assert "a1B2a1B2" not in str(report)


def test_a_session_is_tried_again_and_doctor_is_content_once_it_could_be_mined(
    config, tmp_path, monkeypatch
):
    lesson(1, "the clumsy one, please").save(tmp_path / "s")
    with monkeypatch.context() as patched:
        patched.setitem(MINERS.rows, "clumsy", "harvest.clumsy_miner")
        assert harvest(config, below(tmp_path / "s")).stumbled == 1
    again = harvest(config)
    assert (again.mined, again.stumbled) == (1, 0)
    found = doctor(config, hook_seconds=60)
    assert not [one for one in found.findings if one.about == "reading"]


def hermes_state(path: Path) -> Path:
    """A database of sessions, one of which began with a warm start: its first calls are examples, and no steps."""
    with closing(sqlite3.connect(path)) as db, db:
        db.executescript(STATE.read_text(encoding="utf-8"))
        db.execute(
            "INSERT INTO sessions (id, source, model, started_at, ended_at, end_reason, cwd) "
            "VALUES (?, 'cli', 'lantern-2', 1773100000.0, 1773100100.0, 'cli_close', '/home/ana/src/harbor')",
            (SEEDED,),
        )
        calls = [
            ("ag-0123456789-1", "make seed", 0, "seeded"),
            ("ag-0123456789-2", "make berth", 0, "berthed"),
            ("call_1", "gh pr diff 41 --stat", 1, "unknown flag: --stat"),
            ("call_2", "gh pr diff 41 --name-only", 0, "dock/agent.go"),
        ]
        messages = [
            ("user", "What earlier sessions taught (ag-0123456789)", None, None)
        ]
        for id, command, code, output in calls:
            function = {
                "name": "terminal",
                "arguments": json.dumps({"command": command}),
            }
            call = {"id": id, "type": "function", "function": function}
            result = json.dumps({"output": output, "exit_code": code, "error": None})
            messages += [
                ("assistant", "", None, json.dumps([call])),
                ("tool", result, id, None),
            ]
        db.executemany(
            "INSERT INTO messages (session_id, role, content, tool_call_id, tool_calls, timestamp) "
            "VALUES (?, ?, ?, ?, ?, ?)",
            [
                (SEEDED, *message, 1773100001.0 + place)
                for place, message in enumerate(messages)
            ],
        )
    return path


def test_one_warm_started_session_stopped_the_harvest_of_a_whole_hermes_database(
    config, tmp_path
):
    report = harvest(config, below(hermes_state(tmp_path / "state.db")))
    assert (report.stumbled, report.troubles) == (0, ())
    assert report.mined == report.sessions > 1
    assert any("--name-only" in fact for fact in facts(config))
