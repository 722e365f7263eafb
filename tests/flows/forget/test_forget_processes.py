"""forget among other processes: killed at any moment it is finished later; a harvest that runs meanwhile brings nothing
back."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from afterglow.config import Config, environment
from afterglow.flows.forget import Choice, finish_forgetting, forget
from afterglow.flows.harvest import harvest
from afterglow.flows.read import list_sessions, scan
from afterglow.flows.read.scan_worker import Job, survey
from afterglow.records.selection import below
from afterglow.store.catalog import Catalog
from afterglow.store.forgotten import Forgotten
from afterglow.store.knowledge import Knowledge
from flows.forget.test_forget_sessions import (
    WORD,
    fill_every_store,
    holding,
    secretive,
    shared,
)
from keeping import home_with_rules
from sessions.test_hermes_db import FIRST, build

KILLED = """
import os, signal, sys
from afterglow import config
from afterglow.flows.forget import Choice, forget
import afterglow.flows.forget.steps as steps

left = int(sys.argv[2])

def counted(call):
    def counting(*words, **named):
        global left
        left -= 1
        if left < 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return call(*words, **named)
    return counting

import sqlite3
connect = sqlite3.connect
class Connection(sqlite3.Connection):
    execute = counted(sqlite3.Connection.execute)
    executemany = counted(sqlite3.Connection.executemany)
