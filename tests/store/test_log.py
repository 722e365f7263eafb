"""The log: bounded, one line an event, and never in the way."""

from __future__ import annotations

import subprocess
import sys

from afterglow.store.log import LONGEST, Log

WRITER = """
import sys
from pathlib import Path
from afterglow.store.log import Log
log = Log(Path(sys.argv[1]))
for number in range(50):
    log.add("tide", f"{sys.argv[2]} {number}")
"""


def test_lines_come_back_newest_last(tmp_path):
    log = Log(tmp_path / "deep" / "hooks.log")
    assert log.recent() == []
    assert log.add("hook failed", "StoreError: full\nof sand", now=5.0)
    assert log.add("no answer in time", now=6.0)
    assert [(line.time, line.what, line.detail) for line in log.recent()] == [
        (5.0, "hook failed", "StoreError: full of sand"),
        (6.0, "no answer in time", ""),
    ]
    assert [line.what for line in log.recent(1)] == ["no answer in time"]


def test_it_stays_small_and_keeps_the_newest(tmp_path):
    log = Log(tmp_path / "hooks.log", size=4000)
    for number in range(500):
        log.add("tide", f"number {number}")
        assert log.path.stat().st_size <= 4000
    assert log.recent(1)[0].detail == "number 499"
    assert len(log.recent(1000)) > 10


def test_details_are_redacted_and_cut(tmp_path):
    log = Log(tmp_path / "hooks.log", lambda text: text.replace("pearl", "<secret>"))
    log.add("hook failed", "pearl " * 500)
    (line,) = log.recent()
    assert "pearl" not in log.path.read_text()
    assert len(line.detail) == LONGEST


def test_a_detail_that_cannot_be_redacted_is_left_out(tmp_path):
    def broken(text: str) -> str:
        raise OSError("no rules")

    log = Log(tmp_path / "hooks.log", broken)
    assert log.add("hook failed", "pearl")
    assert "pearl" not in log.path.read_text()


def test_half_characters_and_half_lines_do_no_harm(tmp_path):
    log = Log(tmp_path / "hooks.log")
    log.add("odd", "\ud800 and \0")
    with log.path.open("a") as file:
        file.write('{"time": 3, "wh\n\xff[]\n')
    log.add("after")
    assert [line.what for line in log.recent()] == ["odd", "after"]


def test_what_cannot_be_written_raises_nothing(tmp_path):
    (tmp_path / "file").write_text("")
    assert not Log(tmp_path / "file" / "hooks.log").add("lost")
    assert not Log(tmp_path).add("a folder is no log")
    assert Log(tmp_path).recent() == []


def test_twenty_writers_at_once_lose_nothing_below_the_bound(tmp_path):
    path = tmp_path / "hooks.log"
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(path), str(n)])
        for n in range(20)
    ]
    assert [writer.wait() for writer in writers] == [0] * 20
    assert len({line.detail for line in Log(path).recent(2000)}) == 1000


def test_the_shortened_log_was_readable_by_everyone(tmp_path):
    log = Log(tmp_path / "hooks.log", size=1000)
    for number in range(100):
        log.add("tide", f"number {number}")
    assert log.path.stat().st_mode & 0o777 == 0o600
