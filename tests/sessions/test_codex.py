"""Codex rollouts beyond the fixtures: how outputs are judged, and reading on behind a mark."""

from __future__ import annotations

import json

import pytest

from afterglow import sessions
from afterglow.records import Mark, Outcome
from afterglow.sessions.formats.codex.outputs import judge, take_apart

ID = "0199a000-0000-7000-8000-00000000000a"
DONE = "Script completed\nWall time 0.1 seconds\nOutput:\n"


def rollout(path, *items):
    meta = {
        "id": ID,
        "cwd": "/home/ana/src/harbor",
        "source": "cli",
        "base_instructions": {"text": "x" * 70_000},
    }
    lines = [("session_meta", meta), *items]
    text = "".join(
        json.dumps(
            {
                "timestamp": f"2026-03-02T09:00:{n:02d}Z",
                "type": kind,
                "payload": payload,
            },
            separators=(",", ":"),
        )
        + "\n"
        for n, (kind, payload) in enumerate(lines)
    )
    path.write_text(text, encoding="utf-8")
    return path


def tokens(total, last):
    names = ("input_tokens", "cached_input_tokens", "output_tokens")
    info = {"total_token_usage": dict(zip(names, total, strict=True))}
    info["last_token_usage"] = dict(zip(names, last, strict=True))
    return "event_msg", {"type": "token_count", "info": info}


def said(role, text):
    return "response_item", {
        "type": "message",
        "role": role,
        "content": [{"type": "input_text", "text": text}],
    }


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        ("Plan updated", Outcome.OK),
        ("aborted by user after 29.7s", Outcome.CANCELLED),
        ("exec command rejected by user", Outcome.BLOCKED),
        ("user rejected MCP tool call", Outcome.BLOCKED),
        (
            "approval policy is Never; reject command — you cannot ask for escalated permissions",
            Outcome.BLOCKED,
        ),
        (
            'exec_command failed: CreateProcess { message: "Rejected(\\"rejected by user\\")" }',
            Outcome.BLOCKED,
        ),
        (
            "exec_command failed: CreateProcess rejected: blocked by policy",
            Outcome.BLOCKED,
        ),
        (
            'exec_command failed: CreateProcess { message: "Rejected(\\"No such file\\")" }',
            Outcome.FAILED,
        ),
        (
            "apply_patch verification failed: Failed to find expected lines",
            Outcome.FAILED,
        ),
        ("failed to parse function arguments: missing field `cmd`", Outcome.FAILED),
        ("unsupported call: grep", Outcome.FAILED),
        (
            "The page says:\n\nwhat happens when the command is rejected by user",
            Outcome.OK,
        ),
    ],
)
def test_an_output_in_plain_words_is_judged_by_how_it_starts(text, outcome):
    assert judge(text).outcome is outcome


def test_an_exit_code_in_the_output_of_a_command_is_not_its_own():
    text = "Chunk ID: 1\nWall time: 0.1 seconds\nProcess exited with code 0\nOutput:\nProcess exited with code 1\n"
    assert take_apart(text).code == 0


def script(id, source):
    return "response_item", {
        "type": "custom_tool_call",
        "name": "exec",
        "call_id": id,
        "input": source,
    }


def printed(id, *parts):
    return "response_item", {
        "type": "custom_tool_call_output",
        "call_id": id,
        "output": [{"type": "input_text", "text": part} for part in (DONE, *parts)],
    }


def run(command, print_="text(r.output)"):
    return (
        f"const r = await tools.exec_command({{cmd:{json.dumps(command)}}}); {print_};"
    )


def poll(terminal):
    return f"text(await tools.write_stdin({{session_id:{terminal}}}));"


def calls(path, *items):
    (session,) = sessions.load(rollout(path, *items))
    return [(call.tool, call.outcome) for call in session.calls]


@pytest.mark.parametrize(
    ("command", "output", "outcome"),
    [
        ("cat ci.sh", "set -e\nexit 1\nexit_code=1\n", Outcome.UNKNOWN),
        ("go vet ./...", "", Outcome.UNKNOWN),
        ("cargo check", "...\nerror: could not compile `harbor`\n", Outcome.FAILED),
        ("tail ci.log", "...\nerror: could not compile `harbor`\n", Outcome.UNKNOWN),
        ("make x; cat ci.log", "error: could not compile `x`\n", Outcome.UNKNOWN),
    ],
)
def test_without_an_exit_code_only_a_commands_own_words_say_that_it_failed(
    tmp_path, command, output, outcome
):
    items = script("c1", run(command)), printed("c1", output)
    assert calls(tmp_path / "rollout.jsonl", *items) == [("exec_command", outcome)]


def test_an_exit_code_counts_where_the_script_or_the_command_asked_for_it(tmp_path):
    by_script = run("make lint", "text(`EXIT=${r.exit_code}`)")
    items = [script("c1", by_script), printed("c1", "EXIT=2")]
    items += [script("c2", run("make lint; echo EXIT=$?")), printed("c2", "EXIT=2\n")]
    failed = ("exec_command", Outcome.FAILED)
    assert calls(tmp_path / "rollout.jsonl", *items) == [failed, failed]


