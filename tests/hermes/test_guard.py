import json
import logging
from contextvars import ContextVar
from threading import Event

import pytest

from afterglow.errors import StoreError
from afterglow.hermes.guard import FALLBACK_SECONDS, deadline, guarded

ROOM = ContextVar("room", default="")
PATIENT = 60  # seconds, where no settings say so: a busy machine is no failure


def noted(config):
    path = config.home / "hooks.log"
    return (
        [json.loads(line) for line in path.read_text().splitlines()]
        if path.exists()
        else []
    )


def fail(error):
    raise error


def test_an_answer_passes_and_nothing_is_noted(config):
    assert guarded("sum", lambda *numbers, plus: sum(numbers) + plus)(1, 2, plus=3) == 6
    assert noted(config) == []


@pytest.mark.parametrize(
    "error",
    [StoreError("the shelf is full"), SystemExit(3), KeyError("x"), MemoryError()],
)
def test_what_fails_is_noted_and_answered_with_nothing(config, error):
    assert guarded("shelf", fail)(error) is None
    assert guarded("shelf", fail, otherwise="sorry")(error) == "sorry"
    assert [line["what"] for line in noted(config)] == ["hermes shelf"] * 2


def test_our_own_errors_are_noted_in_their_words_those_of_others_only_by_kind(config):
    guarded("shelf", fail)(StoreError("the shelf is full"))
    guarded("shelf", fail)(ValueError("what a person wrote"))
    said = [line["detail"] for line in noted(config)]
    assert said[0] == "the shelf is full" and said[1].startswith(
        "ValueError at test_guard.py:"
    )


def test_what_is_slow_is_left_behind(config):
    release = Event()
    assert guarded("shelf", release.wait, seconds=0.01, otherwise="late")(60) == "late"
    release.set()
    assert noted(config)[0]["detail"] == "gave up after 0.01 s"


def test_the_deadline_is_that_of_the_settings(config):
    (config.home / "config.toml").write_text("[hooks]\ndeadline_ms = 10\n")
    assert deadline() == 0.01
    release = Event()
    assert guarded("shelf", release.wait)(60) is None
    release.set()


def test_settings_that_cannot_be_read_leave_a_deadline(config):
    (config.home / "config.toml").write_text("[hooks\n")
    assert deadline() == FALLBACK_SECONDS


def test_settings_that_cannot_be_read_are_noted_too(config):
    (config.home / "config.toml").write_text("[hooks\n")
    from afterglow.config import load

    assert guarded("shelf", load, seconds=PATIENT)() is None
    assert noted(config)[0]["detail"].startswith("ConfigError at ")


def test_the_work_sees_what_hermes_keeps_for_the_session(config):
    token = ROOM.set("the session's folder")
    assert guarded("room", ROOM.get)() == "the session's folder"
    ROOM.reset(token)


def test_where_our_log_cannot_be_written_hermes_has_the_line(
    config, monkeypatch, caplog
):
    (config.home / "file").touch()
    monkeypatch.setenv("AFTERGLOW_HOME", str(config.home / "file" / "home"))
    with caplog.at_level(logging.WARNING, "afterglow"):
        failing = guarded("shelf", fail, seconds=PATIENT)
        assert failing(StoreError("with a path in it")) is None
    (message,) = caplog.messages
    assert message.startswith("shelf: StoreError at ")


def test_when_the_program_is_about_to_end_the_work_is_done_at_once(config):
    def too_late(thread):
        raise RuntimeError("can't create new thread at interpreter shutdown")

    assert guarded("end", lambda: "queued", start=too_late)() == "queued"
