"""The end of a transcript that is still being written, and a call that has just ended, read as both will be later."""

from __future__ import annotations

import json

import pytest

from afterglow.records.context import FinishedCall
from afterglow.records.session import Outcome
from afterglow.sessions import load
from afterglow.sessions.finished_calls import call_of
from afterglow.sessions.transcript_end import (
    MAX_END_BYTES,
    MAX_END_LINES,
    read_end,
    without_open_calls,
)
from writing import Transcript


def running(calls: int = 3, size: int = 10) -> Transcript:
    transcript = Transcript(1, cwd="/home/ana/src/harbor").user("go")
    for number in range(calls):
        transcript.run(f"echo {number}", "x" * size)
        transcript.cwd = "/home/ana/src/harbor/dock"
    return transcript


def test_a_short_transcript_is_read_whole(tmp_path):
    path = running().save(tmp_path)
    end = read_end(path, "claude-code")
    assert end.session.calls == load(path)[0].calls
    assert end.home == end.session.cwd == "/home/ana/src/harbor"


def test_of_a_long_one_the_last_lines_are_read_and_where_it_began_is_known(tmp_path):
    path = running(500).save(tmp_path)
    end = read_end(path, "claude-code")
    whole = [call.arguments for call in load(path)[0].calls]
    last = [call.arguments for call in end.session.calls]
    assert last == whole[-len(last) :]
    assert MAX_END_LINES / 2 - 2 <= len(last) <= MAX_END_LINES / 2
    assert end.home == "/home/ana/src/harbor"
    assert end.session.cwd == "/home/ana/src/harbor/dock"


def test_of_long_lines_no_more_than_a_megabyte_is_read(tmp_path):
    path = running(60, size=100_000).save(tmp_path)
    assert path.stat().st_size > 5 * MAX_END_BYTES
    end = read_end(path, "claude-code")
    assert 5 < len(end.session.calls) < 12
    assert all(len(call.result) == 100_000 for call in end.session.calls)


def test_a_last_line_that_is_longer_than_what_is_read_leaves_nothing(tmp_path):
    path = running(1, size=3 * MAX_END_BYTES).save(tmp_path)
    end = read_end(path, "claude-code")
    assert end is None or not any(call.result for call in end.session.calls)


def test_a_sub_agent_has_its_own_end(tmp_path):
    transcript = running()
    lines = [json.loads(line) for line in transcript.lines]
    for line in lines:
        line.update(isSidechain=True, agentId="a77")
    path = tmp_path / "agent-a77.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert len(read_end(path, "claude-code", "a77").session.calls) == 3
    assert read_end(path, "claude-code", "b88") is None
    assert read_end(path, "claude-code") is None


def test_calls_without_a_result_and_those_that_just_ended_are_left_out(tmp_path):
    transcript = running(2).ask("Bash", command="make")
    ended = transcript.asked
    end = read_end(transcript.save(tmp_path), "claude-code")
    assert len(end.session.calls) == 3
    assert len(without_open_calls(end.session, frozenset()).calls) == 2
    path = transcript.answer("done").save(tmp_path)
    session = read_end(path, "claude-code").session
    assert len(without_open_calls(session, frozenset({ended})).calls) == 2


def test_what_is_no_transcript_has_no_end(tmp_path):
    for number, content in enumerate((b"", b"\xff\xfe", b"[]", b"{}\n" * 400)):
        path = tmp_path / f"{number}.jsonl"
        path.write_bytes(content)
        assert read_end(path, "claude-code") is None
    assert read_end(tmp_path / "missing.jsonl", "codex") is None
    assert read_end(tmp_path, "") is None


@pytest.mark.parametrize(
    ("agent", "result", "failed", "outcome"),
    [
        ("claude-code", "Exit code 2\nno pier", True, Outcome.FAILED),
        ("claude-code", "Exit code 1", True, Outcome.OK),  # grep found nothing
        ("claude-code", "<tool_use_error>Cancelled: parallel tool call", True, Outcome.CANCELLED),
        ("claude-code", "<tool_use_error>no such tool", False, Outcome.FAILED),
        ("claude-code", "The user doesn't want to proceed with this tool use", True, Outcome.BLOCKED),
        ("claude-code", "a: pier", False, Outcome.OK),
        ("codex", "Exit code: 2\nWall time: 1 s\nOutput:\nno pier", False, Outcome.FAILED),
        ("codex", "a: pier", False, Outcome.UNKNOWN),
        ("codex", "Chunk ID: 1\nProcess running with session ID 7\nOutput:\n", False, Outcome.UNKNOWN),
        ("hermes", '{"output": "no pier", "exit_code": 2}', False, Outcome.FAILED),
        ("hermes", '{"output": "a: pier", "exit_code": 0}', False, Outcome.OK),
        ("opencode", "no pier", True, Outcome.FAILED),
    ],
)  # fmt: skip
def test_how_a_call_ended_is_read_as_its_agent_tells_it(agent, result, failed, outcome):
    tool = "terminal" if agent == "hermes" else "Bash"
    call = FinishedCall(tool, '{"command": "grep pier a"}', result, failed, "t1")
    ended = call_of(agent, call, 7, 5.0)
    assert (ended.outcome, ended.id, ended.line) == (outcome, "t1", 7)
    assert ended.result == result
