"""What a hook reads of a call that just ended is what a harvest reads of it later, but for what followed."""

from __future__ import annotations

from collections import Counter

import pytest
from msgspec.structs import replace

from afterglow.harvest.events.latest import latest_events
from afterglow.harvest.events.redaction import redacted
from afterglow.harvest.events.session_events import events_of
from afterglow.harvest.trail import Trail
from afterglow.records.problems import Event, SessionEvents
from afterglow.text.redact import Redactor
from state_sessions import edit, read
from trails import trail_of
from writing import Transcript

HOME = "/home/ana/src/harbor"


def moved_shell() -> Transcript:
    return (
        Transcript().user("go").run("cd dock", "").run("make", "ok")
        .run("cd dock && make", "Exit code 1\n(eval):cd:1: no such file or directory: dock", error=True)
        .run("make", "ok")
    )  # fmt: skip


def refused_edits() -> Transcript:
    session = read(
        Transcript().user("mend it"),
        f"{HOME}/lamp.go",
        "\tif tide {\n\t\treturn high\n\t}",
    )
    missed = "String to replace not found in file."
    edit(session, f"{HOME}/lamp.go", "    if tide {\n        return high", fails=missed)
    return edit(session, f"{HOME}/lamp.go", "\tif tide {\n\t\treturn high")  # fmt: skip


def failures_of_programs() -> Transcript:
    return (
        Transcript().user("check it")
        .run("gh pr diff 7 --stat", "Exit code 1\nunknown flag: --stat", error=True)
        .run("gh pr diff 7 --name-only", "dock/agent.go")
        .run("lampctl trim | tail -3", "lampctl: error: the wick is wet")
        .run("ruff check .", "Exit code 1\ndock.py:3:1: F401 `os` imported but unused\nFound 1 error.", error=True)
        .run("psql -c 'select 1'", "Exit code 127\nzsh: command not found: psql", error=True)
        .run("cat tide.txt", "Exit code 1\ncat: tide.txt: No such file or directory", error=True)
        .run("grep pier notes.md", "Exit code 1", error=True)
    )  # fmt: skip


def with_a_secret() -> Transcript:
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    failure = f"Exit code 1\nerror: token {token} is refused by the quay"
    return Transcript().user("push").run("quay push", failure, error=True)


def until(trail: Trail, index: int) -> Trail:
    """The session as it was when this call had just ended."""
    step = trail.steps[index]
    turn = trail.turns[step.turn]
    calls = turn.calls[: turn.calls.index(step.call) + 1]
    turns = (*trail.turns[: step.turn], replace(turn, calls=calls))
    return Trail(replace(trail.session, turns=turns), trail.repo)


def clean(events: SessionEvents, trail: Trail) -> list[Event]:
    return list(redacted(events, trail, Redactor(engine="python"), Counter()).events)


def without_what_followed(event: Event) -> Event:
    return replace(
        event, calls=0, turns=0, tried=(), remedy=None, because="", directory="",
        person="", batch=(),
    )  # fmt: skip


@pytest.mark.parametrize(
    "session", [moved_shell, refused_edits, failures_of_programs, with_a_secret]
)
def test_the_same_events_at_the_moment_and_later(session):
    trail = trail_of(session())
    later = {event.line: event for event in clean(events_of(trail), trail)}
    assert later
    for step in trail.steps:
        so_far = until(trail, step.index)
        now = clean(latest_events(so_far, step.index), so_far)
        expected = [later[step.call.line]] if step.call.line in later else []
        assert list(map(without_what_followed, now)) == list(
            map(without_what_followed, expected)
        )


def test_state_explains_at_the_moment():
    trail = trail_of(moved_shell())
    (event,) = latest_events(until(trail, 2), 2).events
    assert "leave out `cd dock`" in event.explanation


def test_what_good_runs_of_the_same_program_printed_is_known():
    session = Transcript().user("go").run("lampctl light", "error: 0 lamps are dark")
    session.run("lampctl trim", "Exit code 1\nerror: the wick is wet", error=True)
    trail = trail_of(session)
    assert latest_events(trail, 1).good
    assert latest_events(trail, len(trail.steps)) == SessionEvents()
