"""Refused calls and corrections become preferences; conversation does not."""

from __future__ import annotations

from afterglow.harvest.confidence import DIRECT
from afterglow.harvest.miners import corrections
from afterglow.harvest.trail import Trail
from afterglow.sessions import load
from writing import Transcript

NO = (
    "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the "
    "new_string was NOT written to the file). "
)
SAID = NO + "To tell you how to proceed, the user said:\n"
SILENT = (
    NO + "STOP what you are doing and wait for the user to tell you how to proceed."
)


def begin(number=1):
    return Transcript(number).user("tidy up the dock please")


def findings(tmp_path, *transcripts):
    sessions = [session for one in transcripts for session in load(one.save(tmp_path))]
    return [
        found
        for session in sessions
        for found in corrections.mine(Trail(session, "harbor"))
    ]


def told(tmp_path, *transcripts):
    topics: dict[str, list] = {}
    for found in findings(tmp_path, *transcripts):
        topics.setdefault(found.topic, []).append(found)
    return [corrections.tell(group) for group in topics.values()]


def test_a_command_refused_in_two_sessions_is_to_be_asked_for(tmp_path):
    first, second = (
        begin(number).run(
            "git add a && git commit -m 'x'",
            SAID + "no, I did not say commit",
            error=True,
        )
        for number in (1, 2)
    )
    (waiting,) = told(tmp_path, first)
    assert waiting.directness < DIRECT
    (item,) = told(tmp_path, first, second)
    assert (
        item.fact
        == 'Ask before `git commit`: the user refused it, saying "no, I did not say commit".'
    )
    assert (
        item.category == "pattern"
        and item.directness == 0.85
        and item.tags == ("preference",)
    )


def test_who_runs_it_and_is_not_stopped_speaks_against_a_refusal(tmp_path):
    refused = begin(1).run("git commit -m x", SAID + "don't commit", error=True)
    ran = begin(2).run("git commit -m y", "1 file changed").user("thanks")
    assert [each.against for each in findings(tmp_path, refused, ran)] == [False, True]
    assert told(tmp_path, ran) == ["nobody minded it"]


def test_the_users_words_are_the_evidence(tmp_path):
    (found,) = findings(
        tmp_path,
        begin().run(
            "git commit -m x", SAID + "don't commit, I do that myself", error=True
        ),
    )
    assert found.first.quote == "don't commit, I do that myself"
    assert found.first.trust == "user" and found.first.part == "result"


def test_the_same_command_refused_in_two_sessions_needs_no_reason(tmp_path):
    once = begin().run("git commit -m x", SILENT, error=True)
    assert told(tmp_path, once) == ["said in one session"]
    (item,) = told(tmp_path, once, begin(2).run("git commit -m y", SILENT, error=True))
    assert item.fact == "Ask before `git commit`: the user refused it."
    assert item.times == 2


def test_what_is_said_right_after_a_silent_refusal_is_its_reason(tmp_path):
    (finding,) = findings(
        tmp_path,
        begin()
        .run("git stash", SILENT, error=True)
        .user("do not stash anything, read the files"),
    )
    assert finding.topic == "refused|git stash"
    assert finding.slots["words"] == "do not stash anything, read the files"


def test_too_slow_is_about_the_command(tmp_path):
    (item,) = told(
        tmp_path,
        *(
            begin(number).run("make e2e 2>&1 | tail", SAID + "too slow.", error=True)
            for number in (1, 2)
        ),
    )
    assert item.fact == '`make e2e` was refused by the user: "too slow".'


def test_a_refused_edit_with_a_reason_said_twice_names_the_file(tmp_path):
    first, second = (
        begin(number)
        .ask(
            "Edit",
            file_path="/home/ana/src/harbor/dock/gate.go",
            old_string="a",
            new_string="b",
        )
        .answer(SAID + "can we use our metrics client? should be a gauge", error=True)
        for number in (1, 2)
    )
    assert told(tmp_path, first) == ["said in one session"]
    (item,) = told(tmp_path, first, second)
    assert (
        item.fact
        == 'User correction on `dock/gate.go`: "can we use our metrics client? should be a gauge".'
    )


def test_a_refused_edit_that_starts_a_discussion_is_nothing(tmp_path):
    edit = begin().ask(
        "Edit", file_path="/home/ana/gate.go", old_string="a", new_string="b"
    )
    assert (
        told(
            tmp_path,
            edit.answer(SAID + "what happens now once we do this?", error=True),
        )
        == []
    )


def test_asking_to_wait_is_of_the_moment(tmp_path):
    first, second = (
        begin(n).run("make dock", SAID + "wait, let's discuss", error=True)
        for n in (1, 2)
    )
    assert told(tmp_path, first, second) == ["asked to wait: of that moment"]


def test_a_free_correction_said_twice_keeps_the_users_words(tmp_path):
    first, second = (
        begin(number)
        .run("go test ./...")
        .user("no, use mise run test:ci, that is what CI does")
        for number in (1, 2)
    )
    assert told(tmp_path, first) == ["said in one session"]
    (item,) = told(tmp_path, first, second)
    assert (
        item.fact
        == 'User correction: "no, use mise run test:ci, that is what CI does".'
    )
    assert item.category == "fact" and item.directness == 0.7


def test_a_complaint_about_a_command_that_ran_is_not_called_a_refusal(tmp_path):
    first, second = (
        begin(number)
        .run("git push --force-with-lease")
        .user("do not push anything to the mirror")
        for number in (1, 2)
    )
    (item, *_) = told(tmp_path, first, second)
    assert (
        item.fact
        == 'Ask before `git push`: the user objected to it, saying "do not push anything to the mirror".'
    )


def test_a_complaint_joins_the_refusals_of_the_same_command(tmp_path):
    ran = (
        begin()
        .run("git commit -am x")
        .user("no, I did not ask you to commit. I do that")
    )
    (item,) = told(
        tmp_path,
        ran,
        begin(2).run("git commit -m y", SAID + "no, don't commit", error=True),
    )
    assert "the user refused or objected to it, saying" in item.fact


def test_what_opens_a_session_is_a_request(tmp_path):
    assert (
        told(
            tmp_path,
            Transcript()
            .user("don't use print in the feed, we have structlog for that")
            .run("ls"),
        )
        == []
    )


def test_a_message_sent_twice_counts_once(tmp_path):
    words = "don't use print, we have structlog for that"
    assert len(findings(tmp_path, begin().run("ls").user(words).user(words))) == 1


def test_small_talk_and_pasted_reviews_are_nothing(tmp_path):
    talk = (
        begin()
        .run("make dock")
        .user("yes")
        .user("and what about the buoy?")
        .user("ok, go on")
    )
    talk.user(
        "Low Severity\n\nThe gate is never closed. Consider closing it instead of leaving it open."
    )
    assert told(tmp_path, talk) == []
