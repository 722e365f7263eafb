"""A rejected lesson is known again in other words, and another lesson is not taken for it."""

from __future__ import annotations

import pytest

from afterglow.harvest.rejections import marks_of, rejected_before
from afterglow.records.knowledge import KnowledgeItem


def lesson(situation: str, remedy: str, **more) -> KnowledgeItem:
    fields = {"id": "k2", "category": "tool-quirk", "repo": "quay/harbor", **more}
    return KnowledgeItem(
        fact=f"{situation}: {remedy}", situation=situation, remedy=remedy, **fields
    )


def rejected(situation: str, remedy: str, **more) -> KnowledgeItem:
    decision = {"status": "retired", "decided": True, "reason": "rejected: wrong"}
    return lesson(situation, remedy, **{"id": "k1"} | decision | more)


BEFORE = rejected(
    "`gull feed` fails with 'no such pier'",
    "`gull dock --pier north` works",
    fingerprints=("no such pier",),
)


@pytest.mark.parametrize(
    "again",
    [
        lesson("feeding fails: 'no such pier'", "run `gull dock --pier north` first"),
        lesson("`gull feed` says no such pier", "`gull dock -q --pier north`"),
        lesson(
            "the birds stay hungry",
            "use `env A=1 gull dock --pier north`",
            fingerprints=("no such pier",),
        ),
        lesson("`gull feed` fails: no such pier", "gull dock works with --pier north"),
        lesson("", "always `gull dock --pier north`"),
    ],
)
def test_the_same_remedy_for_the_same_problem_is_known_again(again):
    assert rejected_before(again, [BEFORE]) is BEFORE


@pytest.mark.parametrize(
    "other",
    [
        lesson("`gull feed` fails with 'no such pier'", "`gull list` shows the piers"),
        lesson("`otter count` hangs on an empty tide table", "`gull dock --pier north`"),
        lesson("`gull feed` fails with 'no such pier'", "never `gull dock --pier north`"),
        lesson("no such pier", "`gull dock --pier north`", repo="tide/lock"),
        lesson("no such pier", "`gull dock --pier north`", decided=True),
        lesson("no such pier", "`gull dock --pier north`", edited=True),
    ],
)  # fmt: skip
def test_another_remedy_problem_or_place_and_a_persons_word_are_something_else(other):
    assert rejected_before(other, [BEFORE]) is None


def test_a_flag_more_makes_no_other_remedy_of_a_bare_program():
    before = rejected("`gull feed` fails: asleep", "first `gullwake`")
    again = lesson("`gull count` fails: host asleep", "first `gullwake --now`")
    other = lesson("`gull count` fails: host asleep", "first `gullwake tern`")
    assert rejected_before(again, [before]) is before
    assert rejected_before(other, [before]) is None


def test_of_a_changed_call_the_change_is_compared_and_not_the_work_at_hand():
    before = rejected("`gull feed tern` fails: tide too low", "`gull feed --wade tern`")
    again = lesson("`gull feed crane` fails: tide low", "`gull feed --wade -q crane`")
    other = lesson("`gull feed crane` fails: tide low", "`gull feed --later crane`")
    assert rejected_before(again, [before]) is before
    assert rejected_before(other, [before]) is None


def test_words_without_a_command_are_compared_by_what_they_say():
    before = rejected("before a release", "skip the signature check of the archive")
    again = lesson("before each release", "the signature check of archives is skipped")
    other = lesson("before a release", "update the list of changes")
    assert rejected_before(again, [before]) is before
    assert rejected_before(other, [before]) is None


def test_marks_of_a_deleted_lesson_hold_no_words_and_know_it_again():
    marks = marks_of(BEFORE)
    again = lesson(
        "feeding them was refused",
        "run `gull dock --pier north` beforehand",
        fingerprints=("no such pier",),
    )
    assert marks & marks_of(again)
    assert not marks & marks_of(lesson("no such pier", "`gull list`"))
    assert not any("gull" in mark or "pier" in mark for mark in marks)
