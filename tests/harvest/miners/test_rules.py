"""Rules people state, and how a newer one replaces an older."""

from __future__ import annotations

import pytest

from afterglow.harvest.miners import rules
from afterglow.harvest.trail import Trail
from afterglow.sessions import load
from writing import Transcript


def told(tmp_path, *transcripts):
    topics: dict[str, list] = {}
    for one in transcripts:
        for session in load(one.save(tmp_path)):
            for found in rules.mine(Trail(session, "harbor")):
                topics.setdefault(found.topic, []).append(found)
    return [rules.tell(group) for group in topics.values()]


def test_a_stated_rule_is_kept_without_its_lead(tmp_path):
    (item,) = told(
        tmp_path,
        Transcript().user("remember: the ledger is rebuilt before each release"),
    )
    assert item.fact == 'The user\'s rule: "the ledger is rebuilt before each release".'
    assert item.directness == 0.9 and item.key == ""


def test_a_reversed_rule_has_the_same_key_and_another_value(tmp_path):
    before = Transcript(1).user(
        "from now on berth folders are numbered from 1, please keep to that"
    )
    after = Transcript(2).user(
        "we changed it: berth folders are numbered from 0 now, not from 1"
    )
    old, new = told(tmp_path, before, after)
    assert old.key == new.key == "berth folders numbered"
    assert (old.value, new.value) == ("1", "0")


@pytest.mark.parametrize(
    ("words", "setting"),
    [
        ("remember: tracing is on by default in ferry", ("tracing ferry", "on")),
        (
            "tracing is now off by default in ferry, we turned that around",
            ("tracing ferry", "off"),
        ),
        ("always exit with os.Exit(1)", ("", "")),
        ("we are based on feedback changing words everywhere", ("", "")),
    ],
)
def test_only_a_clear_value_makes_a_setting(words, setting):
    assert rules.setting(words) == setting


def test_what_is_to_stand_in_an_instruction_file_is_read_from_there(tmp_path):
    words = (
        "can you update CLAUDE.md that we should always run the tides before a release"
    )
    assert told(tmp_path, Transcript(1).user(words)) == [
        "asked to be put into an instruction file"
    ]


def test_a_rule_that_says_too_little_alone_is_not_kept(tmp_path):
    (refusal,) = told(tmp_path, Transcript(1).user("and remember to use pagination"))
    assert refusal == "nobody else would know what it is about"


@pytest.mark.parametrize(
    "words",
    [
        "keep our working notes in the harbour log",  # may be of this work
        "1. sort the berths\n2. if a tide is missing, always exit with a code",
    ],
)
def test_what_may_be_of_the_work_at_hand_waits(tmp_path, words):
    (item,) = told(tmp_path, Transcript(1).user(words))
    assert item.directness == rules.DIRECT_SAID


def test_a_rule_that_answers_a_sentence_is_quoted_with_it(tmp_path):
    words = "check that the pier is the right one. if not, always go back to the quay"
    (item,) = told(tmp_path, Transcript(1).user(words))
    assert item.remedy == words
    assert item.directness == rules.DIRECT_RULE


def test_questions_and_requests_state_no_rule(tmp_path):
    talk = (
        Transcript()
        .user("why is the ledger always empty?")
        .user("please also check dock/agent.go")
        .user("ok")
    )
    assert told(tmp_path, talk) == []
