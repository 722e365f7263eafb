"""bench.hints: hints out for a reader, verdicts counted."""

from __future__ import annotations

import msgspec
import pytest
from bench.hints import FROM_STATE, DrawnHint, export, verdicts_of

HINTS = [
    DrawnHint(
        id=name,
        path="/x/s.jsonl",
        line=7,
        source=source,
        hint="the same on 3 Nov",
        call="Bash: crane build",
        error=("fixtures are stale",),
        followed=("ended after 2 calls: crane seed => done",),
    )
    for name, source in (("a1", "written"), ("b2", "written"), ("c3", FROM_STATE))
]


def test_a_reader_gets_the_call_the_error_the_hint_and_what_followed(tmp_path):
    export("harbor", HINTS, tmp_path)
    text = (tmp_path / "harbor.md").read_text()
    assert text.count("## ") == 3
    assert "/x/s.jsonl:7" in text
    assert text.index("crane build") < text.index("fixtures") < text.index("HINT")
    assert text.index("HINT") < text.index("crane seed")


def test_verdicts_are_counted_by_where_the_line_comes_from(tmp_path):
    export("harbor", HINTS, tmp_path)
    rows = [("a1", "useful"), ("b2", "wrong"), ("c3", "useless")]
    lines = [msgspec.json.encode({"id": id, "verdict": word}) for id, word in rows]
    (tmp_path / "harbor.verdicts.jsonl").write_bytes(b"\n".join(lines) + b"\n")
    counts = verdicts_of("harbor", tmp_path)
    assert counts["written"] == {"useful": 1, "wrong": 1}
    assert counts[FROM_STATE] == {"useless": 1}
    assert counts["all"].total() == 3


def test_a_verdict_that_is_none_of_the_three_is_refused(tmp_path):
    export("harbor", HINTS, tmp_path)
    (tmp_path / "harbor.verdicts.jsonl").write_bytes(b'{"id":"a1","verdict":"fine"}\n')
    with pytest.raises(msgspec.ValidationError):
        verdicts_of("harbor", tmp_path)
