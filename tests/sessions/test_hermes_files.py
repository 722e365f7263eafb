"""Hermes' JSON files: snapshots, exports, and their neighbours that are no sessions."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from afterglow import sessions
from afterglow.errors import UnreadableSource

FIXTURES = Path(__file__).parent / "fixtures"
EXPORT = FIXTURES / "hermes-export" / "sessions.jsonl"


@pytest.mark.parametrize(
    ("name", "content"),
    [
        (
            "sessions.json",
            {
                "agent:main:telegram:dm:7": {
                    "session_key": "k",
                    "session_id": "s1",
                    "created_at": "2026-03-03",
                }
            },
        ),
        (
            "request_dump_s1_1.json",
            {
                "timestamp": "2026-03-03",
                "session_id": "s1",
                "reason": "500",
                "request": {"messages": []},
            },
        ),
    ],
)
def test_a_neighbour_of_the_snapshots_is_not_a_session(tmp_path, name, content):
    path = tmp_path / name
    path.write_text(json.dumps(content, indent=2))
    assert sessions.recognise(path) is None


def test_a_session_exported_twice_is_read_once_and_told(tmp_path):
    line = EXPORT.read_text(encoding="utf-8").splitlines()[0]
    path = tmp_path / "twice.jsonl"
    path.write_text(f"{line}\n{line}\n", encoding="utf-8")
    (found,) = sessions.load(path)
    assert [(damage.line, "again" in damage.reason) for damage in found.damage] == [
        (2, True)
    ]


def test_an_export_with_nothing_readable_is_refused_with_the_reason(tmp_path):
    path = tmp_path / "broken.jsonl"
    path.write_text(
        '{"id": "a", "source": "cli", "model_config": "{}", "messages": [\n'
    )
    with pytest.raises(UnreadableSource, match="not JSON"):
        sessions.load(path)


def test_a_line_of_many_megabytes_is_one_session(tmp_path):
    line = json.loads(EXPORT.read_text(encoding="utf-8").splitlines()[0])
    line["messages"] += [
        dict(line["messages"][0], id=100 + n, content=f"{n}" * 3_000_000)
        for n in range(5)
    ]
    path = tmp_path / "big.jsonl"
    path.write_text(json.dumps(line) + "\n", encoding="utf-8")
    (found,) = sessions.load(path)
    assert len(found.turns) == 6 + 5
    assert found.usage.input == 90
