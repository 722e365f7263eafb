"""How a project answers a rule of its linter, where its sessions agree."""

from __future__ import annotations

from afterglow.harvest.writing.rules import written_by_rules
from harvest.writing.rule_problems import failure, problem_of, tried

REPORT = "lamp.go:{line}:2: the wick is not trimmed (wicktrim)"


def report(session: str, line: int, *added: str):
    edits = [
        tried(f"Edit lamp.go ⏎ - trim() ⏎ + {text}", tool="Edit", worked=True)
        for text in added
    ]
    text = REPORT.format(line=line)
    return failure(
        session, "lampctl lint", text, "lampctl lint", rules=("wicktrim",), tried=edits
    )


def test_a_comment_that_most_sessions_wrote_is_told_with_its_reason():
    problem = problem_of(
        report("a", 3, "trim() //nolint:wicktrim // it burns better"),
        report("b", 9, "//nolint:wicktrim // test lamp"),
        report("d", 12, "//nolint:wicktrim // an old one"),
        report("c", 5, "trim(wick)"),
    )
    assert problem.key == "rule wicktrim"
    (answer,) = written_by_rules(problem)
    assert answer.situation == (
        "`lampctl` reports `wicktrim`: … the wick is not trimmed (wicktrim)"
    )
    assert answer.remedy == (
        "where it is meant so, say it on that line: `//nolint:wicktrim // <reason>`"
    )
    assert answer.cites == (1, 2, 3)


def test_a_comment_without_a_reason_is_told_without():
    problem = problem_of(
        report("a", 3, "trim()  # noqa: wicktrim"),
        report("b", 9, "trim(2)  # noqa: wicktrim"),
        report("c", 5, "trim(3)  # noqa: wicktrim"),
    )
    (answer,) = written_by_rules(problem)
    assert answer.remedy.endswith("`# noqa: wicktrim`")


def test_silent_where_most_sessions_mended_the_code():
    problem = problem_of(
        report("a", 3, "trim() //nolint:wicktrim"),
        report("b", 9, "trim() //nolint:wicktrim"),
        report("c", 5, "trim(wick)"),
        report("d", 6, "trim(wick)"),
    )
    assert written_by_rules(problem) == []


def test_a_name_that_only_begins_like_the_rule_is_another():
    problem = problem_of(
        report("a", 3, "trim() // see wicktrimmer"),
        report("b", 9, "trim() // see wicktrimmer"),
    )
    assert written_by_rules(problem) == []
