"""Experiments are only ever added to, at home and at a hub alike: also by many writers at once."""

from __future__ import annotations

from collections import Counter

import pytest
from msgspec.structs import replace

from afterglow.errors import NotFound, UsageError
from afterglow.experiment.assign import arm_of
from afterglow.experiment.plan import plan_hash
from afterglow.store.experiments import Experiments
from store.experiment_writers import PAIRED, STUDY, start, trial, wanted
from store.stores_of_both_kinds import BOTH, place_of_kind


@pytest.fixture(params=BOTH)
def place(request, tmp_path):
    file = tmp_path / "new" / "experiments.db"
    return place_of_kind(request.param, request, file, ())


@pytest.fixture
def kept(place):
    with Experiments(place) as kept:
        kept.add_plan(STUDY, plan_hash(STUDY))
        kept.add_plan(PAIRED, plan_hash(PAIRED))
        yield kept


def test_a_plan_is_read_back_whole_with_its_hash(place, kept):
    with Experiments(place) as again:
        assert again.plan("study") == STUDY
        assert again.kept_plan("study") == (STUDY, plan_hash(STUDY))
        assert again.plans() == [PAIRED, STUDY]


def test_an_unknown_experiment_is_answered_with_the_known_ones(place, kept):
    with pytest.raises(NotFound, match="paired, study"):
        kept.plan("stduy")
    with pytest.raises(NotFound, match="version 3 of 'study'"):
        kept.plan("study", 3)


def test_where_there_is_no_experiment_that_is_said(place):
    with (
        Experiments(place) as empty,
        pytest.raises(NotFound, match="there is none yet"),
    ):
        empty.plan("study")


def test_a_plan_has_versions_while_there_is_no_data(kept):
    second = replace(STUDY, version=2, outcomes=("tokens",))
    kept.add_plan(second, plan_hash(second))
    assert kept.plan("study") == second
    assert kept.plan("study", 1) == STUDY
    with pytest.raises(UsageError, match="version 2 by now"):
        kept.add_plan(replace(second, alpha=0.1), "another")


@pytest.mark.parametrize("data", ["assignment", "record"])
def test_a_plan_is_not_changed_once_there_is_data(kept, data):
    if data == "assignment":
        kept.assign(wanted(), arm_of)
    else:
        kept.record(trial(), kept=9.0)
    with pytest.raises(UsageError, match="under another name"):
        kept.add_plan(replace(STUDY, version=2), "hash")
    assert kept.plan("study") == STUDY


def test_a_unit_keeps_its_arm(kept):
    (first,) = kept.assign(wanted(), arm_of)
    kept.assign(wanted("s2"), arm_of)
    assert kept.assign(replace(wanted(), time=99.0, stratum="quay"), arm_of) == (first,)
    assert first == replace(wanted(), arm=first.arm)
    assert kept.assignment("study", "s1") == first
    assert kept.assignment("study", "s9") is None
    assert [one.unit for one in kept.assignments("study")] == ["s1", "s2"]


def test_only_the_stratum_is_asked_about(kept):
    kept.assign(wanted("s1", "quay"), arm_of)
    kept.assign(wanted("s2"), arm_of)
    asked = []
    kept.assign(
        wanted("s3"),
        lambda plan, unit, stratum, before: (
            asked.append((unit, stratum, len(before))) or "cold"
        ),
    )
    assert asked == [("s3", "harbor", 1)]


def test_a_paired_task_gets_every_arm_at_once_and_the_same_order_again(kept):
    given = kept.assign(wanted("t1", "t1", "paired"), arm_of)
    assert sorted(one.arm for one in given) == ["cold", "warm"]
    assert kept.assign(wanted("t1", "t1", "paired"), arm_of) == given
    assert tuple(kept.assignments("paired")) == given


def test_nothing_is_assigned_where_choosing_fails(kept):
    def choose(*_):
        raise UsageError("no")

    with pytest.raises(UsageError):
        kept.assign(wanted(), choose)
    assert kept.assignments("study") == []


def test_a_delivery_may_become_known_later_and_the_first_stays(kept):
    kept.assign(wanted(), arm_of)
    kept.delivered("study", "s1", "ag-1")
    kept.delivered("study", "s1", "ag-2")
    assert kept.assignments("study")[0].delivery == "ag-1"
    with pytest.raises(NotFound):
        kept.delivered("study", "s9", "ag-1")


def test_records_are_read_back_whole_and_unknown_stays_unknown(kept):
    kept.record([trial(), trial("s2", "cold", None, excluded="no calls")], kept=9.0)
    assert kept.trials("study") == [
        trial(),
        trial("s2", "cold", None, excluded="no calls"),
    ]


def test_a_second_record_of_a_unit_is_refused_and_nothing_of_it_is_kept(kept):
    kept.record(trial(), kept=9.0)
    with pytest.raises(UsageError, match="s1 has a record in warm already"):
        kept.record([trial("s2"), trial("s1", "cold")], kept=10.0)
    assert kept.trials("study") == [trial()]


def test_known_units_are_skipped_where_asked(kept):
    kept.record(trial(), kept=9.0)
    assert (
        kept.record([trial(success=0.0), trial("s2")], kept=10.0, skip_known=True) == 1
    )
    assert kept.trials("study") == [trial(), trial("s2")]


def test_a_correction_is_a_new_record_and_the_old_one_stays_in_view(kept):
    kept.record([trial(), trial("s2", "cold")], kept=9.0)
    kept.record(trial(success=0.0), kept=10.0, why="the test had not run")
    kept.record(trial("s1", "cold", 0.0), kept=11.0, why="it ran cold")
    assert kept.trials("study") == [trial("s2", "cold"), trial("s1", "cold", 0.0)]
    assert [(one.n, one.replaces, one.why) for one in kept.records("study")] == [
        (1, None, ""),
        (2, None, ""),
        (3, 1, "the test had not run"),
        (4, 3, "it ran cold"),
    ]
    with pytest.raises(UsageError, match="no record to correct"):
        kept.record(trial("s3"), kept=12.0, why="a slip")


def test_a_paired_task_has_a_record_in_each_arm(kept):
    for arm in ("warm", "cold"):
        kept.record(trial("t1", arm, experiment="paired"), kept=9.0)
    with pytest.raises(UsageError, match="t1 has a record in cold"):
        kept.record(trial("t1", "cold", experiment="paired"), kept=9.0)


def test_a_name_that_is_no_text_does_not_stop_an_assignment(kept):
    (given,) = kept.assign(wanted("s\udcff1", "har\0bor"), arm_of)
    assert kept.assign(wanted("s\udcff1", "har\0bor"), arm_of) == (given,)


def test_processes_that_assign_at_once_break_no_block_and_assign_no_unit_twice(
    place, kept
):
    writers = [start(place, f"w{number}-", 12) for number in range(4)]
    assert [writer.communicate() and writer.returncode for writer in writers] == [0] * 4
    given = kept.assignments("study")
    assert len(given) == len({one.unit for one in given}) == 4 * 12 + 12
    assert all(
        Counter(one.arm for one in given[at : at + 4]) == {"cold": 2, "warm": 2}
        for at in range(0, len(given), 4)
    )
    assert len(kept.trials("study")) == 48
