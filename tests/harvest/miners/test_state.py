"""What sessions keep meeting for the state they are in."""

from __future__ import annotations

import pytest

from afterglow.harvest.miners import state
from state_sessions import edit, read
from trails import counted, tellings, told, trail_of, unnoted
from writing import Transcript

FILE = "/home/ana/src/harbor/lamp.go"
MISSED = "String to replace not found in file."


def astray(number: int) -> Transcript:
    lost = "Exit code 1\n(eval):cd:1: no such file or directory: pkg/tide"
    session = Transcript(number).run("cd pkg/tide && go test")
    return session.run("cd pkg/tide && go vet", lost, error=True)


def missed(number: int) -> Transcript:
    session = read(Transcript(number), FILE, "\tif tide {\n\t\treturn high")
    return edit(session, FILE, "if tide {\n\treturn high", fails=MISSED)


def test_two_sessions_make_one_general_line():
    (telling,) = tellings(state, astray(1), astray(2))
    assert telling.fact == f"{telling.situation}: {telling.remedy}."
    assert "the shell may stay there" in telling.fact
    assert telling.agent_wide
    assert counted(state, astray(1), astray(2)) == [(0, 2)]


def test_one_session_is_not_enough():
    assert told(state, astray(1)) == []


def test_each_state_is_a_line_of_its_own():
    sessions = [astray(1), missed(2), astray(3), missed(4)]
    assert len(told(state, *sessions)) == 2


def test_what_holds_for_the_machine_is_of_its_repository():
    def session(number: int) -> Transcript:
        output = "zsh: command not found: tidelint"
        transcript = Transcript(number).run("uv run tidelint .")
        return transcript.run("tidelint src", output, error=True)

    (telling,) = tellings(state, session(1), session(2))
    assert telling.fact == (
        "`tidelint` is not on the PATH here: run `uv run tidelint …`."
    )
    assert not telling.agent_wide


def test_the_way_may_be_found_after_the_failure():
    def session(number: int) -> Transcript:
        transcript = Transcript(number).run(
            "tidelint src", "zsh: command not found: tidelint", error=True
        )
        return transcript.run("mise x -- tidelint src")

    (fact,) = told(state, session(1), session(2))
    assert "run `mise x -- tidelint …`" in fact


@pytest.mark.parametrize(
    ("output", "is_reached"),
    [("tide.go: clean", True), ("mise ERROR no such tool: tidelint", False)],
)
def test_a_way_is_seen_by_what_it_printed_where_nobody_noted_how_calls_ended(
    output, is_reached
):
    session = Transcript().run("tidelint src", "zsh: command not found: tidelint")
    session.run("mise x -- tidelint src", output)
    (finding,) = state.mine(unnoted(trail_of(session)))
    assert (finding.slots["remedy"] == "run `mise x -- tidelint …`") == is_reached


def test_what_a_file_printed_does_not_make_the_line_less_trusted():
    page = "orders of the harbour master\n" * 40
    failure = f"{page}cat: pkg/moon/a.go: No such file or directory"
    session = Transcript().run("cd pkg/tide && go test")
    session.run("cat log pkg/moon/a.go", failure, error=True)
    (finding,) = state.mine(trail_of(session))
    assert [span.trust for span in finding.evidence] == ["assistant"]


def test_the_message_of_a_local_program_is_shown():
    (finding,) = state.mine(trail_of(astray(1)))
    assert [span.trust for span in finding.evidence] == ["assistant", "tool"]


def test_what_is_about_one_session_is_not_told():
    def session(number: int) -> Transcript:
        transcript = Transcript(number).run("rm tide.txt")
        failure = "cat: tide.txt: No such file"
        return transcript.run("cat tide.txt", failure, error=True)

    assert told(state, session(1), session(2)) == []


def test_a_program_that_no_session_reached_is_told_as_missing():
    def session(number: int) -> Transcript:
        output = "zsh: command not found: tidelint"
        return Transcript(number).run("tidelint src", output, error=True)

    assert told(state, session(1), session(2)) == []
    assert told(state, session(1), session(2), session(3)) == [
        "`tidelint` is not on the PATH here: take another way."
    ]


def test_how_one_session_reached_it_waits_for_a_second():
    def session(number: int, way: str = "") -> Transcript:
        output = "zsh: command not found: tidelint"
        transcript = Transcript(number).run("tidelint src", output, error=True)
        return transcript.run(way) if way else transcript

    reached = "mise x -- tidelint src"
    assert told(state, session(1), session(2, reached)) == []
    (fact,) = told(state, session(1), session(2, reached), session(3, reached))
    assert "run `mise x -- tidelint …`" in fact


def test_a_program_that_answered_before_is_not_missing():
    output = "zsh: command not found: tidelint"

    def session(number: int) -> Transcript:
        transcript = Transcript(number).run("tidelint src")
        return transcript.run("tidelint src", output, error=True)

    assert told(state, session(1), session(2)) == []


def test_one_way_out_takes_nothing_from_what_others_met():
    def missing(number: int) -> Transcript:
        output = "zsh: command not found: tidelint"
        return Transcript(number).run("tidelint src", output, error=True)

    found = missing(4).run("mise x -- tidelint src")
    others = [missing(number) for number in (1, 2, 3)]
    for sessions in (others, [*others, found]):
        (fact,) = told(state, *sessions)
        assert fact == "`tidelint` is not on the PATH here: take another way."
    assert told(state, *others[:2], found) == []
