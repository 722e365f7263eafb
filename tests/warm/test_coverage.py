"""What a template keeps, counted on later sessions."""

from __future__ import annotations

import json

from afterglow.records.template import (
    RecoveryPattern,
    SessionSeed,
    ToolCallExample,
    WarmTemplate,
)
from afterglow.warm.coverage import compare, coverage, curve, tool_of
from afterglow.warm.distil import SourceSession


def template(*commands: str, errors: tuple[str, ...] = ()) -> WarmTemplate:
    examples = tuple(
        ToolCallExample("Bash", json.dumps({"command": command}), "ok")
        for command in commands
    )
    recoveries = tuple(RecoveryPattern(error, "make berth") for error in errors)
    seed = SessionSeed(tool_examples=examples, recovery_patterns=recoveries)
    return WarmTemplate(id="warm_20300101_000000", name="Harbor", seed=seed)


def session(shapes: dict[str, int], *errors: str) -> SourceSession:
    seed = SessionSeed(
        recovery_patterns=tuple(
            RecoveryPattern(error, "tried again") for error in errors
        )
    )
    return SourceSession(session="s", outcome="unknown", seed=seed, shapes=shapes)


def test_calls_count_as_often_as_they_were_made_and_shapes_once():
    found = coverage(
        template("make tide"), [session({"Bash: make tide": 3, "Read(file_path)": 1})]
    )
    assert (found.calls.count, found.calls.n) == (3, 4)
    assert (found.commands.count, found.commands.n) == (3, 3)
    assert (found.shapes.count, found.shapes.n) == (1, 2)
    assert (found.tools.count, found.tools.n) == (1, 2)


def test_every_rate_has_an_interval_over_sessions():
    later = [
        session({"Bash: make tide": n, "Bash: git status": 9 - n}) for n in range(1, 9)
    ]
    calls = coverage(template("make tide"), later).calls
    assert calls.sessions == 8
    assert calls.value is not None
    assert calls.low < calls.value < calls.high


def test_an_error_counts_when_the_template_has_a_remedy_for_it():
    found = coverage(
        template(errors=("error: berth 4 is taken",)),
        [session({}, "error: berth 9 is taken", "no wind")],
    )
    assert (found.errors.count, found.errors.n) == (1, 2)


def test_without_later_sessions_nothing_is_claimed():
    found = coverage(template("make tide"), [])
    assert found.calls.value is None
    assert found.tokens > 0


def test_templates_are_compared_with_the_first():
    later = [session({"Bash: make tide": 3, "Bash: make ebb": 1})]
    whole = template("make tide", "make ebb", errors=("no berth", "no wind"))
    rows = compare(
        [whole, template("make tide", errors=("no wind",)), template()], later
    )
    assert [row.calls_kept for row in rows] == [1.0, 0.75, 0.0]
    assert [row.recoveries_kept for row in rows] == [1.0, 0.5, 0.0]
    assert rows[0].tokens > rows[1].tokens > rows[2].tokens


def test_nothing_to_keep_is_not_a_share_of_anything():
    (row,) = compare([template("make tide")], [session({"Read(file_path)": 2})])
    assert row.calls_kept is None
    assert row.recoveries_kept is None
    assert compare([], []) == []


def test_the_curve_names_the_smallest_set_that_keeps_95_percent():
    later = [
        session({"Bash: make tide": 50, "Bash: make ebb": 46, "Bash: make flood": 4})
    ]
    found = curve(template("make tide", "make ebb", "make flood"), later)
    assert [point.calls.count for point in found.points] == [0, 50, 96, 100]
    assert found.smallest == found.points[2]


def test_a_curve_over_sessions_that_did_other_things_has_no_smallest_set():
    assert (
        curve(template("make tide"), [session({"Read(file_path)": 2})]).smallest is None
    )


def test_the_tool_of_a_shape():
    assert [
        tool_of(one)
        for one in ("Bash: go test -v", "Read(file_path)", "mcp__tides__now()")
    ] == [
        "Bash",
        "Read",
        "mcp__tides__now",
    ]
