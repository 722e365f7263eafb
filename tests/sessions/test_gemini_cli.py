"""Gemini CLI sessions beyond the fixtures: what lies around the file says where the session was."""

from __future__ import annotations

import json

from afterglow import sessions

HEADER = {
    "sessionId": "s1",
    "projectHash": "ab" * 32,
    "startTime": "2026-02-03T08:00:00Z",
}
HELLO = {
    "id": "m1",
    "timestamp": "2026-02-03T08:00:01Z",
    "type": "user",
    "content": [{"text": "hello"}],
}


def write(path, *lines):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(
        "".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8"
    )
    return path


def test_the_project_root_beside_the_chats_is_the_working_folder(tmp_path):
    path = write(tmp_path / "harbor" / "chats" / "session-1.jsonl", HEADER, HELLO)
    assert sessions.load(path)[0].cwd == ""
    (tmp_path / "harbor" / ".project_root").write_text(
        "/home/ana/src/harbor\n", encoding="utf-8"
    )
    assert sessions.load(path)[0].cwd == "/home/ana/src/harbor"


def test_a_sub_agent_lies_in_the_folder_of_its_parent(tmp_path):
    header = HEADER | {
        "sessionId": "s2",
        "kind": "subagent",
        "directories": ["/home/ana/src/harbor"],
    }
    (session,) = sessions.load(
        write(tmp_path / "harbor" / "chats" / "s1" / "s2.jsonl", header, HELLO)
    )
    assert (session.id, session.origin, session.parent, session.parent_by) == (
        "s2",
        "subagent",
        "s1",
        "subagent",
    )
    assert session.cwd == "/home/ana/src/harbor"


def test_a_document_on_one_line_is_read_like_one_on_many(tmp_path):
    document = HEADER | {"messages": [HELLO]}
    flat = write(tmp_path / "session-1.json", document)
    tall = tmp_path / "session-2.json"
    tall.write_text(json.dumps(document, indent=2), encoding="utf-8")
    assert sessions.load(flat)[0].turns == sessions.load(tall)[0].turns != ()
