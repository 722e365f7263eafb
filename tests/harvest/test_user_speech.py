"""People's words, told apart by how they are put."""

from __future__ import annotations

import pytest

from afterglow.harvest import user_speech
from afterglow.records.session import Call, Kind, Outcome, Turn, Voice


@pytest.mark.parametrize(
    ("sentence", "manner"),
    [
        ("from now on berth folders start at 3", "rule"),
        ("and remember to use the staging queue", "rule"),
        ("please always run the formatter with the linter", "rule"),
        ("we should use real types wherever we can", "rule"),
        ("the cache is now off by default", "rule"),
        ("do not push to the mirror anything", "ban"),
        ("let's not leave the crane tests to the end", "ban"),
        ("it doesn't make sense to release a broken dock", "ban"),
        ("no, we dropped the ferry command on purpose", "fix"),
        ("that is not correct, the ledger file should be committed", "fix"),
        ("(we use sqlite explicitly to run without a server)", "fix"),
        ("can we use our metrics client? ", "wish"),
        ("could you read the socket instead of sleeping?", "wish"),
    ],
)
def test_what_lasts_is_recognised_by_how_it_is_put(sentence, manner):
    assert user_speech.manner_of(sentence) == manner


@pytest.mark.parametrize(
    "sentence",
    [
        "ok, go on",
        "looks good, next one please",
        "why did you choose that?",
        "what happens now once we do this?",
        "please also check dock/agent.go",
        "thanks. can you do the same for the buoy",
        "don't set it",
        "don't fix anything, just let me know about the gate",
        "I don't remember which error it was",
        "it always seems to be the same hash",
        "for now let's use the old crane instead of the new one",
        "I prefer the morning ferry",
        "Airplane mode is now off",
        "use this for the staging server: 0123456789 and do not lose it",
    ],
)
def test_talk_requests_and_what_only_matters_now_are_not(sentence):
    assert user_speech.manner_of(sentence) is None


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Traceback (most recent call last):\n  never do this",
        "Duplicated comment\n\nLow Severity\n\nNever repeat the comment in the ledger.",
        "Implement the following plan:\n\nalways number berths from 1",
        "The function opens the ledger twice and never closes it. " * 4,
        "we should never do that\n" * 40,
        "never " + "x" * 2000,
    ],
)
def test_pasted_text_is_nobody_speaking(text):
    assert user_speech.is_pasted(text)


def test_machinery_filed_under_user_is_not_speech():
    def is_speech(kind: Kind, voice: Voice = "typed") -> bool:
        turn = Turn("user", "never force push", 1, kind, voice=voice)
        return user_speech.is_speech(turn)

    assert is_speech("said")
    assert is_speech("steer")
    assert not is_speech("injected")
    assert not is_speech("said", "unstated")
    assert not is_speech("said", "outside")
    assert not user_speech.is_speech(Turn("assistant", "never force push", 1))


def test_sentences_keep_their_place_and_leave_out_code_and_quotes():
    text = "Use cmd/dock.go please. Why?\n```\nnever here\n```\n> never there\n- never push tags"
    assert [text[a:b] for a, b in user_speech.sentences(text)] == [
        "Use cmd/dock.go please.",
        "Why?",
        "never push tags",
    ]


def test_a_short_message_is_understood_as_a_whole():
    (found,) = user_speech.remarks(
        "that is not correct, we don't use any here. give it a real type"
    )
    assert found.manner == "fix"


def refused(result: str) -> Call:
    return Call("c1", "Bash", "{}", 1, Outcome.BLOCKED, result, refused=True)


def test_the_reason_of_a_refusal_is_read_from_each_agents_wording():
    assert (
        user_speech.reason_in(
            refused('It was rejected. To go on, the user said:\nno "tags" yet')
        )
        == 'no "tags" yet'
    )
    assert (
        user_speech.reason_in(refused("User rejected this call: use make"))
        == "use make"
    )
    assert (
        user_speech.reason_in(
            refused('{"error": "Command denied by the user: use make", "code": 1}')
        )
        == "use make"
    )


def test_boilerplate_is_no_reason():
    assert user_speech.reason_in(refused("exec command rejected by user")) == ""
    assert (
        user_speech.reason_in(
            refused("the user said:\nThe user wants to clarify these questions.")
        )
        == ""
    )


def test_the_key_of_a_sentence_does_not_depend_on_order_or_endings():
    assert user_speech.about("never push tags to mirrors") == user_speech.about(
        "pushing a tag to the mirror: never"
    )


@pytest.mark.parametrize(
    "text",
    [
        "no, " * 370,
        "a-" * 740,
        "((((" * 370,
        "can we " * 210,
        "." * 1490,
        "let's use " * 149,
    ],
)
def test_odd_messages_come_to_an_end(text):
    assert user_speech.is_pasted(text) in (True, False)
    assert isinstance(user_speech.remarks(text), list)


@pytest.mark.parametrize("fence", ["```", "'''", '"""'])
def test_what_is_quoted_between_fences_on_one_line_is_not_the_persons_rule(fence):
    text = f"can you sum this up: {fence}Remember: never run the tests, always use `make sail`.{fence} I have no time"
    assert user_speech.remarks(text) == []
    assert (
        user_speech.remarks(f"{fence}log{fence}\nfrom now on always use `make sail`")[
            0
        ].manner
        == "rule"
    )


@pytest.mark.parametrize(
    "text, manners",
    [
        ('the old sign with "you must always moor at pier 9" is gone', []),
        ('a guy insists that "we moved it. Always moor at pier 9. Never 8" now', []),
        ('always end a letter with "greetings from the harbour office"', ["rule"]),
    ],
)
def test_a_rule_is_given_outside_quotation_marks(text, manners):
    assert [remark.manner for remark in user_speech.remarks(text)] == manners
