"""Checks that were run again only to see another part of what they print."""

from __future__ import annotations

import pytest

from afterglow.harvest.miners import reruns
from trails import tellings, told, trail_of
from writing import Transcript

HIDDEN = "ok pier\nok quay\nFAIL\nexit status 1"
SHOWN = "--- FAIL: TestTide\nFAIL"


def again(number: int, then: str = "make test 2>&1 | grep -A5 FAIL") -> Transcript:
    """A run behind `tail` that hides what failed, and the same run behind another filter."""
    session = Transcript(number).run("make test 2>&1 | tail -5", HIDDEN)
    return session.run(then, SHOWN)


def mined(session: Transcript) -> list:
    return list(reruns.mine(trail_of(session)))


def test_two_sessions_make_one_line_with_the_word_they_looked_for():
    (telling,) = tellings(reruns, again(1), again(2))
    assert telling.fact == (
        "`make test` piped to `tail` hid which test failed: "
        "save it to a file, search that: `make test > /tmp/out.txt 2>&1; echo $?; grep -n -A20 FAIL /tmp/out.txt`."
    )
    assert len(telling.fact) <= 200
    assert telling.times == 2


def test_one_session_is_not_enough():
    assert told(reruns, again(1)) == []


def test_without_a_common_word_nobody_says_what_to_search_for():
    (fact,) = told(reruns, again(1, "make test"), again(2, "make test | head -50"))
    assert fact.endswith("`make test > /tmp/out.txt 2>&1`.")


def test_of_a_linter_it_is_said_that_what_failed_was_hidden():
    def session(number: int) -> Transcript:
        transcript = Transcript(number).run("make lint | tail -5", HIDDEN)
        return transcript.run("make lint | head -30", SHOWN)

    (fact,) = told(reruns, session(1), session(2))
    assert "`make lint` piped to `tail` hid what failed" in fact


def test_looks_and_other_checks_in_between_change_nothing():
    session = Transcript().run("make test | tail -5", HIDDEN)
    session.run("cat tide.go", "package tide").run("make lint", "0 issues.")
    session.ask("Read", file_path="/home/ana/src/harbor/tide.go").answer("x")
    assert len(mined(session.run("make test | grep FAIL", SHOWN))) == 1


@pytest.mark.parametrize(
    "between", ["make generate", "sed -i s/a/b/ tide.go", "git pull", "make lint:fix"]
)
def test_behind_a_step_that_may_have_changed_something_it_is_another_run(between):
    session = Transcript().run("make test | tail -5", HIDDEN).run(between)
    assert mined(session.run("make test | grep FAIL", SHOWN)) == []


def test_behind_an_edit_it_is_another_run():
    session = Transcript().run("make test | tail -5", HIDDEN)
    path = "/home/ana/src/harbor/tide.go"
    session.ask("Edit", file_path=path, old_string="a", new_string="b").answer("done")
    assert mined(session.run("make test | grep FAIL", SHOWN)) == []


def test_behind_a_persons_words_it_is_another_run():
    session = Transcript().run("make test | tail -5", HIDDEN)
    session.user("I have mended the tide gauge, please look again")
    assert mined(session.run("make test | grep FAIL", SHOWN)) == []


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("make test | tail -50", "make test | tail -10"),  # less of the same
        ("make test | tail -5", "make test | tail -5"),  # a flaky test
        ("make test", "make test | grep FAIL"),  # nothing was hidden
        ("make test | tail -5", "cd pier && make test | grep FAIL"),  # elsewhere
        ("make test | tail -5", "make test TIDE=low | grep FAIL"),  # another run
        ("make test | tail -5", "make generate && make test | grep FAIL"),
        ("cat log | tail -5", "cat log | grep FAIL"),  # no check
        ("make test | tail -5", "for n in 1 2; do make test | grep FAIL; done"),
        ("make test | grep -v tidewater", "make test | grep FAIL"),
        (
            "make test | head -50",
            "make test | grep FAIL",
        ),  # four lines: nothing was cut
    ],
)
def test_what_is_no_second_look_at_the_same_run(first, second):
    assert mined(Transcript().run(first, HIDDEN).run(second, SHOWN)) == []


def test_the_shell_may_stand_elsewhere_by_then():
    session = Transcript().run("make test | tail -5", HIDDEN).run("cd pier")
    assert mined(session.run("make test | grep FAIL", SHOWN)) == []


def test_a_chain_of_filters_tells_by_its_last_one():
    def chain(number: int) -> Transcript:
        return again(number, "make test | grep tidewater").run(
            "make test | grep panic", SHOWN
        )

    (fact,) = told(reruns, chain(1), chain(2))
    assert "grep -n -A20 panic" in fact


def test_two_sessions_with_other_checks_agree_on_nothing():
    other = Transcript(2).run("make lint | tail -5", HIDDEN)
    assert told(reruns, again(1), other.run("make lint | grep FAIL", SHOWN)) == []


def test_more_of_the_same_end_is_asked_for_at_once():
    session = Transcript().run("make test | tail -5", HIDDEN)
    assert len(mined(session.run("make test | tail -50", SHOWN))) == 1
    session = Transcript().run("make test | tail -5", HIDDEN)
    for number in range(4):
        session.run(f"cat tide{number}.go", "package tide")
    assert mined(session.run("make test | tail -50", SHOWN)) == []
