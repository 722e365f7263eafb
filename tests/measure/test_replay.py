"""The parts of a replay: what counts as an error, what was in view of it, when a remedy harms, what it adds up to."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from afterglow.harvest.replaced_items import superseded
from afterglow.measure.replay.calibration import calibration
from afterglow.measure.replay.in_view import judged, meetings, sight
from afterglow.measure.replay.page import page
from afterglow.measure.replay.report import report
from afterglow.measure.replay.sentences import answer, placebo, trend
from afterglow.measure.replay.session_failures import Living
from afterglow.records.context import Context, ContextLine, LeftOut
from afterglow.records.knowledge import Evidence, Finding
from afterglow.records.replay import (
    Failure,
    Lived,
    Meeting,
    Placebo,
    ReplayContext,
    Replayed,
)
from afterglow.records.session import Call, Outcome, Session, Turn
from keeping import DAY, NOW, item

MARK = "unknown flag: --keel"
FAILED = Failure("Bash", "dock ship", MARK, did=("dock ship --keel",))
LESSON = item(
    1,
    fingerprints=(MARK,),
    remedy="use `dock ship --hull`",
    situation="`dock ship --keel` fails",
)


def context(*shown, left=()) -> Context:
    given = tuple(ContextLine(one.id, one.fact, 20, 1.0, {}) for one in shown)
    return Context(
        id="ag-0",
        text="",
        tokens=20 * len(given),
        budget=2000,
        shown=given,
        left_out=tuple(left),
    )


def lived(*turns: Turn) -> Lived:
    living = Living()
    living.add(Session(id="s", agent="a", format="f", source="x", turns=turns))
    return living.lived()


def call(
    command: str,
    error: str = "",
    outcome: Outcome = Outcome.FAILED,
    tool: str = "Bash",
    **more,
) -> Call:
    return Call(
        "c", tool, f'{{"command": "{command}"}}', 1, outcome, error=error, **more
    )


def turn(*calls: Call) -> Turn:
    return Turn("assistant", "", 1, calls=calls)


# What a session went through


def test_calls_that_fail_alike_in_one_turn_are_one_error():
    same = call("dock ship", MARK)
    assert len(lived(turn(same, same)).failures) == 1
    assert len(lived(turn(same), turn(same)).failures) == 2


def test_a_failure_that_a_pipe_hid_counts():
    assert lived(turn(call("dock ship | tail", MARK, Outcome.OK, masked=True))).failures


def test_blocked_cancelled_and_mute_calls_are_apart():
    found = lived(
        turn(
            call("a", "no", Outcome.BLOCKED),
            call("b", "stop", Outcome.CANCELLED),
            call("c", "exit 1"),
        ),
        turn(call("d", "", Outcome.OK)),
    )
    assert (
        found.failures,
        found.blocked,
        found.cancelled,
        found.mute,
        found.calls,
    ) == ((), 1, 1, 1, 4)


def test_the_task_is_the_first_thing_a_person_said():
    said = Turn("user", "caulk the hull", 2)
    assert (
        lived(
            Turn("user", "<skill>", 1, kind="injected"), said, Turn("user", "thanks", 3)
        ).task
        == "caulk the hull"
    )


def test_an_error_knows_what_was_done_since_it_came_last():
    first, between = call("dock ship --keel", MARK), call("dock fit", "", Outcome.OK)
    found = lived(
        turn(call("ls", "", Outcome.OK)), turn(first), turn(between), turn(first)
    )
    assert [one.did for one in found.failures] == [
        ("dock ship --keel",),
        ("dock ship --keel", "dock fit"),
    ]


@pytest.mark.parametrize(
    ("error", "work"),
    [
        ("--- FAIL: TestKeel (0.1s)", True),
        (MARK, False),
        ("keel.go:3:1: unchecked (errcheck)", False),
    ],
)
def test_tests_that_fail_while_code_is_written_are_told_apart(error, work):
    assert lived(turn(call("make test", error))).failures[0].work is work


# What was in view


def test_a_shown_item_with_a_remedy_is_in_view():
    assert sight(FAILED, False, [LESSON], context(LESSON)).kind == "in view"


def test_a_shown_item_without_a_remedy_is_told_apart():
    bare = replace(LESSON, remedy="")
    assert sight(FAILED, False, [bare], context(bare)).kind == "no remedy"


def test_an_error_new_to_the_repository_is_first_even_if_a_lesson_is_there():
    assert sight(FAILED, True, [LESSON], context(LESSON)).kind == "first"


def test_an_error_no_item_tells_of_is_unknown():
    assert sight(FAILED, False, [], context()).kind == "unknown"


def test_of_several_reasons_the_nearest_is_named():
    other = replace(LESSON, id="k2")
    left = (
        LeftOut("k2", "confidence", "0.55"),
        LeftOut(LESSON.id, "budget", "40 tokens"),
    )
    found = sight(FAILED, False, [LESSON, other], context(left=left))
    assert (found.kind, found.why) == ("not shown", "budget")


def test_an_item_of_another_repository_was_out_of_scope():
    assert sight(FAILED, False, [LESSON], context()).why == "scope"


# When a remedy harms


def seen(remedy: str = LESSON.remedy, failure: Failure = FAILED):
    shown = replace(LESSON, remedy=remedy)
    return sight(failure, False, [shown], context(shown))


def test_a_remedy_that_still_holds_does_no_harm():
    assert judged(seen(), {LESSON.id: LESSON}, set()).kind == "in view"


def test_a_remedy_that_a_newer_item_replaced_is_harm():
    new = replace(LESSON, id="k9")
    old = superseded(LESSON, new)
    assert judged(seen(), {old.id: old, "k9": new}, set()).kind == "harm"
    same = replace(old, reason="mined as well: k9")
    assert judged(seen(), {old.id: same, "k9": new}, set()).kind == "in view"


def test_a_remedy_that_later_sessions_contradict_is_harm():
    doubted = replace(LESSON, against=3, status="candidate")
    assert judged(seen(), {LESSON.id: doubted}, set()).kind == "harm"
    holds = replace(doubted, against=1, status="active")  # one against many
    assert judged(seen(), {LESSON.id: holds}, set()).kind == "in view"


def test_a_remedy_this_session_speaks_against_is_harm():
    assert judged(seen(), {LESSON.id: LESSON}, {"topic 1"}).kind == "harm"


def test_a_remedy_that_was_tried_and_did_not_help_is_harm():
    tried = replace(FAILED, did=("cd pier && dock ship  --hull 3",))
    found = judged(seen(failure=tried), {}, set())
    assert found.kind == "harm"
    assert "did not help" in found.detail


@pytest.mark.parametrize(
    "remedy",
    ["take `old_string` to the letter", "begin with `cd <root> &&`", "use `-x`"],
)
def test_words_that_stand_in_any_call_are_no_sign_of_a_remedy(remedy):
    tried = replace(FAILED, did=('{"old_string": "a"} cd pier && x -x',))
    assert judged(seen(remedy, tried), {}, set()).kind == "in view"


def test_a_call_with_what_the_remedy_leaves_out_does_not_try_it():
    remedy = "run `dock ship --hull` without `tug`"
    towed = replace(FAILED, did=("tug dock ship --hull 3",))
    assert judged(seen(remedy, towed), {}, set()).kind == "in view"
    alone = replace(FAILED, did=("dock ship --hull 3", "tug dock ship --hull 3"))
    assert judged(seen(remedy, alone), {}, set()).kind == "harm"


def test_a_linter_that_finds_another_place_says_nothing_against_the_remedy():
    lint = replace(FAILED, fingerprint="lint: errcheck", did=("dock ship --hull",))
    assert judged(seen(failure=lint), {}, set()).kind == "in view"


# What it adds up to


def finding(topic: str = "topic 1", **more) -> Finding:
    span = Evidence("s", "a", 1, "result", 0, 1, "h", "q", "tool")
    return Finding("recoveries", topic, more.pop("slots", {}), (span,), **more)


def test_an_item_held_when_the_session_found_the_same_remedy_by_itself():
    known = {MARK: [LESSON]}
    assert meetings([FAILED], known, [finding()], "harbor") == (
        Meeting(LESSON.id, 0.8, True),
    )
    for other in (
        [],
        [finding("else")],
        [finding(against=True)],
        [finding(slots={"remedy": ""})],
    ):
        assert meetings([FAILED], known, other, "harbor") == (
            Meeting(LESSON.id, 0.8, False),
        )
    assert meetings([FAILED], known, [finding()], "lantern") == ()


def test_calibration_is_counted_from_meetings():
    sessions = [
        [Meeting("k1", 0.9, True), Meeting("k2", 0.6, False)],
        [],
        [Meeting("k1", 0.9, False)],
    ]
    found = calibration(sessions)
    assert (found.n, found.items, found.sessions) == (3, 2, 2)
    assert found.brier == pytest.approx((0.01 + 0.36 + 0.81) / 3)
    assert found.ece == pytest.approx((2 * 0.4 + 0.6) / 3)
    assert [(one.held.count, one.held.n) for one in found.bins] == [(0, 1), (1, 2)]


def walked(number: int, *sights, given=(LESSON,), met=(), start=NOW) -> Replayed:
    costs = ReplayContext(20 * len(given), {one.id: 20 for one in given})
    return Replayed(
        id=f"s{number}", source=f"/s{number}", agent="a", repo="harbor", start=start + number * DAY,
        lived=Lived(calls=5), given={2000: costs}, sights={2000: sights}, met=frozenset(met),
    )  # fmt: skip


def reported(*sessions: Replayed, **options):
    known = {
        LESSON.id: LESSON,
        "k2": replace(LESSON, id="k2", miner="rules", category="pattern"),
    }
    return report(
        sessions,
        known,
        budget=2000,
        placebo=options.pop("placebo", Placebo(reason="none")),
        **options,
    )


VIEW = sight(FAILED, False, [LESSON], context(LESSON))
NEW = sight(FAILED, True, [], context())
LOST = sight(FAILED, False, [], context())


def test_shares_are_of_repeats_and_first_ones_of_all_errors():
    found = reported(walked(1, NEW, given=()), walked(2, VIEW, LOST), walked(3, VIEW))
    assert (found.first.count, found.first.n) == (1, 4)
    assert (
        found.shares["in view"].count,
        found.shares["in view"].n,
        found.shares["in view"].sessions,
    ) == (2, 3, 2)
    assert found.tokens.total == 40
    assert found.empty == 1
    assert sum(share.count for share in found.shares.values()) == 3


def test_items_that_never_meet_their_situation_are_named():
    other = replace(LESSON, id="k2")
    found = reported(
        *(walked(n, VIEW, given=(LESSON, other), met=(LESSON.id,)) for n in range(6))
    )
    assert [one.id for one in found.best] == [LESSON.id]
    assert [one.id for one in found.idle] == ["k2"]
    by_miner = {
        one.name: (one.shown, one.met.count, one.answered, one.idle)
        for one in found.by_miner
    }
    assert by_miner == {"recoveries": (6, 6, 6, 0), "rules": (6, 0, 0, 1)}


def test_the_trend_compares_the_later_half_with_the_earlier():
    found = reported(*(walked(n, LOST if n < 10 else VIEW) for n in range(20)))
    assert found.trend.value == 1.0
    assert "it grows" in trend(found)


def test_misses_name_what_was_not_in_view():
    (miss,) = reported(walked(1, VIEW, LOST), walked(2, LOST)).misses
    assert (miss.kind, miss.times, miss.sessions, miss.fingerprint) == (
        "unknown",
        2,
        2,
        MARK,
    )


def test_a_reader_is_never_told_that_an_error_would_have_been_prevented():
    found = reported(walked(1, VIEW))
    text = " ".join(
        [answer(found), placebo(found), trend(found), *found.notes, page(found)]
    )
    assert "prevent" not in text
    assert "would have had their remedy in view" in answer(found)


def test_the_page_is_one_file_that_loads_nothing():
    evil = replace(FAILED, fingerprint="<script>alert(1)</script>")
    text = page(reported(walked(1, VIEW, replace(LOST, failure=evil)), simulated=True))
    assert "<script" not in text
    assert "http" not in text.replace("http://www.w3.org", "")
    assert "Simulated" in text


def test_no_repeats_is_an_answer():
    assert "nothing" in answer(reported(walked(1, NEW)))
    assert "Replay" in page(reported(walked(1, NEW)))
