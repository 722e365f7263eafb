"""The store's door: what a person rejected or deleted does not come in again, whoever saves it."""

from __future__ import annotations

import pytest

from afterglow.flows.knowledge import approve, delete, reject
from afterglow.store.knowledge import Knowledge
from keeping import NOW, item, keep, kept

REMEDY = "`gull dock --pier north` works"
WORDS = {
    "situation": "`gull feed` fails with 'no such pier'",
    "remedy": REMEDY,
    "repo": "harbor",
}
REWORDED = {
    "situation": "`gull feed` says there is no pier",
    "remedy": "run `gull dock --pier north`",
    "repo": "harbor",
}
WHY = "the pier is closed"


@pytest.fixture
def config(stores_config):
    return stores_config


def saved(config, number, by, **fields):
    with Knowledge(config.knowledge) as knowledge:
        knowledge.save([item(number, **fields)], by=by, now=NOW)
    return kept(config, item(number).id)


@pytest.mark.parametrize("by", ["harvest", "written:x", "import", "sync", "told:y"])
def test_a_rejected_lesson_does_not_come_back_in_other_words(config, by):
    keep(config, item(1, **WORDS))
    reject(config, [item(1).id], why=WHY)
    again = saved(config, 2, by, **REWORDED)
    assert again.status == "retired"
    assert again.reason == f"says what a person rejected: {WHY} ({item(1).id})"


def test_a_rejection_sets_aside_what_says_the_same_already(config):
    keep(config, item(1, **WORDS), item(2, **REWORDED), item(3, repo="harbor"))
    reject(config, [item(1).id], why=WHY)
    assert [kept(config, item(n).id).status for n in (2, 3)] == ["retired", "active"]


def test_a_person_may_approve_what_another_rejection_speaks_of(config):
    keep(config, item(1, **WORDS))
    reject(config, [item(1).id], why=WHY)
    saved(config, 2, "harvest", **REWORDED)
    approve(config, [item(2).id])
    assert kept(config, item(2).id).status == "active"


def test_what_was_retired_as_no_longer_true_may_come_back_in_other_words(config):
    from afterglow.flows.knowledge import retire

    keep(config, item(1, **WORDS))
    retire(config, [item(1).id], why="the pier is closed for the winter")
    assert saved(config, 2, "harvest", **REWORDED).status == "active"


def test_a_deleted_lesson_is_known_again_by_its_error_and_its_command(config):
    mark = {"fingerprints": ("no such pier",)}
    keep(config, item(1, **WORDS, **mark))
    delete(config, [item(1).id], why=WHY)
    again = saved(config, 2, "harvest", **REWORDED, **mark)
    assert (again.status, again.reason) == ("retired", "says what a person deleted")
    assert saved(config, 3, "harvest", repo="harbor").status == "active"
