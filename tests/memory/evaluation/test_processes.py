"""Killed writers and writers at once, with real processes."""

from functools import partial

import pytest
from msgspec.structs import replace

from afterglow.memory.evaluation.checks import Broken, Untried
from afterglow.memory.evaluation.probe import CLOUD_EFFORT, Guest
from afterglow.memory.evaluation.processes import (
    loses_nothing_to_other_writers,
    survives_a_kill,
)
from memory.evaluation.pretenders import Dictionary, Files, Late, OneFile

EFFORT = replace(CLOUD_EFFORT, acknowledged=5, further=20)


def test_what_is_acknowledged_survives_a_kill_in_the_middle_of_the_next(tmp_path):
    with Guest(Files(tmp_path), EFFORT) as guest:
        assert survives_a_kill(guest, partial(Files, tmp_path)).startswith("5 of 5")
    assert list(tmp_path.glob("*.json")) == []


def test_what_is_acknowledged_too_early_is_lost_with_the_kill(tmp_path):
    with (
        Guest(Late(tmp_path), EFFORT) as guest,
        pytest.raises(Broken, match="was acknowledged before the kill and is lost"),
    ):
        survives_a_kill(guest, partial(Late, tmp_path))


def test_writers_at_once_that_take_care_lose_nothing(tmp_path):
    with Guest(Files(tmp_path), EFFORT) as guest:
        said = loses_nothing_to_other_writers(guest, partial(Files, tmp_path))
    assert said == "6 of 6 entries of 3 processes that stored at once"


def test_writers_that_overwrite_one_another_are_caught(tmp_path):
    with (
        Guest(OneFile(tmp_path), EFFORT) as guest,
        pytest.raises(Broken, match="was stored while others wrote and is lost"),
    ):
        loses_nothing_to_other_writers(guest, partial(OneFile, tmp_path))


def test_a_process_that_cannot_open_it_says_why(tmp_path):
    with (
        Guest(Dictionary(), EFFORT) as guest,
        pytest.raises(Broken, match="No such file or directory"),
    ):
        survives_a_kill(guest, partial(open, tmp_path / "missing"))


def test_a_way_to_open_it_that_no_other_process_can_go_is_not_tried():
    with Guest(Dictionary(), EFFORT) as guest:
        with pytest.raises(Untried, match="cannot be opened in another process"):
            survives_a_kill(guest, lambda: Dictionary.__new__(Dictionary))
        with pytest.raises(Untried, match="nobody said how"):
            loses_nothing_to_other_writers(guest, None)
