"""Recall, hits and reciprocal rank, reckoned by hand."""

import pytest

from afterglow.memory.quality import SearchAnswers, measured
from afterglow.memory.quality.measures import gap, share, times
from afterglow.records.evaluation import Labelled, Labels, Question

LABELS = Labels(
    "hand",
    (
        Labelled("a", "editor", "Helix", 1.0),
        Labelled("b", "editor", "Zed", 2.0),
        Labelled("c", "tea", "green"),
        Labelled("d", "coffee", "none"),
    ),
    (
        Question("which editor?", ("b",), "update"),
        Question("what to drink?", ("c", "d"), "multi"),
    ),
)
NEW, OLD, TEA, COFFEE = (
    ("editor", "Zed"),
    ("editor", "Helix"),
    ("tea", "green"),
    ("coffee", "none"),
)


def answering(*answers):
    said = dict(
        zip((question.text for question in LABELS.questions), answers, strict=True)
    )
    return SearchAnswers(LABELS, lambda user, text, limit: said[text][:limit])


def test_recall_is_the_share_of_what_is_wanted_and_hit_whether_any_of_it_is_there():
    found = measured("mine", answering([TEA, NEW], [TEA]))
    assert [found.recall[cut].value for cut in (1, 5, 10)] == [0.25, 0.75, 0.75]
    assert [found.hit[cut].value for cut in (1, 5)] == [0.5, 1.0]
    assert found.mrr.value == 0.75
    assert {kind: one.value for kind, one in found.kinds.items()} == {
        "update": 1.0,
        "multi": 0.5,
    }
    assert (found.entries, found.questions, found.times.n) == (4, 2, 2)


def test_the_value_from_before_an_update_is_a_miss():
    assert answering([OLD], []).recall() == [0.0, 0.0]
    assert answering([NEW], []).recall() == [1.0, 0.0]


def test_a_value_in_which_something_was_hidden_is_still_its_entry():
    assert answering([("editor", "Z[NAME]")], []).recall() == [1.0, 0.0]


def test_the_same_entry_twice_takes_one_place():
    assert answering([TEA, TEA, TEA, NEW], []).ranks() == [0.5, 0.0]


def test_being_ahead_is_reckoned_question_by_question():
    mine, theirs = answering([NEW], [TEA, COFFEE]), answering([], [TEA])
    assert measured("mine", mine, {"theirs": theirs}).ahead["theirs"].value == 0.75


def test_intervals_are_never_empty():
    always = share([1.0] * 20)
    assert (always.value, always.high, always.n) == (
        1.0,
        1.0,
        20,
    ) and 0.8 < always.low < 0.9
    assert gap([1.0], [0.0]).low == -1.0
    one = gap([1.0, 0.5, 1.0, 0.0, 1.0, 1.0], [0.0] * 6)
    assert one.low < one.value == 0.75 < one.high


def test_times_are_the_middle_and_nearly_the_slowest():
    found = times([0.001 * number for number in range(1, 101)])
    assert (found.n, found.median, found.p95) == (
        100,
        pytest.approx(50.5),
        pytest.approx(95.0),
    )
