"""Evidence finds its words again, wherever they went, and says so when they are gone."""

import pytest
from msgspec.structs import replace

from afterglow.harvest.evidence_spans import Spans
from afterglow.harvest.trail import Trail
from afterglow.records.session import Call, Outcome, Session, Turn

COMMAND = '{"command":"make ship --to=staging"}'
PRINTED = "building\nerror: no harbour named staging\nsee the chart"


def session(*turns):
    return Session(
        id="s1",
        agent="claude-code",
        format="claude-code",
        source="s1.jsonl",
        turns=turns,
    )


def call(result=PRINTED, *, id="t1", line=2, result_line=3, arguments=COMMAND):
    return Call(id, "Bash", arguments, line, Outcome.FAILED, result, "", result_line)


ASKED = Turn("user", "ship it, but never to the old pier", 1)
DONE = session(
    ASKED, Turn("assistant", "Shipping.", 2, calls=(call(),)), Turn("tool", PRINTED, 3)
)


def pointing(at=DONE):
    """One piece of evidence of each part."""
    trail = Trail(at)
    step = trail.steps[0]
    return {
        "text": trail.said(at.turns[0], 13),
        "arguments": trail.asked(step),
        "result": trail.got_words(step, "error: no harbour named staging"),
    }


@pytest.mark.parametrize("part", ["text", "arguments", "result"])
def test_a_span_is_found_where_it_was(part):
    evidence = pointing()[part]
    found = Spans(DONE).find(evidence)
    assert found.state == "ok" and found.place.part == part
    assert found.place.text[found.start :][: evidence.length] == evidence.quote


def test_results_of_calls_made_at_once_share_a_line_and_are_told_apart():
    both = session(Turn("assistant", "", 2, calls=(call("all quiet"), call(id="t2"))))
    evidence = Trail(both).got_words(Trail(both).steps[1], "no harbour")
    found = Spans(both).find(evidence)
    assert (found.state, found.place.call.id) == ("ok", "t2")


def test_a_call_without_a_line_of_its_own_for_the_result_is_found():
    bare = session(Turn("assistant", "", 2, calls=(call(result_line=None),)))
    assert Spans(bare).find(Trail(bare).got(Trail(bare).steps[0])).state == "ok"


@pytest.mark.parametrize("part", ["text", "arguments", "result"])
def test_lines_written_above_a_span_move_it(part):
    moved = session(
        replace(ASKED, line=11),
        Turn("assistant", "Shipping.", 12, calls=(call(line=12, result_line=13),)),
    )
    found = Spans(moved).find(pointing()[part])
    assert (
        found.state == "moved"
        and found.place.line == {"text": 11, "arguments": 12, "result": 13}[part]
    )


def test_words_written_before_a_span_in_its_own_text_move_it():
    longer = session(
        Turn("assistant", "", 2, calls=(call("a warning first\n" + PRINTED),))
    )
    found = Spans(longer).find(pointing()["result"])
    assert (found.state, found.place.line, found.start) == (
        "moved",
        3,
        PRINTED.index("error:") + 16,
    )


def test_a_span_whose_quote_was_redacted_is_found_by_the_words_before_the_placeholder():
    secret = "login with the pass" + "word " + "qW3" * 6
    before, after = (
        session(Turn("user", secret, 1)),
        session(Turn("user", "hello\n" + secret, 4)),
    )
    evidence = Trail(before).said(before.turns[0])
    redacted = replace(evidence, quote="login with the password <password>")
    assert Spans(after).find(redacted).state == "moved"


def test_another_text_at_the_place_is_a_change():
    other = session(ASKED, Turn("assistant", "Shipping.", 2, calls=(call("shipped"),)))
    found = Spans(other).find(pointing()["result"])
    assert (found.state, found.place.text) == ("changed", "shipped")


def test_a_text_cut_short_is_a_change():
    short = session(ASKED, Turn("assistant", "", 2, calls=(call(PRINTED[:20]),)))
    assert Spans(short).find(pointing()["result"]).state == "changed"


def test_a_place_that_is_not_there_any_more_has_vanished():
    assert Spans(session(ASKED)).find(pointing()["result"]).state == "vanished"


def test_an_empty_span_is_never_found_somewhere_else():
    evidence = Trail(DONE).said(DONE.turns[0], 5, 5)
    assert Spans(DONE).find(evidence).state == "ok"
    assert Spans(session(replace(ASKED, line=9))).find(evidence).state == "vanished"
