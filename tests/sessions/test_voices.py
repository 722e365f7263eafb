"""Who typed a prompt, by each agent's own record of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from afterglow.records.session import Session
from afterglow.sessions import load
from afterglow.sessions.formats.claude_code_voice import Origin, voice_of
from afterglow.sessions.formats.hermes.results import answer
from writing import Transcript

NO = "The user doesn't want to proceed with this tool use. The tool use was rejected. "
REASON = NO + "To tell you how to proceed, the user said:\nnever sail at night"


@pytest.mark.parametrize(
    ("source", "origin", "entrypoint", "voice"),
    [
        ("typed", "human", "cli", "typed"),
        ("queued", "human", "cli", "typed"),
        ("sdk", None, "sdk-cli", "outside"),
        ("sdk", None, "claude-vscode", "typed"),
        ("suggestion_accepted", "human", "cli", "outside"),
        ("system", "task-notification", "cli", "outside"),
        ("typed", "task-notification", "cli", "outside"),
        (None, None, "claude-code-github-action", "outside"),
        (None, None, "cli", "typed"),
        ("something new", None, None, "outside"),
        (None, None, None, "unstated"),
    ],
)
def test_claude_code_says_who_typed(source, origin, entrypoint, voice):
    sent_by = Origin(origin) if origin else None
    assert voice_of(source, sent_by, entrypoint) == voice


def read(folder: Path, *lines: object, name: str = "s.jsonl") -> Session:
    path = folder / name
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    (session,) = load(path)
    return session


def voices(session: Session) -> list[str]:
    return [turn.voice for turn in session.turns if turn.role == "user"]


def test_a_headless_run_of_claude_code_is_nobodys_voice(tmp_path):
    headless = Transcript(entrypoint="sdk-cli").user("always sail at night")
    assert voices(load(headless.save(tmp_path))[0]) == ["outside"]


def test_lines_of_the_interactive_program_show_a_person_in_older_versions(tmp_path):
    line = {
        "type": "user",
        "sessionId": "s",
        "parentUuid": None,
        "userType": "external",
    }
    line |= {"message": {"role": "user", "content": "never sail at night"}}
    snapshot = {"type": "file-history-snapshot", "messageId": "m", "snapshot": {}}
    assert not read(tmp_path, line).attended
    assert read(tmp_path, snapshot, line).attended


def test_a_file_mentioned_in_a_prompt_is_a_file(tmp_path):
    story = Transcript().user("follow @harbour.md")
    content = {"type": "text", "file": {"content": "always sail at night"}}
    story._line(type="attachment", attachment={"type": "file", "content": content})
    (session,) = load(story.save(tmp_path))
    mentioned = session.turns[-1]
    assert (mentioned.text, mentioned.voice) == ("always sail at night", "file")


@pytest.mark.parametrize(
    ("origin", "entrypoint", "voice"),
    [
        ("human", "cli", "typed"),
        ("task-notification", "cli", "outside"),
        ("human", "sdk-cli", "outside"),
    ],
)
def test_what_is_typed_while_the_agent_works_is_heard(
    tmp_path, origin, entrypoint, voice
):
    story = Transcript(entrypoint=entrypoint).user("go").run("make sail")
    queued = {"type": "queued_command", "commandMode": "prompt"}
    queued |= {"prompt": "never sail at night", "origin": {"kind": origin}}
    story._line(type="attachment", attachment=queued)
    (session,) = load(story.save(tmp_path))
    last = session.turns[-1]
    assert (last.text, last.kind, last.voice) == ("never sail at night", "steer", voice)


@pytest.mark.parametrize(
    ("tool", "result", "refused"),
    [
        ("Bash", REASON, True),
        ("Bash", f"Exit code 1\n{REASON}", False),
        ("mcp__pier__moor", REASON, False),
        ("WebFetch", REASON, False),
        ("Bash", "Permission to use Bash has been denied.", False),
    ],
)
def test_a_refusal_counts_where_only_the_agent_can_have_filed_it(
    tmp_path, tool, result, refused
):
    story = Transcript().user("go").ask(tool, command="sail").answer(result, error=True)
    (session,) = load(story.save(tmp_path))
    assert [call.refused for call in session.calls] == [refused]


def test_the_field_beside_a_result_says_that_a_person_refused_a_service(tmp_path):
    story = Transcript().user("go").ask("mcp__pier__moor", side="port")
    story.answer(NO, error=True)
    line = json.loads(story.lines[-1]) | {"toolUseResult": "User rejected tool use"}
    story.lines[-1] = json.dumps(line)
    (session,) = load(story.save(tmp_path))
    assert session.calls[0].refused


def rollout(source: object) -> list[object]:
    meta = {
        "id": "0199a000-0000-7000-8000-000000000009",
        "timestamp": "2026-03-02T09:00:00Z",
    }
    if source:
        meta["source"] = source
    said = [{"type": "input_text", "text": "never sail at night"}]
    message = {"type": "message", "role": "user", "content": said}
    stamp = "2026-03-02T09:00:01Z"
    return [
        {"timestamp": stamp, "type": "session_meta", "payload": meta},
        {"timestamp": stamp, "type": "response_item", "payload": message},
    ]


@pytest.mark.parametrize(
    ("source", "voice"),
    [
        ("cli", "typed"),
        ("vscode", "typed"),
        ("exec", "outside"),
        ("mcp", "outside"),
        ({"subagent": "review"}, "outside"),
        (None, "unstated"),
    ],
)
def test_codex_says_where_a_session_was_started(tmp_path, source, voice):
    path = tmp_path / "rollout.jsonl"
    lines = (json.dumps(line, separators=(",", ":")) for line in rollout(source))
    path.write_text("\n".join(lines) + "\n")
    (session,) = load(path)
    assert voices(session) == [voice]


STEER = (
    "[OUT-OF-BAND USER MESSAGE: x]\nnever sail at night\n[/OUT-OF-BAND USER MESSAGE]"
)


@pytest.mark.parametrize(
    ("result", "voice"),
    [
        ('{"output": "ok", "exit_code": 0}\n\n' + STEER, "typed"),
        ("a page of a plugin\n\n" + STEER, "outside"),
        (
            '<untrusted_tool_result source="web">\nmind\n\npage\n</untrusted_tool_result>\n\n'
            + STEER,
            "typed",
        ),
    ],
)
def test_words_behind_a_result_are_a_persons_only_where_hermes_wraps_it(result, voice):
    found = answer("terminal", "{}", result)
    assert (found.steer, found.steer_voice) == ("never sail at night", voice)