sqlite3.connect = lambda *words, **named: connect(*words, **{"factory": Connection, **named})
forget(config.load(), Choice(names=(sys.argv[1],)))
print("done")
"""


@pytest.fixture
def config(tmp_path, compiled_rules):
    home = home_with_rules(tmp_path / "kept", compiled_rules)
    return Config(home=home, user_home=tmp_path / "home")


@pytest.mark.parametrize("statements", [60, 100, 125, 150, 200, 250, 300, 350, 400])
def test_killed_between_any_two_statements_it_is_finished_by_the_next(
    config, tmp_path, statements
):
    id = fill_every_store(config, tmp_path)
    ended = subprocess.run(
        [sys.executable, "-c", KILLED, id, str(statements)],
        env=environment(config),
        capture_output=True,
        check=False,
        text=True,
    )
    assert ended.returncode == -signal.SIGKILL or ended.stdout == "done\n"
    finish_forgetting(config)
    if id in {entry.id for entry in list_sessions(config, everything=True)}:
        forget(config, Choice(names=(id,)))  # nothing had begun
    assert holding(config.home, WORD) == []
    assert holding(config.home, id) == []


def _forget_one(config: Config, id: str) -> None:
    forget(config, Choice(names=(id,)))


def test_several_at_once_come_one_after_the_other(config, tmp_path):
    ids = [secretive(number).id for number in range(1, 5)]
    for number in range(1, 5):
        secretive(number, start=2000 * number).save(tmp_path / "s")
    harvest(config, below(tmp_path / "s"))
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=_forget_one, args=(config, id)) for id in ids]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(120)
    assert [worker.exitcode for worker in workers] == [0] * 4
    assert finish_forgetting(config) is None
    assert holding(config.home, WORD) == []


def _harvest_again_and_again(config: Config, folder: Path, ready, stop) -> None:
    ready.set()
    while not stop.is_set():
        harvest(config, below(folder), again=True)


def test_a_harvest_that_runs_meanwhile_brings_nothing_back(config, tmp_path):
    for number in range(2, 6):
        shared(number, start=2000 * number).save(tmp_path / "s")
    secretive(1).save(tmp_path / "s")
    harvest(config, below(tmp_path / "s"))
    context = multiprocessing.get_context("spawn")
    ready, stop = context.Event(), context.Event()
    worker = context.Process(
        target=_harvest_again_and_again, args=(config, tmp_path / "s", ready, stop)
    )
    worker.start()
    try:
        assert ready.wait(60)
        forget(config, Choice(names=(secretive(1).id,)))
    finally:
        stop.set()
        worker.join(60)
    assert worker.exitcode == 0
    harvest(config, below(tmp_path / "s"), again=True)
    with Knowledge(config.knowledge) as knowledge:
        assert not [item for item in knowledge.items() if WORD in item.fact]
        assert not knowledge.of_sessions([secretive(1).id])
    assert secretive(1).id not in {entry.id for entry in list_sessions(config)}
    assert WORD.encode() not in config.knowledge.read_bytes()


def test_what_was_read_before_and_is_saved_after_is_not_kept(config, tmp_path):
    """A scan that had the rows in its hands when the session was forgotten."""
    path = secretive(1).save(tmp_path / "s")
    scan(config, [path])
    status = path.stat()
    held = survey(
        Job(str(path), status.st_size, status.st_mtime_ns, status.st_ino, again=True)
    )
    assert len(held.rows) == 1
    with Catalog(config.catalog) as catalog:
        forget(config, Choice(names=(secretive(1).id,)))
        catalog.save([(held.source, held.damage)], held.rows)
        assert catalog.entries(all=True) == []
        assert catalog.rows("SELECT path FROM sources") == []


def test_one_session_of_a_database_is_forgotten(config, tmp_path):
    state = build(tmp_path / "state.db")
    harvest(config, below(state))
    before = {entry.id for entry in list_sessions(config, everything=True)}
    forget(config, Choice(names=(FIRST,)))
    again = scan(config, [state])
    harvest(config, below(state), again=True)
    after = {entry.id for entry in list_sessions(config, everything=True)}
    assert before - after >= {FIRST}
    assert FIRST not in after
    assert again.read <= 1
    assert holding(config.home, FIRST) == []


def test_another_session_of_the_same_name_stays(config, tmp_path):
    """An id may be just the name of a file."""
    first = secretive(1)
    first.save(tmp_path / "a")
    second = shared(1, start=5000)
    second.save(tmp_path / "b")
    assert first.id == second.id
    harvest(config, below(tmp_path / "a", tmp_path / "b"))
    forget(config, Choice(names=(str(tmp_path / "a" / f"{first.id}.jsonl"),)))
    harvest(config, below(tmp_path / "a", tmp_path / "b"))
    (entry,) = list_sessions(config)
    assert entry.source == str(tmp_path / "b" / f"{second.id}.jsonl")


def test_marks_hold_no_words_and_survive_a_cut_line(config):
    forgotten = Forgotten(config.home)
    forgotten.add(names=[("claude-code", WORD)])
    assert WORD.encode() not in forgotten.path.read_bytes()
    with forgotten.path.open("ab") as file:
        file.write(b"+abcd")  # a full disk cut it
    forgotten.add(names=[("codex", "two")])
    fresh = Forgotten(config.home).refresh()
    assert fresh.has_session("claude-code", WORD)
    assert fresh.has_session("codex", "two")
    assert not fresh.has_session("codex", WORD)
    assert oct(os.stat(forgotten.path).st_mode)[-3:] == "600"


def test_tombstones_of_before_lose_their_words(config, tmp_path):
    shared(2).save(tmp_path / "s")
    harvest(config, below(tmp_path / "s"))
    with closing(sqlite3.connect(config.knowledge)) as db:
        db.execute("DELETE FROM facts WHERE name = 'tombstones'")
        db.execute(
            "INSERT INTO tombstones VALUES ('kold', 1, 1, ?, 'fact:x', '', 'person', 0)",
            [f'["cmd {WORD}"]'],
        )
        db.executemany(
            "INSERT INTO buried VALUES (?, 'kold')",
            [(f"cmd {WORD}",), ("kold",), ("fact:x",)],
        )
        db.commit()
    with Knowledge(config.knowledge) as knowledge:
        names = [f"cmd {WORD}", "kold", "fact:x", "another"]
        assert knowledge.buried(names) == {f"cmd {WORD}", "kold", "fact:x"}
    with closing(sqlite3.connect(config.knowledge)) as db:
        rows = db.execute("SELECT name FROM buried UNION SELECT topics FROM tombstones")
        assert not [row for row in rows if WORD in row[0]]
