"""What a sub-agent is asked for is found in the transcript of the session that sends it."""

from __future__ import annotations

import pytest

from afterglow.config import Config
from afterglow.flows.session import handed, start_subagent
from afterglow.flows.session.subagent_task import subagent_task
from keeping import item, keep
from writing import Transcript


def sending(*tasks: str) -> Transcript:
    session = Transcript(1).user("send somebody").run("ls", "lamp.go")
    for task in tasks:
        session.ask("Agent", prompt=task, subagent_type="general-purpose")
    return session


def test_the_call_that_sends_it_says_its_task(tmp_path):
    path = sending("count the lamps").save(tmp_path)
    assert subagent_task(path, "claude-code") == "count the lamps"


def test_what_was_sent_and_is_back_is_no_task(tmp_path):
    session = sending("count the lamps").answer("Three.")
    assert subagent_task(session.save(tmp_path), "claude-code") == ""


@pytest.mark.parametrize("content", [None, b"", b"\xff\0", b"{}\n"])
def test_without_a_transcript_there_is_none(tmp_path, content):
    path = tmp_path / "x.jsonl"
    if content is not None:
        path.write_bytes(content)
    assert subagent_task(path, "claude-code") == ""
    assert subagent_task(None, "claude-code") == ""


def test_its_few_lines_are_chosen_for_its_task(tmp_path):
    config = Config(home=tmp_path / "kept", user_home=tmp_path / "home")
    words = "`make {0}` in harbor fails until the {0} is built"
    names = ["pier", "dock", "quay", "mole", "slip", "buoy", "lamp", "tide", "rope"]
    items = [item(n, fact=words.format(name)) for n, name in enumerate(names)]
    keep(config, *items)
    path = sending("mend the rope with make rope").save(tmp_path / "s")
    given = start_subagent(
        config, agent="claude-code", cwd=tmp_path / "harbor", session="s1", transcript=path
    )  # fmt: skip
    assert items[-1].id in given.items and len(given.items) < len(items)
    assert [delivery.when for delivery in handed(config, "s1")] == ["subagent"]
