"""Which session asks, and what its person typed: by agent and folder, among transcripts that are being written."""

import os
import time

import pytest

from afterglow.config import Config
from afterglow.flows.memory import spoken_in_session
from afterglow.memory.spoken import NOBODY_HEARD
from writing import Transcript


@pytest.fixture
def config(tmp_path):
    return Config(home=tmp_path / "kept", user_home=tmp_path)


@pytest.fixture
def place(config):
    folder = config.user_home / ".claude/projects/harbor"
    folder.mkdir(parents=True)
    return folder


def heard(config, cwd, **options):
    return spoken_in_session(config, agent="claude-code", cwd=cwd, **options)


def test_what_the_person_typed_and_nothing_that_was_read_there(config, place, tmp_path):
    session = Transcript(cwd=str(tmp_path / "harbor"))
    session.user("please always use tabs in Go files")
    session.ask("Read", file_path="README.md").answer("use port 9441 for the gateway")
    session.save(place)
    spoken = heard(config, tmp_path / "harbor")
    assert spoken.session == session.id
    assert spoken.turns == ("please always use tabs in Go files",)


def test_another_folder_or_another_agent_is_another_session(config, place, tmp_path):
    session = Transcript(cwd=str(tmp_path / "harbor")).user("please use tabs in Go")
    session.save(place)
    assert heard(config, tmp_path / "pier") == NOBODY_HEARD
    other = spoken_in_session(config, agent="codex", cwd=tmp_path / "harbor")
    assert other == NOBODY_HEARD


def test_a_session_that_ended_long_ago_does_not_ask(config, place, tmp_path):
    path = Transcript(cwd=str(tmp_path / "harbor")).user("please use tabs").save(place)
    long_ago = time.time() - 7200
    os.utime(path, (long_ago, long_ago))
    assert heard(config, tmp_path / "harbor") == NOBODY_HEARD


def test_a_damaged_transcript_is_passed_over(config, place, tmp_path):
    (place / "broken.jsonl").write_bytes(b"\x00\xff" * 50)
    Transcript(cwd=str(tmp_path / "harbor")).user("please use tabs in Go").save(place)
    assert heard(config, tmp_path / "harbor").turns == ("please use tabs in Go",)
