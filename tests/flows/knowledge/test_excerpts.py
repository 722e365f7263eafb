"""What is shown around a span: its own lines, a little context, nothing secret."""

import pytest

from afterglow.flows.knowledge.excerpts import REDACTION_MARGIN, Excerpts
from afterglow.harvest.evidence_spans import Spans
from afterglow.harvest.trail import Trail
from afterglow.records.session import Call, Outcome, Session, Turn

SECRET = "correct" + "-horse"
RESULT = f"one\ntwo\nthree\nusing {SECRET} at the pier\nerror: no harbour named staging\nfour\nfive\nsix"


def redact(text):
    return text.replace(SECRET, "<password>").replace("/home/ana", "~")


def session(result=RESULT, text="", outcome=Outcome.FAILED):
    call = Call(
        "t1",
        "Bash",
        '{"command":"ship --as ' + SECRET + '"}',
        2,
        outcome,
        result,
        result,
        3,
    )
    return Session(
        id="s",
        agent="a",
        format="f",
        source="p",
        turns=(Turn("user", text, 1), Turn("assistant", "", 2, calls=(call,))),
    )


def excerpt(of, evidence):
    return Excerpts(redact).around(evidence, Spans(of).find(evidence))


def cut(words, **options):
    of = session(**options)
    return excerpt(of, Trail(of).got_words(Trail(of).steps[0], words))


def test_a_span_comes_with_the_two_lines_around_it():
    found = cut("no harbour")
    assert found.before == "three\nusing <password> at the pier\nerror: "
    assert (found.span, found.after) == ("no harbour", " named staging\nfour\nfive")


def test_the_call_of_a_result_is_named_and_redacted():
    found = cut("no harbour")
    assert (found.tool, found.outcome, found.request) == (
        "Bash",
        "failed",
        "ship --as <password>",
    )


def test_the_arguments_come_with_what_the_call_said():
    of = session()
    found = excerpt(of, Trail(of).asked(Trail(of).steps[0]))
    assert found.span == '{"command":"ship --as <password>"}'
    assert found.result == "error: no harbour named staging"


@pytest.mark.parametrize(
    ("words", "span"),
    [
        (f"using {SECRET} at", "using <password> at"),
        (SECRET, "<password>"),
        (SECRET[:4], "<password>"),
        (f"{SECRET[3:]} at the", "<password> at the"),
        ("at the pier", "at the pier"),
        ("three\nusing", "three\nusing"),
    ],
)
def test_the_span_is_found_again_behind_a_placeholder(words, span):
    found = cut(words)
    assert found.span == span
    assert SECRET[:4] not in found.before + found.span + found.after


def test_angle_brackets_of_the_text_itself_are_no_trouble():
    found = cut("needle", result=f"<a> {SECRET} <b> needle <c> {SECRET} <d>")
    assert (found.before, found.span, found.after) == (
        "<a> <password> <b> ",
        "needle",
        " <c> <password> <d>",
    )


def test_a_home_that_became_a_tilde_is_no_trouble():
    found = cut("ana/pier", result="~ cd /home/ana && ls /home/ana/pier")
    assert (found.before, found.span, found.after) == ("~ cd ~ && ls ", "~/pier", "")


def test_what_was_said_has_no_call():
    of = session(text="never ship on a Friday")
    found = excerpt(of, Trail(of).said(of.turns[0], 0, 10))
    assert (found.span, found.after, found.tool) == ("never ship", " on a Friday", "")


def test_a_huge_result_is_cut_and_says_so():
    found = cut("x" * 100_000, result="y" * 100_000 + "x" * 100_000 + "z" * 100_000)
    assert len(found.before) < 300 and found.before.startswith("…")
    assert len(found.span) < 2000 and found.span.endswith("…")


def test_no_more_than_a_window_is_redacted():
    seen = []
    of = session(result="y" * 10**6 + "needle" + "z" * 10**6)
    evidence = Trail(of).got_words(Trail(of).steps[0], "needle")
    Excerpts(lambda text: seen.append(len(text)) or text).around(
        evidence, Spans(of).find(evidence)
    )
    assert max(seen) <= 2 * REDACTION_MARGIN + len("needle")


def test_a_vanished_span_has_no_excerpt():
    of = session()
    evidence = Trail(of).got(Trail(of).steps[0])
    empty = Session(id="s", agent="a", format="f", source="p")
    assert Excerpts(redact).around(evidence, Spans(empty).find(evidence)) is None


def test_a_secret_in_the_name_of_a_tool_is_not_shown():
    call = Call(
        "t1", f"mcp__{SECRET}__put", "{}", 2, Outcome.FAILED, "no berth", "no berth", 3
    )
    of = Session(
        id="s",
        agent="a",
        format="f",
        source="p",
        turns=(Turn("assistant", "", 2, calls=(call,)),),
    )
    assert (
        excerpt(of, Trail(of).got_words(Trail(of).steps[0], "no berth")).tool
        == "mcp__<password>__put"
    )
