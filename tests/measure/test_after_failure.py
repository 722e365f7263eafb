"""What followed a hint: the same call again, the remedy, the solution, or nothing of it."""

from __future__ import annotations

import pytest

from afterglow.harvest.events.keys import keyed
from afterglow.harvest.events.session_events import events_of
from afterglow.harvest.problem_key import problem_key
from afterglow.measure.after_failure import what_followed
from afterglow.measure.proofs import Proof
from afterglow.records.delivery import Delivery, Followed, Given
from trails import trail_of
from writing import Transcript

ERROR = "Exit code 1\nerror: unknown flag: --stat"
LESSON = Given(
    "k01", 0.8, situation="`gh pr diff <n> --stat` fails with 'unknown flag: --stat'",
    remedy="`gh pr diff <n> --name-only` works", fingerprints=("error: unknown flag: --stat",),
)  # fmt: skip
HINT = Delivery(id="ag-00000000f1", time=0.0, when="failure", items=(LESSON,))


def failing() -> Transcript:
    return Transcript().user("go").run("gh pr diff 7 --stat", ERROR, error=True)


def followed(
    transcript: Transcript, delivery: Delivery = HINT, turn: int | None = None
) -> Followed | None:
    """What came behind the hint; it was told with the last call that failed so far."""
    trail = trail_of(transcript)
    events = [keyed(event) for event in events_of(trail).events]
    failed = next((step.turn for step in trail.steps if step.failed), 0)
    place = failed if turn is None else turn
    return what_followed(trail, events, delivery, Proof(place, frozenset({"k01"})))


def test_the_remedy_that_solves_it_at_once():
    after = followed(failing().run("gh pr diff 7 --name-only", "dock/agent.go"))
    assert after is not None
    assert (after.used, after.solved, after.calls) == (True, True, 1)
    assert after.repeated is False
    assert "unknown flag" in after.problem


def test_the_same_call_once_more_is_counted_and_the_remedy_that_comes_later_too():
    story = failing().run("gh pr diff 7 --stat", ERROR, error=True)
    after = followed(story.run("gh pr diff 7 --name-only", "dock/agent.go"))
    assert after is not None
    assert (after.repeated, after.used, after.solved, after.calls) == (
        True,
        True,
        True,
        2,
    )


def test_a_remedy_that_could_be_seen_and_does_not_show_was_ignored():
    after = followed(failing().run("gh pr diff 7", "diff --git a/dock b/dock"))
    assert after is not None
    assert (after.used, after.solved, after.calls) == (False, True, 1)


def test_what_is_given_up_is_not_solved():
    after = followed(failing().reply("I leave it at that."))
    assert after is not None
    assert (after.used, after.solved, after.calls) == (False, False, 0)


def test_a_remedy_in_plain_words_cannot_be_seen():
    plain = Given("k01", 0.8, situation=LESSON.situation, remedy="ask for less")
    hint = Delivery(id=HINT.id, time=0.0, when="failure", items=(plain,))
    after = followed(failing().run("gh pr diff 7", "diff"), hint)
    assert after is not None
    assert after.used is None


def test_what_the_failed_call_had_already_is_no_sign_of_the_way_out():
    same = Given("k01", 0.8, remedy="pass the number: `gh pr diff 7`")
    hint = Delivery(id=HINT.id, time=0.0, when="failure", items=(same,))
    after = followed(failing().run("gh pr diff 7 --stat", ERROR, error=True), hint)
    assert after is not None
    assert after.used is None


def test_a_call_of_the_tool_that_the_remedy_names_is_a_use_of_it():
    refused = "<tool_use_error>File has not been read yet.</tool_use_error>"
    edit = {"file_path": "/w/a.py", "old_string": "a", "new_string": "b"}
    story = Transcript().user("go").ask("Edit", **edit).answer(refused, error=True)
    story.ask("Read", file_path="/w/a.py").answer("a")
    story.ask("Edit", **edit).answer("ok")
    lesson = Given("k01", 0.8, situation="Edit fails", remedy="`Read` the file first")
    hint = Delivery(id=HINT.id, time=0.0, when="failure", items=(lesson,))
    after = followed(story, hint)
    assert after is not None
    assert (after.used, after.solved, after.calls) == (True, True, 2)


def test_a_hint_without_an_item_told_what_the_state_says():
    story = Transcript().run("rg --files src", "src/config/settings.rs\nsrc/main.rs")
    story.run("cat src/settings.rs", "cat: src/settings.rs: No such file", error=True)
    story.run("cat src/config/settings.rs", "[tide]")
    after = followed(story, Delivery(id=HINT.id, time=0.0, when="failure"))
    assert after is not None
    assert "`src/config/settings.rs`" in after.explanation
    assert (after.used, after.solved, after.calls) == (True, True, 1)


def test_the_call_that_the_hook_named_is_the_one_that_failed():
    story = failing()
    first = story.asked
    story.run("make dock", "Exit code 2\nno rule to make target dock", error=True)
    last = len(trail_of(story).session.turns) - 1
    by_name = Delivery(
        id=HINT.id, time=0.0, when="failure", call=first, items=HINT.items
    )
    after, nearest = followed(story, by_name, last), followed(story, HINT, last)
    assert after is not None
    assert nearest is not None
    assert "unknown flag" in after.problem
    assert "no rule to make target" in nearest.problem


def test_where_nothing_failed_before_the_hint_nothing_can_be_said():
    assert followed(Transcript().user("go").run("make", "done")) is None


@pytest.mark.parametrize("when", ["start", "compaction", "subagent"])
def test_after_a_context_the_first_known_error_that_came_all_the_same_is_looked_at(
    when,
):
    context = Delivery(id=HINT.id, time=0.0, when=when, items=(LESSON,))
    story = Transcript().user("context").user("go").run("make", "no", error=True)
    story.run("gh pr diff 7 --stat", ERROR, error=True)
    story.run("gh pr diff 7 --name-only", "dock/agent.go")
    after = followed(story, context, 0)
    assert after is not None
    assert (after.used, after.calls) == (True, 1)
    assert "unknown flag" in after.problem
    assert followed(Transcript().user("context").run("make"), context, 0) is None


def test_the_most_telling_key_names_the_problem():
    assert problem_key(["mute gh", "code E404", "line no pier"]) == "line no pier"
    assert problem_key(["line no pier", "state moved file"]) == "state moved file"
    assert problem_key([]) == ""
