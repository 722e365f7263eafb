"""What replay says a session would have been told on failure is what the session is told."""

from __future__ import annotations

import json

from afterglow.config import Config
from afterglow.flows.harvest import harvest
from afterglow.flows.measure import replay
from afterglow.flows.session import on_failure
from afterglow.records.context import FinishedCall
from afterglow.records.selection import below
from writing import Transcript

ERROR = "Exit code 1\nunknown flag: --stat"
DAY = 24 * 60  # the clock of a transcript counts minutes


def session(number: int) -> Transcript:
    return (
        Transcript(number, start=number * DAY)
        .user("what changed in the pull request?")
        .run(f"gh pr diff {number} --stat", ERROR, error=True)
        .run(f"gh pr diff {number} --name-only", "dock/agent.go")
        .reply("One file changed.")
    )


def test_replay_tells_the_line_that_the_hook_tells(tmp_path):
    config = Config(home=tmp_path / "kept", user_home=tmp_path / "home")
    for number in (1, 2):
        session(number).save(tmp_path / "s")
    harvest(config, below(tmp_path / "s"))
    arguments = json.dumps({"command": "gh pr diff 3 --stat"})
    line = on_failure(
        config,
        agent="claude-code",
        cwd=tmp_path / "harbor",
        session="s3",
        calls=[FinishedCall("Bash", arguments, ERROR, True, "t1")],
    )
    assert line.text
    session(3).save(tmp_path / "s")
    _, rows = replay(config, below(tmp_path / "s"))
    assert [hint.text for hint in rows[2].hints] == [line.text]
    assert [hint.items for hint in rows[2].hints] == [line.items]
