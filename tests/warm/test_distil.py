"""One template from many sessions: what recurs and works, with support counts."""

from __future__ import annotations

import json
from collections import Counter

import pytest

from afterglow.calls import shape_of
from afterglow.errors import UsageError
from afterglow.records.template import (
    ContextMarkers,
    RecoveryPattern,
    SessionSeed,
    ToolCallExample,
    UserPatterns,
)
from afterglow.records.tools import TaskType
from afterglow.warm.distil import SourceSession, distil, example_shapes, refresh


def ran(command: str, result: str = "ok", **more) -> ToolCallExample:
    return ToolCallExample("Bash", json.dumps({"command": command}), result, **more)


def good(
    session: str,
    *examples: ToolCallExample,
    outcome: str = "success",
    times: int = 1,
    **seed,
) -> SourceSession:
    shapes = Counter(
        {shape_of(one.tool_name, one.arguments): times for one in examples}
    )
    return SourceSession(
        session=session,
        outcome=outcome,
        agent="claude-code",
        seed=SessionSeed(tool_examples=examples, **seed),
        shapes=shapes,
    )


def distilled(*sessions: SourceSession, **options):
    return distil(
        sessions,
        name="Harbor work",
        task_type=TaskType.CODE,
        repo="otterquay/harbor",
        **options,
    )


def commands(template) -> list[str]:
    return [json.loads(one.arguments)["command"] for one in template.seed.tool_examples]


def test_what_most_sessions_do_comes_first_and_carries_its_support():
    template = distilled(
        good("a", ran("make tide"), ran("git status")),
        good("b", ran("make tide"), ran("git status")),
        good("c", ran("make tide")),
    )
    assert commands(template) == ["make tide", "git status"]
    assert [one.support for one in template.seed.tool_examples] == [3, 2]


def test_what_only_one_of_several_sessions_did_is_left_out():
    template = distilled(
        good("a", ran("make tide"), ran("cargo bench")), good("b", ran("make tide"))
    )
    assert commands(template) == ["make tide"]


def test_a_single_session_is_enough_for_a_template_of_it():
    assert commands(distilled(good("a", ran("make tide")))) == ["make tide"]


def test_failed_sessions_teach_nothing_and_are_counted():
    template = distilled(
        good("a", ran("make tide")),
        good("b", ran("make tide")),
        *(good(f"f{n}", ran("rm -rf nets"), outcome="failure") for n in range(5)),
    )
    assert commands(template) == ["make tide"]
    assert template.source_sessions == ("a", "b")
    assert template.notes["left out as failed"] == "5"


def test_sessions_of_unknown_outcome_count_half():
    template = distilled(
        *(good(f"u{n}", ran("make ebb"), outcome="unknown") for n in range(3)),
        *(good(f"s{n}", ran("make flood")) for n in range(2)),
    )
    assert commands(template) == ["make flood", "make ebb"]
    assert [one.support for one in template.seed.tool_examples] == [2, 3]


def test_nothing_can_be_distilled_where_no_session_ended_well():
    with pytest.raises(UsageError, match="none of 1 sessions ended well"):
        distilled(good("a", ran("make tide"), outcome="failure"))


def test_the_example_is_the_call_most_sessions_made_in_these_words():
    template = distilled(
        good("a", ran("go test ./locks")),
        good("b", ran("go test ./...")),
        good("c", ran("go test ./...")),
    )
    assert commands(template) == ["go test ./..."]
    assert template.seed.tool_examples[0].support == 3


def test_of_calls_that_differ_in_a_value_the_newest_is_the_example():
    template = distilled(
        good("a", ran("lampctl show pier --panel left")),
        good("b", ran("lampctl show pier --panel north")),
    )
    assert commands(template) == ["lampctl show pier --panel north"]


def test_the_shortest_call_is_not_taken_where_its_result_says_nothing():
    dull = ran("grep -n tide quay.py", "")
    telling = [
        ran(f"grep -n {word} quay.py", f"12: {word} = 3 metres")
        for word in ("ebbs", "keel", "mast", "rope")
    ]
    template = distilled(*(good(str(n), one) for n, one in enumerate([dull, *telling])))
    assert "metres" in template.seed.tool_examples[0].result


