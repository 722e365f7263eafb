"""What arms mean: when lessons are told in each, and which of them can be compared by what."""

from __future__ import annotations

import pytest

from afterglow.experiment.moments import (
    ARMS,
    always_leaves_a_mark,
    begin_alike,
    telling,
)
from afterglow.records.experiment import BOTH, COLD, FAILURE, PLACEBO, START, WARM


def test_what_plans_called_warm_is_told_when_start_is():
    for when in ("start", "compaction", "subagent", "call", "failure"):
        assert telling(ARMS, WARM, when) == telling(ARMS, START, when)


def test_both_is_told_whenever_one_of_the_two_is():
    for when in ("start", "compaction", "subagent", "call", "failure"):
        told = {telling(ARMS, arm, when) for arm in (START, FAILURE)}
        assert telling(ARMS, BOTH, when) == "lessons" and "lessons" in told
        assert telling(ARMS, COLD, when) == telling(ARMS, "mine", when) == "nothing"


@pytest.mark.parametrize(
    ("arms", "marked", "alike"),
    [
        ((COLD, WARM), False, False),
        ((COLD, FAILURE), False, True),
        ((COLD, FAILURE, PLACEBO), False, True),
        ((START, BOTH), True, True),
        ((START, BOTH, PLACEBO), True, False),
        ((COLD, START, FAILURE, BOTH), False, False),
        ((PLACEBO, WARM), True, False),
        (("mine", "yours"), True, True),
    ],
)
def test_which_sessions_leave_a_mark_and_begin_alike(arms, marked, alike):
    assert (always_leaves_a_mark(arms), begin_alike(arms)) == (marked, alike)