def test_a_command_in_the_background_fails_and_the_look_at_it_does_not(tmp_path):
    started = '{"chunk_id":"a","session_id":7,"output":"building\\n"}'
    ended = '{"chunk_id":"b","exit_code":2,"output":"no rule to make target\\n"}'
    items = [script("c1", run("make all", "text(r)")), printed("c1", started)]
    items += [script("c2", poll(7)), printed("c2", ended)]
    path = rollout(tmp_path / "rollout.jsonl", *items)
    (session,) = sessions.load(path)
    command, look = session.calls
    assert (command.outcome, look.outcome) == (Outcome.FAILED, Outcome.OK)
    assert command.result == "building\nno rule to make target\n"
    assert (command.line, command.result_line) == (2, 5)


def test_a_command_that_is_never_heard_of_again_is_unknown(tmp_path):
    started = '{"chunk_id":"a","session_id":7,"output":"listening on 8080\\n"}'
    items = [script("c1", run("make serve", "text(r)")), printed("c1", started)]
    path = rollout(tmp_path / "rollout.jsonl", *items, said("assistant", "It runs."))
    (session,) = sessions.load(path)
    (call,) = session.calls
    assert (call.outcome, call.result) == (Outcome.UNKNOWN, "listening on 8080\n")


def test_an_interruption_cancels_what_has_no_output_and_leaves_what_runs(tmp_path):
    started = '{"chunk_id":"a","session_id":7,"output":"listening\\n"}'
    items = [script("c1", run("make serve", "text(r)")), printed("c1", started)]
    items += [script("c2", run("make all")), ("event_msg", {"type": "turn_aborted"})]
    assert calls(tmp_path / "rollout.jsonl", *items) == [
        ("exec_command", Outcome.UNKNOWN),
        ("exec_command", Outcome.CANCELLED),
    ]


def test_outputs_that_cannot_be_told_apart_are_unknown(tmp_path):
    source = f"{run('make a', '')}{run('make b', 'text(all)')}"
    items = script("c1", source), printed("c1", "one", "two", "three")
    (session,) = sessions.load(rollout(tmp_path / "rollout.jsonl", *items))
    assert [(call.outcome, call.result) for call in session.calls] == [
        (Outcome.UNKNOWN, None),
        (Outcome.UNKNOWN, None),
    ]


def test_a_look_at_a_terminal_from_before_the_mark_makes_the_reading_inexact(tmp_path):
    """What the command before the mark came to is not in the part that was read then: the file is read again."""
    items = [script("c1", poll(7)), printed("c1", '{"chunk_id":"b","exit_code":2}')]
    before = [said("user", "hello"), said("assistant", "hi")]
    before.append(tokens((100, 0, 10), (100, 0, 10)))
    path = rollout(tmp_path / "rollout.jsonl", *before, said("user", "more"))
    *_, read = sessions.read(path)
    rollout(path, *before, said("user", "more"), *items)
    assert sum(part.orphans for part in sessions.read(path, read.mark)) == 1


def test_a_header_longer_than_the_first_look_is_recognised(tmp_path):
    path = rollout(tmp_path / "rollout.jsonl", said("user", "hello"))
    assert path.read_bytes().index(b"\n") > sessions.HEAD_BYTES
    assert [session.id for session in sessions.load(path)] == [ID]


def test_reading_on_knows_the_session_and_counts_each_token_once(tmp_path):
    """The same total may be told again behind the mark, and a request that was cut off is only in the next total."""
    items = [
        said("user", "hello"),
        said("assistant", "hi"),
        tokens((100, 0, 10), (100, 0, 10)),
        said("user", "more"),
    ]
    path = rollout(tmp_path / "copied.jsonl", *items)
    before = list(sessions.read(path))
    assert before[-1].mark != Mark()
    more = [
        tokens((100, 0, 10), (100, 0, 10)),
        said("assistant", "well"),
        tokens((400, 200, 30), (150, 100, 10)),
    ]
    rollout(path, *items, *more)
    (rest,) = [part for part in sessions.read(path, before[-1].mark) if part.turns]
    assert (rest.id, rest.cwd) == (ID, "/home/ana/src/harbor")
    assert (
        rest.usage.input,
        rest.usage.cache_read,
        rest.usage.output,
        rest.usage.context,
    ) == (100, 200, 20, 150)


def test_a_fork_is_a_branch_of_its_parent_and_the_parents_header_is_not_its_own(
    tmp_path,
):
    copied = (
        "session_meta",
        {
            "id": "0199a000-0000-7000-8000-00000000000b",
            "cwd": "/elsewhere",
            "source": "cli",
        },
    )
    path = rollout(tmp_path / "rollout.jsonl", copied, said("user", "hello"))
    text = path.read_text(encoding="utf-8").replace(
        '"source":"cli"', '"source":"cli","forked_from_id":"f00"', 1
    )
    path.write_text(text, encoding="utf-8")
    (session,) = sessions.load(path)
    assert (session.id, session.parent, session.parent_by, session.origin) == (
        ID,
        "f00",
        "branch",
        "main",
    )
    assert session.cwd == "/home/ana/src/harbor"