def test_a_failed_call_is_no_example():
    template = distilled(
        good("a", ran("make tide", success=False)),
        good("b", ran("make tide", success=False)),
    )
    assert template.seed.tool_examples == ()


def test_at_most_so_many_examples():
    many = [ran(f"make {word}") for word in ("tide", "ebb", "flood", "quay")]
    assert (
        len(
            distilled(
                good("a", *many), good("b", *many), max_examples=3
            ).seed.tool_examples
        )
        == 3
    )


def test_a_recovery_carries_the_remedy_most_sessions_found():
    error = "error: lock gate 12 is closed"
    template = distilled(
        *(
            good(f"s{n}", recovery_patterns=(RecoveryPattern(error, "make open-gate"),))
            for n in range(2)
        ),
        good(
            "c",
            recovery_patterns=(
                RecoveryPattern("error: lock gate 7 is closed", "wait for the tide"),
            ),
        ),
    )
    (pattern,) = template.seed.recovery_patterns
    assert (pattern.worked, pattern.support) == ("make open-gate", 3)


def test_a_recovery_of_one_of_several_sessions_is_left_out_unless_it_was_met_elsewhere():
    once, often = (
        RecoveryPattern("error: no berth", "make berth"),
        RecoveryPattern("no wind", "row", support=5),
    )
    template = distilled(good("a", recovery_patterns=(once, often)), good("b"))
    assert template.seed.recovery_patterns == (often,)
    assert distilled(good("a", recovery_patterns=(once,))).seed.recovery_patterns == (
        once,
    )


def test_conventions_need_two_sessions_that_state_them():
    said = UserPatterns(
        "direct",
        "terse",
        "en",
        conventions=("Always run the linter before you commit.",),
    )
    other = UserPatterns(
        "direct",
        "detailed",
        "en",
        conventions=("always run the linter before you commit", "Use tabs"),
    )
    patterns = distilled(
        good("a", user_patterns=said), good("b", user_patterns=other)
    ).seed.user_patterns
    assert patterns.conventions == ("Always run the linter before you commit.",)
    assert (patterns.request_style, patterns.language) == ("direct", "en")


def test_markers_and_context_are_what_sessions_share():
    first = {
        "context_markers": ContextMarkers(files=("quay.py", "a.py")),
        "system_context": "Work in small steps.\nA",
    }
    second = {
        "context_markers": ContextMarkers(files=("b.py", "quay.py")),
        "system_context": "B\nWork in small steps.",
    }
    seed = distilled(good("a", **first), good("b", **second)).seed
    assert seed.context_markers.files == ("quay.py",)
    assert seed.system_context == "Work in small steps."


def test_a_line_of_context_that_few_of_many_sessions_share_is_left_out():
    few = [good(f"f{n}", system_context="Paint the boats.") for n in range(2)]
    template = distilled(*few, *(good(f"s{n}", ran("make tide")) for n in range(10)))
    assert template.seed.system_context == ""


def test_a_template_of_the_same_shapes_is_no_new_version():
    old = distilled(*(good(f"s{n}", ran("make tide")) for n in range(2)))
    new = distilled(*(good(f"s{n}", ran("make tide")) for n in range(9)))
    assert refresh(old, new) is None


def test_a_better_template_becomes_the_next_version_and_keeps_who_it_is():
    old = distilled(
        *(good(f"s{n}", ran("make tide")) for n in range(2)),
        id="warm_20300101_000000",
        now=1.0,
    )
    later = [good(f"s{n}", ran("make tide"), ran("make ebb")) for n in range(3)]
    new = refresh(old, distilled(*later, now=2.0), later)
    assert new is not None
    assert (new.id, new.version, new.created, new.updated) == (
        "warm_20300101_000000",
        2,
        1.0,
        2.0,
    )
    assert len(example_shapes(new)) == 2


def test_what_covers_less_of_the_sessions_it_is_judged_by_is_no_new_version():
    both = [good(f"s{n}", ran("make tide"), ran("make ebb")) for n in range(2)]
    old = distilled(*both)
    new = distilled(*(good(f"t{n}", ran("make tide")) for n in range(9)))
    assert refresh(old, new, both) is None
