"""One session counted: outcomes in order, recoveries, manner, the first thirty turns, part by part."""

import msgspec
import pytest

from afterglow import sessions
from afterglow.profile.outcome import outcome
from afterglow.profile.tally import Tally, tally
from afterglow.records import Call, Outcome, Profile, Recovery, Session, TaskType, Turn
from writing import Transcript, ordinary


@pytest.fixture
def read(tmp_path):
    def one(transcript):
        (session,) = sessions.load(transcript.save(tmp_path))
        return session

    return one


def test_outcomes_are_one_letter_a_call_in_order(read):
    profile = tally(read(ordinary()))
    assert (profile.outcomes, profile.failed, profile.decided) == ("foo", 1, 3)
    assert profile.tools == {"Bash": "foo"}


def test_messages_are_what_was_said_and_every_result(read):
    assert tally(read(ordinary())).messages == 8


def test_a_recovery_says_what_failed_and_how_many_calls_it_took(read):
    (found,) = tally(read(ordinary())).recoveries
    assert found == Recovery(
        "Bash",
        "go test",
        "a.go:<n>: undefined: defaultAgent",
        attempts=1,
        calls=2,
        recovered=True,
    )


def test_a_second_failure_of_the_same_goal_is_a_second_attempt(read):
    session = read(
        Transcript()
        .user("go")
        .run("make dock", "Exit code 2\nboom error", error=True)
        .run("make dock -v", "Exit code 2\nboom error", error=True)
        .run("make dock", "ok")
    )
    (found,) = tally(session).recoveries
    assert (found.attempts, found.calls) == (2, 2)


def test_success_at_something_else_is_no_recovery(read):
    profile = tally(
        read(
            Transcript()
            .user("go")
            .run("make dock", "Exit code 2\nboom", error=True)
            .run("git status", "ok")
        )
    )
    assert profile.recoveries == ()
    assert [r.goal for r in profile.pending] == ["make dock"]


def test_success_that_a_pipe_only_pretended_is_no_recovery(read):
    session = read(
        Transcript()
        .user("go")
        .run("go test ./...", "Exit code 1\nbad", error=True)
        .run("go test ./... | tail", "--- FAIL: TestX")
    )
    profile = tally(session)
    assert (profile.masked, profile.recoveries) == (1, ())


def test_errors_are_counted_by_fingerprint(read):
    session = read(
        Transcript()
        .user("go")
        .run("a", "Exit code 1\nerror: line 7", error=True)
        .run("b", "Exit code 1\nerror: line 9", error=True)
    )
    assert tally(session).errors == {"error: line <n>": 2}


def test_a_refusal_with_a_reason_is_heard(read):
    text = "The user doesn't want to proceed with this tool use. To tell you how to proceed, the user said:\nno, use make"
    profile = tally(read(Transcript().user("go").run("go build", text, error=True)))
    assert (profile.outcomes, profile.failed, profile.manner.reasons) == ("b", 0, 1)


def test_corrections_are_told_from_requests(read):
    profile = tally(
        read(
            Transcript()
            .user("no tests yet, write some")
            .reply("ok")
            .user("no, use pytest")
            .user("thanks")
        )
    )
    assert (
        profile.manner.requests,
        profile.manner.corrections,
        profile.manner.polite,
    ) == (3, 1, 1)
    assert profile.manner.feedback_style == "terse"


def test_the_first_thirty_turns_are_counted_apart(read):
    long = Transcript().user("go")
    for _ in range(30):
        long.run("make", "ok")
    long.ask("Read", file_path="/x").answer("text")
    profile = tally(read(long))
    assert (len(profile.early), profile.calls) == (15, 31)
    assert profile.early_families == {"code": 15}


def test_task_type_needs_more_than_sixty_percent(read):
    three_of_five = (
        Transcript()
        .user("go")
        .run("a")
        .run("b")
        .run("c")
        .ask("Read", file_path="x")
        .answer("y")
        .ask("Edit", file_path="x")
        .answer("y")
    )
    assert tally(read(three_of_five)).task_type is TaskType.MIXED
    assert tally(read(three_of_five.run("d"))).task_type is TaskType.CODE


def test_time_to_first_success(read):
    profile = tally(read(ordinary()))
    assert (profile.first_success_call, profile.first_success_seconds) == (2, 240.0)


def test_counting_in_two_parts_is_counting_once(read):
    session = read(ordinary())
    for cut in range(len(session.turns) + 1):
        first = Tally()
        first.add(msgspec.structs.replace(session, turns=session.turns[:cut]))
        kept = msgspec.msgpack.decode(
            msgspec.msgpack.encode(first.profile()), type=Profile
        )
        rest = Tally(kept, session.start)
        rest.add(msgspec.structs.replace(session, turns=session.turns[cut:]))
        assert rest.profile() == tally(session), f"cut before turn {cut}"


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"score": 1.0}, ("success", "score")),
        ({"score": 0.0, "status": "completed"}, ("failure", "score")),
        ({"status": "failed"}, ("failure", "status")),
        ({}, ("success", "ending")),
        ({"ending": "open"}, ("unknown", "none")),
    ],
)
def test_what_was_recorded_wins_over_how_it_ended(read, fields, expected):
    session = msgspec.structs.replace(read(ordinary()), **fields)
    assert outcome(session, tally(session)) == expected


def test_a_session_that_ends_on_a_failure_failed(read):
    session = read(
        Transcript()
        .user("go")
        .run("make", "Exit code 2\nx", error=True)
        .reply("It does not work.")
    )
    assert outcome(session, tally(session)) == ("failure", "ending")


def test_examples_of_a_warm_start_are_nobody_s_calls():
    calls = (
        Call("ag-0123456789-1", "Bash", "{}", 1, Outcome.OK, "fine"),
        Call("t1", "Bash", "{}", 2, Outcome.FAILED),
    )
    turns = (Turn("user", "go", 1), Turn("assistant", "", 2, calls=calls))
    profile = tally(
        Session(id="s", agent="hermes", format="hermes-db", source="x", turns=turns)
    )
    assert profile.outcomes == "f"
