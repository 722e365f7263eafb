"""The queue: what ended is harvested once, whatever ends the process that does it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time

import pytest

from afterglow.config import Config, environment
from afterglow.errors import StoreError
from afterglow.flows.harvest import (
    QUEUE_PAUSE,
    begin,
    enqueue,
    log_of,
    waiting,
    work_off,
)
from afterglow.flows.harvest.queue import MAX_TRIES, ONCE, queue_lock
from afterglow.records.catalog import IDLE
from afterglow.store.catalog import Catalog
from afterglow.store.knowledge import Knowledge
from keeping import home_with_rules
from writing import Transcript, ordinary

HOLDER = """
import signal
from afterglow.config import load
from afterglow.flows.harvest.queue import queue_lock
with queue_lock(load()) as mine:
    print(mine, flush=True)
    signal.pause()
"""


@pytest.fixture
def config(tmp_path, compiled_rules):
    home = home_with_rules(tmp_path / "kept", compiled_rules)
    return Config(home=home, user_home=tmp_path / "home")


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "s"


def put(config, transcript, folder, why="ended", **fields):
    path = transcript.save(folder)
    enqueue(
        config,
        agent="claude-code",
        source=path,
        session=transcript.id,
        why=why,
        **fields,
    )
    return path


def mined(config) -> int:
    with Catalog(config.catalog) as catalog:
        return catalog.rows("SELECT count(*) FROM mined")[0][0]


def recent(number: int = 1) -> Transcript:
    """A session whose last line was written just now."""
    transcript = ordinary(number)
    stamp = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime())
    transcript.lines[-1] = json.dumps(
        {**json.loads(transcript.lines[-1]), "timestamp": stamp}
    )
    return transcript


def test_a_session_that_came_twice_waits_once(config, folder):
    put(config, ordinary(1), folder, why=QUEUE_PAUSE, now=1.0)
    put(config, ordinary(1), folder, now=2.0)
    put(config, ordinary(2), folder, now=3.0)
    assert [(one.session, one.why, one.time) for one in waiting(config)] == [
        (ordinary(1).id, "ended", 2.0),
        (ordinary(2).id, "ended", 3.0),
    ]


def test_what_ended_is_harvested_and_leaves_the_queue(config, folder):
    put(config, ordinary(1), folder)
    put(config, ordinary(2), folder)
    worked = work_off(config, seconds=60)
    assert (worked.harvested, worked.failed, worked.remaining, worked.stopped) == (
        2,
        0,
        0,
        "",
    )
    assert worked.created
    assert waiting(config) == []
    assert mined(config) == 2


def test_an_ended_session_is_harvested_at_once_and_a_paused_one_when_it_is_idle(
    config, folder
):
    put(config, recent(1), folder)
    put(config, recent(2), folder, why=QUEUE_PAUSE)
    assert work_off(config, seconds=60).harvested == 1
    assert [one.session for one in waiting(config)] == [ordinary(2).id]
    assert mined(config) == 1
    later = time.time() + IDLE + 5
    assert work_off(config, seconds=60, now=later).harvested == 1


def test_a_session_without_a_transcript_is_let_go(config, folder):
    enqueue(
        config, agent="codex", source=folder / "none.jsonl", session="s", why="ended"
    )
    worked = work_off(config, seconds=60)
    assert (worked.missing, worked.remaining) == (1, 0)


def test_a_file_without_a_session_is_let_go_and_said(config, folder):
    folder.mkdir()
    (folder / "list.jsonl").write_text('{"shells": 3}\n')
    enqueue(
        config, agent="codex", source=folder / "list.jsonl", session="s", why="ended"
    )
    worked = work_off(config, seconds=60)
    assert (worked.harvested, worked.missing, worked.remaining) == (0, 1, 0)
    assert [line.what for line in log_of(config).recent()] == ["no session found"]


def test_a_session_without_a_source_is_found_in_its_agents_home(config, tmp_path):
    transcript = ordinary(1)
    transcript.save(config.user_home / ".claude" / "projects" / "harbor")
    enqueue(
        config, agent="claude-code", source=None, session=transcript.id, why="ended"
    )
    assert work_off(config, seconds=60).harvested == 1
    assert mined(config) == 1


def test_what_fails_three_times_is_left_aside_until_the_session_goes_on(config, folder):
    path = folder / "pipe.jsonl"
    folder.mkdir()
    os.mkfifo(path)
    enqueue(config, agent="hermes", source=path, session="h", why="ended")
    for _ in range(MAX_TRIES + 1):
        work_off(config, seconds=60)
    (one,) = waiting(config)
    assert (one.session, one.tries, one.aside) == ("h", MAX_TRIES, True)
    assert one.trouble
    assert [line.what for line in log_of(config).recent()].count("left aside") == 1
    enqueue(config, agent="hermes", source=path, session="h", why="ended")
    assert waiting(config)[0].tries == 0


def test_a_round_that_was_killed_is_gone_on_with(config, folder):
    put(config, ordinary(1), folder)
    (entry,) = (config.home / "queue").iterdir()
    entry.rename(entry.with_suffix(".taken"))
    assert len(waiting(config)) == 1
    worked = work_off(config, seconds=60)
    assert (worked.harvested, worked.remaining) == (1, 0)


def test_a_session_that_ends_every_process_is_left_aside(config, folder):
    put(config, ordinary(1), folder)
    (entry,) = (config.home / "queue").iterdir()
    told = json.loads(entry.read_text())
    entry.with_suffix(".taken").write_text(json.dumps({**told, "tries": MAX_TRIES}))
    entry.unlink()
    assert work_off(config, seconds=60).remaining == 1
    (one,) = waiting(config)
    assert one.aside
    assert "ended in the middle" in one.trouble


def test_a_session_that_goes_on_while_it_is_harvested_waits_again(config, folder):
    put(config, ordinary(1), folder, now=1.0)
    came = []

    def meanwhile(done: int, total: int) -> None:
        if not came:
            came.append(done)
            put(config, ordinary(1).user("one more thing"), folder, now=2.0)

    worked = work_off(config, seconds=60, progress=meanwhile)
    assert came
    assert (worked.harvested, worked.remaining) == (2, 0)


def test_when_time_is_up_the_rest_waits_and_no_try_is_lost(config, folder):
    put(config, ordinary(1), folder)
    put(config, ordinary(2), folder)
    worked = work_off(config, seconds=0)
    assert (worked.harvested, worked.remaining) == (0, 2)
    assert "time is up" in worked.stopped
    assert [one.tries for one in waiting(config)] == [0, 0]
    assert work_off(config, seconds=60).harvested == 2


def test_a_store_that_cannot_be_used_costs_no_try(config, folder):
    put(config, ordinary(1), folder)
    config.knowledge.write_bytes(b"no database at all" * 100)
    worked = work_off(config, seconds=60)
    assert (worked.harvested, worked.remaining) == (0, 1)
    assert worked.stopped
    assert waiting(config)[0].tries == 0
    assert log_of(config).recent()


def test_one_process_at_a_time(config, folder):
    put(config, ordinary(1), folder)
    with queue_lock(config) as mine:
        assert mine
        assert work_off(config, seconds=60).busy
        assert not begin(config)
    assert work_off(config, seconds=60).harvested == 1


def test_files_that_are_not_ours_are_passed_over(config, folder):
    put(config, ordinary(1), folder)
    (config.home / "queue" / "note.json").write_text("half a")
    (config.home / "queue" / "README").write_text("hello")
    assert len(waiting(config)) == 1


def test_a_home_that_cannot_be_written_is_said(config, tmp_path):
    (config.home / "queue").write_text("in the way")
    with pytest.raises(StoreError, match="next scan"):
        enqueue(config, agent="codex", source=None, session="s", why="ended")
    assert waiting(config) == []


def test_nothing_is_started_for_nothing(config, folder):
    assert not begin(config)
    put(config, ordinary(1), folder, why=QUEUE_PAUSE)
    assert not begin(config)


def test_a_process_of_its_own_harvests(config, folder):
    put(config, ordinary(1).user("never moor at pier seven"), folder)
    assert begin(config)
    while waiting(config):
        assert (
            subprocess.run(
                [sys.executable, *ONCE], env=environment(config), check=False
            ).returncode
            == 0
        )
    with Knowledge(config.knowledge) as knowledge:
        assert knowledge.items(limit=5)
    assert log_of(config).recent() == []


def test_a_killed_worker_lets_go_of_the_lock(config, folder):
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER],
        env=environment(config),
        stdout=subprocess.PIPE,
        text=True,
    ) as holder:
        assert holder.stdout.readline() == "True\n"
        assert work_off(config, seconds=60).busy
        os.kill(holder.pid, signal.SIGKILL)
        holder.wait()
    assert not work_off(config, seconds=60).busy


def test_what_was_left_aside_could_not_be_taken_up_again(config, folder):
    path = folder / "odd.jsonl"
    folder.mkdir()
    path.write_bytes(b"\0" * 50)
    enqueue(
        config, agent="claude-code", source=path, session=ordinary(1).id, why="ended"
    )
    for entry in (config.home / "queue").iterdir():
        entry.write_text(entry.read_text().replace('"tries":0', f'"tries":{MAX_TRIES}'))
    path.write_text(ordinary(1).text)
    assert work_off(config, seconds=60).harvested == 0
    worked = work_off(config, seconds=60, again=True)
    assert (worked.harvested, worked.remaining) == (1, 0)


def test_a_pause_told_by_a_clock_that_was_ahead_did_not_wait_for_years(config, folder):
    put(
        config, ordinary(1), folder, why=QUEUE_PAUSE, now=time.time() + 10 * 365 * 86400
    )
    assert work_off(config, seconds=60).harvested == 1


def test_a_path_with_a_nul_ended_the_round_for_all_others(config, folder):
    put(config, ordinary(1), folder)
    odd = {"agent": "claude-code", "session": "s", "source": "/a\0b", "why": "ended"}
    (config.home / "queue" / "odd.json").write_text(json.dumps(odd))
    worked = work_off(config, seconds=60)
    assert (worked.harvested, worked.remaining) == (1, 0)
