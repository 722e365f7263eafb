"""What replay says by moment: told at the start, on failure, not at all; and whether what was said fitted."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from afterglow.measure.replay.moments import ended_how, on_failure
from afterglow.records.context import Hint
from afterglow.records.problems import Event, FollowingCall, TellingLine
from afterglow.records.replay import Failure, Lived, Replayed, ReplayHint, Sight
from keeping import NOW, item

LESSON = item(
    1,
    remedy="leave out `--keel`: `dock ship`",
    situation="`dock ship --keel` fails: unknown flag",
)
EVENT = Event(
    kind="failed",
    session="s",
    agent="codex",
    line=7,
    result_line=8,
    call=1,
    tool="Bash",
    program="dock ship",
    command="dock ship --keel",
    lines=(TellingLine("unknown flag: --keel", strength=3),),
    calls=3,
    remedy=FollowingCall(11, "Bash", "dock ship", worked=True),
)
HINT = Hint("a line", 12, ("problem:a",), LESSON.id)
AGAIN = FollowingCall(11, "Bash", EVENT.command, worked=True, again=True)
EDIT = FollowingCall(9, "Edit", "Edit dock.go", worked=True, changes=True)
STEP = FollowingCall(9, "Bash", "tide --pull", worked=True, changes=True)


def session(*failures: ReplayHint, kind="unknown") -> Replayed:
    sights = tuple(
        Sight(Failure("Bash", "dock", "unknown flag", line=place.line), kind)
        for place in failures
    )
    return Replayed(
        id="s",
        source="x",
        agent="codex",
        repo="harbor",
        start=NOW,
        lived=Lived(),
        sights={600: sights},
        failures=failures,
    )


def moments(*sessions: Replayed):
    report = on_failure(sessions, 600)
    return {moment.name: moment for moment in report.moments}


@pytest.mark.parametrize(
    ("place", "kind", "name"),
    [
        (ReplayHint(7, EVENT, HINT, LESSON, has_lessons=True), "in view", "start"),
        (ReplayHint(7, EVENT, HINT, LESSON, has_lessons=True), "unknown", "failure"),
        (ReplayHint(7, EVENT, has_lessons=True), "unknown", "silent"),
        (ReplayHint(7, EVENT), "not shown", "silent"),
        (ReplayHint(7, EVENT), "unknown", "unknown"),
    ],
)
def test_a_repeat_counts_where_its_remedy_was_told_first(place, kind, name):
    counted = moments(session(place, kind=kind))
    assert {key: moment.repeats.count for key, moment in counted.items()} == {
        key: int(key == name) for key in counted
    }
    assert counted[name].solved == 1
    assert counted[name].calls == 2


@pytest.mark.parametrize(
    ("kind", "name"),
    [("in view", "start"), ("not shown", "silent"), ("unknown", "unknown")],
)
def test_a_repeat_of_which_nobody_saw_what_followed_counts_too(kind, name):
    lone = session(ReplayHint(7, EVENT), kind=kind)
    counted = moments(replace(lone, failures=()))
    assert counted[name].repeats.count == 1
    assert counted[name].solved == 0


def test_errors_that_are_new_count_at_no_moment():
    counted = moments(session(ReplayHint(7, EVENT, HINT, LESSON), kind="first"))
    assert not any(moment.repeats.n for moment in counted.values())


def test_calls_count_only_where_a_solution_was_seen():
    unsolved = replace(EVENT, remedy=None)
    counted = moments(session(ReplayHint(7, unsolved)), session(ReplayHint(7, EVENT)))
    assert (counted["unknown"].solved, counted["unknown"].calls) == (1, 2)
    assert counted["unknown"].repeats.count == 2


def test_calls_made_at_once_that_failed_alike_have_one_hint():
    both = [ReplayHint(line, EVENT, HINT, LESSON, has_lessons=True) for line in (7, 8)]
    report = on_failure([session(*both)], 600)
    assert report.hints == 1
    assert report.at_hand.count == 2


def test_hints_of_the_sessions_state_and_of_one_witness_are_counted():
    explained = ReplayHint(7, EVENT, Hint("the shell stands elsewhere", 9, ("state",)))
    alone = replace(LESSON, status="candidate")
    once = ReplayHint(9, EVENT, replace(HINT, topics=("b",)), alone, has_lessons=True)
    report = on_failure([session(explained, once)], 600)
    assert (report.hints, report.explained, report.once) == (2, 1, 1)
    assert sum(report.ended.values()) == 1


@pytest.mark.parametrize(
    ("change", "how"),
    [
        ({}, "as told"),
        (
            {"remedy": FollowingCall(11, "Bash", "hoist --all", worked=True)},
            "otherwise",
        ),
        ({"remedy": AGAIN, "tried": (EDIT,)}, "by edits"),
        ({"remedy": AGAIN, "tried": (EDIT, STEP)}, "otherwise"),
        ({"remedy": None}, "open"),
    ],
)
def test_how_a_failure_ended_says_whether_the_line_fitted(change, how):
    assert ended_how(replace(EVENT, **change), LESSON) == how
