"""Hermes' state.db as it is met in life: written to at this moment, locked, damaged, in a folder one may not touch."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import tempfile
from contextlib import closing
from pathlib import Path

import pytest

from afterglow import sessions
from afterglow.errors import UnreadableSource
from afterglow.sessions.appended_file import PART_CHARACTERS
from afterglow.sessions.formats.hermes import database

STATE = Path(__file__).parent / "fixtures" / "hermes-db" / "state.sql"
FIRST = "20260302_090000_aa0001"
OTHERS = 7  # sessions of the fixture besides any one


@pytest.fixture
def state(tmp_path):
    return build(tmp_path / "state.db")


def build(path: Path, *, journal: str = "DELETE") -> Path:
    with closing(sqlite3.connect(path)) as db:
        db.execute(f"PRAGMA journal_mode={journal}")
        db.executescript(STATE.read_text(encoding="utf-8"))
    return path


def say(db: sqlite3.Connection, session: str, text: str, role: str = "user") -> None:
    db.execute(
        "INSERT INTO messages (session_id, role, content, timestamp) VALUES (?, ?, ?, 1772500000.0)",
        (session, role, text),
    )


def texts(path: Path, session: str = FIRST) -> list[str]:
    return [
        turn.text
        for found in sessions.load(path)
        if found.id == session
        for turn in found.turns
    ]


WRITER = """
import sqlite3, sys
db = sqlite3.connect(sys.argv[1], isolation_level=None)
add = "INSERT INTO messages (session_id, role, content, timestamp) VALUES (?, 'user', ?, 1772500000.0)"
db.execute(add, (sys.argv[2], "committed while you looked"))
db.execute("BEGIN IMMEDIATE")
db.execute(add, (sys.argv[2], "not committed yet"))
print("writing", flush=True)
sys.stdin.readline()
db.execute("COMMIT")
print("written", flush=True)
sys.stdin.readline()
"""


def test_a_database_in_the_middle_of_another_process_transaction_is_read_up_to_the_last_commit(
    tmp_path,
):
    path = build(tmp_path / "state.db", journal="WAL")
    command = [sys.executable, "-c", WRITER, str(path), FIRST]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as writer:
        assert writer.stdout.readline() == "writing\n"
        assert texts(path)[-1] == "committed while you looked"
        writer.stdin.write("\n")
        writer.stdin.flush()
        assert writer.stdout.readline() == "written\n"
        assert texts(path)[-1] == "not committed yet"
        writer.communicate("\n")
    assert writer.returncode == 0


def test_reading_does_not_hold_a_writer_up_between_two_sessions(tmp_path):
    path = build(tmp_path / "state.db")
    reading = database.read(path)
    next(reading)
    with closing(sqlite3.connect(path, timeout=0)) as db, db:
        say(db, FIRST, "written while a reader is half way")
    assert len(list(reading)) == OTHERS


def test_a_database_locked_for_good_is_refused_with_the_reason(tmp_path):
    path = build(tmp_path / "state.db")
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("BEGIN EXCLUSIVE")
        with pytest.raises(UnreadableSource, match="locked"):
            list(database.read(path))


def test_damage_in_the_middle_costs_only_the_sessions_it_hits(state):
    with closing(sqlite3.connect(state)) as db, db:
        db.execute("UPDATE messages SET content = ? WHERE id = 16", ("long" * 20000,))
    data = bytearray(state.read_bytes())
    places = [
        place
        for place in range(0, len(data), 4096)
        if data[place + 4 : place + 8] == b"long"
    ]
    data[places[3] : places[3] + 4] = (
        b"\xff\xff\xff\xff"  # the chain of pages of one long text leads nowhere
    )
    state.write_bytes(data)
    found = []
    with pytest.raises(UnreadableSource, match=r"20260302_100000_bb0002.*malformed"):
        for session in database.read(state):
            found.append(session.id)
    assert len(found) == OTHERS and FIRST in found


def test_a_file_that_only_says_it_is_a_database_is_refused(tmp_path):
    path = tmp_path / "state.db"
    path.write_bytes(
        database.MAGIC + b"tool_call_id parent_session_id" + b"\x00" * 5000
    )
    with pytest.raises(UnreadableSource):
        sessions.load(path)


def test_a_database_of_another_program_is_not_recognised(tmp_path):
    path = tmp_path / "other.db"
    with closing(sqlite3.connect(path)) as db:
        db.executescript(
            "CREATE TABLE sessions (id TEXT); CREATE TABLE messages (id TEXT, role TEXT, content_json TEXT)"
        )
    assert sessions.recognise(path) is None


def test_a_database_whose_tables_are_described_far_behind_its_start_is_recognised(
    tmp_path,
):
    path = tmp_path / "state.db"
    with closing(sqlite3.connect(path)) as db:
        db.executescript(
            "".join(
                f"CREATE TABLE before_{n} (a TEXT DEFAULT '{'x' * 400}');"
                for n in range(300)
            )
        )
        db.executescript(STATE.read_text(encoding="utf-8"))
    assert b"tool_call_id" not in path.read_bytes()[: sessions.HEAD_BYTES]
    assert sessions.recognise(path) is database


def test_a_path_with_every_odd_character_is_opened(tmp_path):
    folder = tmp_path / "who? 100% #1 &mode=rwc"
    folder.mkdir()
    path = build(folder / "state.db")
    assert texts(path)[0] == "run the dock tests"
    assert list(folder.iterdir()) == [path]


def test_a_write_ahead_log_database_in_a_read_only_folder_is_read():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        path = build(folder / "state.db", journal="WAL")
        folder.chmod(0o555)
        user = os.geteuid()
        if user == 0:
            os.seteuid(65534)  # root may write anywhere
        try:
            found = texts(path)
            assert [file.name for file in folder.iterdir()] == ["state.db"]
        finally:
            os.seteuid(user)
            folder.chmod(0o755)
    assert found[0] == "run the dock tests"


def test_text_that_is_not_utf8_is_replaced_not_fatal(state):
    with closing(sqlite3.connect(state)) as db, db:
        db.execute("UPDATE messages SET content = CAST(X'6f6bff' AS TEXT) WHERE id = 1")
    assert texts(state)[0] == "ok\ufffd"


def test_only_the_sessions_asked_for_are_read(state):
    assert [
        session.id for session in database.read(state, only={"cron_tide_20260302"})
    ] == ["cron_tide_20260302"]


@pytest.mark.parametrize(
    "change",
    [
        "INSERT INTO messages (session_id, role, content, timestamp) VALUES ('{}', 'user', 'more', 1.0)",
        "UPDATE messages SET active = 0 WHERE id = 11 AND session_id = '{}'",
        "UPDATE sessions SET title = 'Another' WHERE id = '{}'",
        "UPDATE sessions SET ended_at = NULL, end_reason = NULL WHERE id = '{}'",
        "UPDATE sessions SET output_tokens = 151 WHERE id = '{}'",
    ],
)
def test_the_stamp_of_a_session_changes_when_it_does_and_no_other(state, change):
    before = database.stamps(state)
    assert before == database.stamps(state)
    with closing(sqlite3.connect(state)) as db, db:
        db.execute(change.format(FIRST))
    after = database.stamps(state)
    assert [id for id in before if before[id] != after[id]] == [FIRST]


def test_stamps_name_every_session_also_those_never_used(state):
    assert database.stamps(state).keys() == {
        session.id for session in database.read(state)
    }


def test_stamps_of_a_damaged_database_say_so(tmp_path):
    path = tmp_path / "state.db"
    path.write_bytes(database.MAGIC + b"\x00" * 5000)
    with pytest.raises(UnreadableSource):
        database.stamps(path)


def test_a_very_long_session_comes_in_parts_that_count_its_tokens_once(state):
    with closing(sqlite3.connect(state)) as db, db:
        for number in range(12):
            say(db, FIRST, f"{number} " + "x" * (PART_CHARACTERS // 6))
    parts = [part for part in database.read(state) if part.id == FIRST]
    assert len(parts) > 1
    whole = next(session for session in sessions.load(state) if session.id == FIRST)
    assert whole.usage.input == 1200
    assert len(whole.turns) == 12 + 14


def test_a_newer_database_says_itself_what_is_machinery(state):
    with closing(sqlite3.connect(state)) as db, db:
        db.execute("ALTER TABLE messages ADD COLUMN display_kind TEXT")
        db.execute(
            "ALTER TABLE messages ADD COLUMN _compressed_summary INTEGER NOT NULL DEFAULT 0"
        )
        steer = "[OUT-OF-BAND USER MESSAGE — a direct message from the user]\nthe other one\n[/OUT-OF-BAND USER MESSAGE]"
        for text, kind, summary in [
            (steer, "steer", 0),
            ("model changed", "model_switch", 0),
            ("A short history.", None, 1),
        ]:
            say(db, FIRST, text)
            db.execute(
                "UPDATE messages SET display_kind = ?, _compressed_summary = ? WHERE id = last_insert_rowid()",
                (kind, summary),
            )
    session = next(session for session in sessions.load(state) if session.id == FIRST)
    assert [(turn.text, turn.kind) for turn in session.turns[-2:]] == [
        ("the other one", "steer"),
        ("model changed", "injected"),
    ]
    assert session.compactions == 1
