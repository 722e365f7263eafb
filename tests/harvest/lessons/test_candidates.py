"""Signs of a lesson, close to one another, are one spot; what items rest on weighs little."""

from afterglow.harvest.lessons.candidates import spots
from trails import trail_of
from writing import Transcript


def quiet(transcript, times=8):
    for number in range(times):
        transcript.run(f"ls dock{number}", "agent.go")
    return transcript


def test_a_session_without_trouble_has_no_spot():
    assert (
        spots(trail_of(quiet(Transcript().user("list the docks")).reply("All there.")))
        == []
    )


def test_a_failure_and_what_followed_is_a_spot():
    told = quiet(Transcript().user("what changed?"))
    told.run(
        "gh pr diff 41 --stat", "Exit code 1\nunknown flag: --stat", error=True
    ).run("gh pr diff 41 --name-only")
    (spot,) = spots(trail_of(quiet(told)))
    assert spot.why == "a failed call"
    assert spot.marks == ("Bash unknown flag: --stat",)


def test_signs_far_apart_are_two_spots():
    told = (
        Transcript()
        .user("go")
        .run("gh pr diff --stat", "unknown flag: --stat", error=True)
    )
    quiet(told).run("mise run ship", "mise: no task ship found", error=True)
    assert len(spots(trail_of(told))) == 2


def test_a_persons_correction_weighs_more_than_a_failing_test():
    told = (
        Transcript()
        .user("write the tests")
        .run("go test ./...", "--- FAIL: TestDock", error=True)
    )
    quiet(told).user("No, don't mock the store, use the real one from now on")
    failing, corrected = spots(trail_of(told))
    assert corrected.worth > 3 * failing.worth
    assert corrected.why == "a person sets something right"


def test_what_an_item_rests_on_weighs_little():
    told = (
        Transcript()
        .user("go")
        .run("gh pr diff --stat", "unknown flag: --stat", error=True)
    )
    (fresh,) = spots(trail_of(told))
    (stated,) = spots(trail_of(told), lines_of_items={3})
    assert stated.worth < fresh.worth / 2


def test_a_context_of_our_own_is_no_sign():
    told = (
        Transcript()
        .user("go")
        .reply("ok")
        .user("ag-0123456789: no, don't ever use --stat, from now on --name-only")
    )
    assert spots(trail_of(told)) == []


def test_a_session_that_was_left_with_a_failure_weighs_more_than_one_that_went_on():
    left = (
        Transcript()
        .user("ship it")
        .run("mise run ship", "mise: no task ship", error=True)
        .reply("I stop here.")
    )
    went_on = quiet(
        Transcript()
        .user("ship it")
        .run("mise run ship", "mise: no task ship", error=True)
    )
    (ending,), (middle,) = spots(trail_of(left)), spots(trail_of(went_on))
    assert ending.why == "a failed call, it ends with a failure"
    assert ending.worth > middle.worth
