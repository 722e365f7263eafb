"""What hooks hand over can be proved: it stands in the transcript, and harvest does not learn from it."""

from __future__ import annotations

import json
import time
from datetime import UTC, datetime

import pytest

from afterglow.config import Config
from afterglow.flows.harvest import harvest
from afterglow.flows.read import scan
from afterglow.flows.session import handed, settle_deliveries, start
from afterglow.records.selection import below
from afterglow.sessions import load
from keeping import item, keep
from writing import Transcript


@pytest.fixture
def config(tmp_path):
    config = Config(home=tmp_path / "kept", user_home=tmp_path / "home")
    keep(config, item(1))
    return config


def dated(line: str) -> str:
    """A line as written just now."""
    stamp = datetime.fromtimestamp(time.time(), UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    told = {key: value for key, value in json.loads(line).items() if key != "timestamp"}
    return json.dumps({"timestamp": stamp, **told}, separators=(",", ":"))


def attached(
    transcript: Transcript, kind: str, content: object, **fields: object
) -> Transcript:
    """As Claude Code files what a hook said."""
    told = {
        "type": kind,
        "hookName": "SessionStart:startup",
        "hookEvent": "SessionStart",
        "content": content,
    }
    transcript._line(type="attachment", attachment={**told, **fields})
    return transcript


def test_a_context_in_an_attachment_proves_its_delivery(config, tmp_path):
    session = Transcript(7)
    given = start(
        config, agent="claude-code", cwd=tmp_path / "harbor", session=session.id
    )
    assert [one.state for one in handed(config, session.id)] == ["waiting"]
    attached(session, "hook_additional_context", [given.text]).user("ship it").run(
        "make ship"
    ).reply("Shipped.")
    session.lines = [dated(line) for line in session.lines]
    path = session.save(tmp_path / "s")
    turn = load(path)[0].turns[0]
    assert (turn.kind, turn.text) == ("injected", given.text)
    scan(config, [path])
    assert (
        settle_deliveries(config).proved == 0
    )  # something happened just now: it may go on
    assert settle_deliveries(config, ended=[session.id]).proved == 1
    (delivery,) = handed(config, session.id)
    assert (delivery.state, delivery.turn) == ("delivered", 0)


def test_a_session_whose_transcript_does_not_show_it_is_known_but_not_proved(
    config, tmp_path
):
    session = Transcript(7)
    start(config, agent="claude-code", cwd=tmp_path / "harbor", session=session.id)
    session.user("ship it").run("make ship").reply("Shipped.")
    session.lines = [dated(line) for line in session.lines]
    scan(config, [session.save(tmp_path / "s")])
    assert settle_deliveries(config, ended=[session.id]).proved == 0
    assert [one.state for one in handed(config, session.id)] == ["waiting"]
    assert settle_deliveries(config, now=time.time() + 8 * 86400).no_data == 1
    (delivery,) = handed(config, session.id)
    assert (delivery.state, delivery.items[0].used) == ("no data", None)


def test_what_a_hook_printed_counts_where_the_model_sees_it(tmp_path):
    session = Transcript(1).user("hello")
    attached(session, "hook_success", "the tide is low")
    attached(session, "hook_success", "not for the model", hookEvent="PostToolUse")
    attached(session, "hook_additional_context", [])
    attached(session, "hook_non_blocking_error", "no")
    attached(session, "todo_reminder", [{"content": "x"}])
    attached(session, "hook_success", {"odd": "shape"})
    session.reply("Hello.")
    (read,) = load(session.save(tmp_path))
    assert [(turn.kind, turn.text) for turn in read.turns] == [
        ("said", "hello"),
        ("injected", "the tide is low"),
        ("said", "Hello."),
    ]
    assert read.damaged == 0


def test_a_hint_between_two_lines_of_one_message_does_not_cut_it(tmp_path):
    session = Transcript(1).user("go").ask("Bash", command="make ship")
    attached(
        session, "hook_additional_context", ["mind the pier"], hookEvent="PreToolUse"
    )
    session.answer("done").reply("Done.")
    (read,) = load(session.save(tmp_path))
    assert [len(turn.calls) for turn in read.turns if turn.role == "assistant"] == [
        1,
        0,
    ]
    assert read.calls[0].result == "done"


def test_harvest_learns_nothing_from_what_a_hook_said(config, tmp_path):
    order = "Never run `make ship` without asking me first. From now on always use `pier ship`."
    said = (
        Transcript(1)
        .user("ship")
        .run("make ship", "ok")
        .user(order)
        .run("pier ship", "ok")
        .reply("Done.")
    )
    assert harvest(config, below(said.save(tmp_path / "said"))).created
    session = Transcript(2).user("ship").run("make ship", "ok")
    attached(
        session,
        "hook_additional_context",
        [order.replace("pier", "dock")],
        hookEvent="PostToolUse",
    )
    session.run("pier ship", "ok").reply("Done.")
    report = harvest(config, below(session.save(tmp_path / "hooked")))
    assert not any(
        one.findings for one in report.miners if one.miner in {"corrections", "rules"}
    )


def test_a_codex_developer_message_proves_as_well(config, tmp_path):
    given = start(config, agent="codex", cwd=tmp_path / "harbor", session="x")
    head = {
        "id": "x",
        "timestamp": "2026-10-01T00:00:00Z",
        "cwd": "/home/ana/src/harbor",
        "originator": "codex_cli_rs",
    }
    message = {
        "type": "message",
        "role": "developer",
        "content": [{"type": "input_text", "text": given.text}],
    }
    asked = {
        "type": "message",
        "role": "user",
        "content": [{"type": "input_text", "text": "ship it"}],
    }
    done = {
        "type": "message",
        "role": "assistant",
        "content": [{"type": "output_text", "text": "Shipped."}],
    }
    rows = [
        ("session_meta", head),
        *(("response_item", one) for one in (message, asked, done)),
    ]
    path = tmp_path / "rollout-2026-10-01T00-00-00-x.jsonl"
    lines = [
        dated(json.dumps({"type": kind, "payload": payload})) for kind, payload in rows
    ]
    path.write_text("".join(line + "\n" for line in lines))
    scan(config, [path])
    assert settle_deliveries(config, ended=["x"]).proved == 1
