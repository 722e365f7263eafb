"""Points, checks and traces of an evaluation, on backends that are known to be honest or not."""

from functools import partial

import pytest

from afterglow.memory import NullBackend
from afterglow.memory.evaluation import evaluate
from afterglow.records.evaluation import Labelled, Labels, Question
from memory.evaluation.pretenders import (
    Away,
    Dictionary,
    Dying,
    Elsewhere,
    Files,
    Hoarder,
    Interrupted,
    Liar,
    Mixing,
    Renewing,
    Trimming,
    Undeleting,
)

LABELS = Labels(
    "tiny",
    (
        Labelled("a", "editor", "Helix with relative numbers"),
        Labelled("b", "tea", "green, no sugar"),
    ),
    (
        Question("relative numbers", ("a",), "paraphrase"),
        Question("sugar", ("b",), "identifier"),
    ),
)


def check_of(found, name):
    return next(check for check in found.checks if check.name == name)


def test_an_honest_backend_passes_every_check_that_can_be_tried():
    found = evaluate(Dictionary(), labels=LABELS)
    assert {check.name for check in found.checks if check.state != "passed"} == {
        "durability",
        "concurrency",
        "erasure",
    }
    assert all(check.state != "failed" for check in found.checks)
    assert found.points | {"latency": 0} == {
        "availability": 20, "store": 15, "retrieve": 15, "query": 10, "latency": 0, "privacy": 20
    }  # fmt: skip
    assert found.total == sum(found.points.values())
    assert (
        found.times["query"].n > 100
        and found.times["query"].median <= found.times["query"].p95
    )


def test_the_backend_that_keeps_nothing_gets_no_points_for_being_fast():
    found = evaluate(NullBackend())
    assert (found.total, found.points["latency"], found.keeps) == (40, 0, False)
    assert found.reason == "it keeps nothing" == found.unmeasured
    assert {check.state for check in found.checks} == {"unsupported", "untried"}


def test_saying_that_it_stored_is_not_enough():
    found = evaluate(Liar())
    assert found.points["store"] == 0
    assert check_of(found, "store").state == "failed"
    assert check_of(found, "store").detail == "0 of 200; it said so of 200"
    assert found.reason == "it says that it keeps, and keeps nothing"


def test_a_backend_that_cannot_be_reached_scores_nothing():
    found = evaluate(Away())
    assert (found.available, found.total, found.reason) == (
        False,
        0,
        "it does not answer",
    )


def test_a_server_that_dies_is_a_result_not_a_crash():
    found = evaluate(Dying())
    assert check_of(found, "store").detail.endswith("the server went away")
    assert found.left_behind >= 1


def test_what_a_backend_says_it_cannot_do_is_unsupported_not_failed():
    found = evaluate(Undeleting(), labels=LABELS)
    assert check_of(found, "deletion").state == "unsupported"
    assert check_of(found, "deletion").detail == "this service deletes nothing"
    assert found.left_behind > 200


@pytest.mark.parametrize(
    ("backend", "name", "says"),
    [
        (Hoarder(), "deletion", "still in query, list_keys"),
        (Mixing(), "users", "a query shows another user's entry"),
        (Renewing(), "update", "created_at changed with the update"),
        (Trimming(), "unicode", "the value under 'nul\\x00inside' came back changed"),
    ],
    ids=lambda part: part if isinstance(part, str) else "",
)
def test_a_pretender_is_caught(backend, name, says):
    check = check_of(evaluate(backend, labels=LABELS), name)
    assert (check.state, check.detail) == ("failed", says)


def test_own_entries_are_neither_seen_nor_touched():
    backend = Dictionary()
    backend.store("ada", "editor", "relative numbers")
    before = dict(backend.kept)
    found = evaluate(backend, labels=LABELS)
    assert backend.kept == before
    assert found.quality and found.quality.recall[1].value == 1.0
    assert found.left_behind == 0


def test_nothing_stays_behind_after_ctrl_c():
    backend = Interrupted()
    with pytest.raises(KeyboardInterrupt):
        evaluate(backend, labels=LABELS)
    assert backend.kept == {}


def test_a_service_is_asked_little_and_never_the_labelled_set_unless_told():
    found = evaluate(Elsewhere())
    assert found.points["privacy"] == 5
    assert found.cost and found.cost.leaves_machine and found.cost.calls < 100
    assert found.quality is None and "off this machine" in found.unmeasured
    assert evaluate(Elsewhere(), labels=LABELS, full=True).quality is not None


def test_a_backend_of_files_is_weighed_tried_in_other_processes_and_left_empty(
    tmp_path,
):
    found = evaluate(
        Files(tmp_path), labels=LABELS, reopen=partial(Files, tmp_path), folder=tmp_path
    )
    assert [check for check in found.checks if check.state != "passed"] == []
    assert (
        check_of(found, "durability").detail
        == "20 of 20 acknowledged entries there after kill -9"
    )
    assert (
        check_of(found, "concurrency").detail
        == "200 of 200 entries of 8 processes that stored at once"
    )
    assert found.cost and found.cost.bytes_per_entry > found.cost.text_per_entry
    assert (
        list(tmp_path.glob("*.json")) == []
    )  # the writer that was killed may have left a draft


def test_deleted_text_that_stays_in_a_file_is_seen(tmp_path):
    class Littering(Files):
        def delete(self, user_id, key):
            return Dictionary.delete(self, user_id, key)

    check = check_of(
        evaluate(Littering(tmp_path), labels=LABELS, folder=tmp_path), "erasure"
    )
    assert check.state == "failed" and check.detail.endswith(".json")
