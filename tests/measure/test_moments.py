"""What came of telling sessions something, moment by moment."""

from __future__ import annotations

import random

import pytest
from tests.measure.measuring import delivery, given

from afterglow.measure.moment_text import moment_rows, moment_sentences
from afterglow.measure.moments import moments, sessions_told, told_problems
from afterglow.measure.told_and_untold import compared
from afterglow.records.delivery import Delivery, Followed
from afterglow.records.reading import Measured, UntoldRepeats
from keeping import item

PIER = "line no such pier"
QUAY = "line no quay"


def hint(number: int, calls: int = 1, problem: str = PIER, **fields) -> Delivery:
    """A hint that was used and led to a solution within so many calls."""
    course = {"problem": problem, "solved": bool(calls), "calls": calls, "used": True}
    names = {"repeated", "solved", "used"} & fields.keys()
    course |= {name: fields.pop(name) for name in names}
    after = Followed(**course)
    return delivery(number, 1, given(), **{"when": "failure", "followed": after, **fields})  # fmt: skip


def untold(*calls: int, problem: str = PIER) -> UntoldRepeats:
    """Sessions that were told nothing and needed so many calls; none is not solved."""
    return UntoldRepeats("harbor", problem, len(calls), tuple(filter(None, calls)))


def measured(*deliveries: Delivery, others=()) -> Measured:
    return Measured(
        day="2026-11-18", sessions=1, items=1, deliveries=1, first_day="", last_day="", selection={}, readings=(),
        moments=moments(deliveries, others),
    )  # fmt: skip


def test_each_moment_counts_what_was_told_proved_used_and_ignored():
    start = delivery(1, 1, given(used=True, met=True), given("k2"))
    unused = delivery(2, 1, given(used=False, met=True))
    never_met = delivery(3, 1, given(used=False, met=False))
    waiting = delivery(4, 1, given(), state="waiting")
    ignored = hint(5, used=False, repeated=True)
    given_up = hint(6, 0)
    cannot_tell = hint(7, used=None, solved=None)
    first, second = moments(
        [start, unused, never_met, waiting, ignored, given_up, cannot_tell], ()
    )
    assert (first.when, first.deliveries, first.proved) == ("start", 4, 3)
    assert (first.used, first.ignored, first.failures) == (1, 1, 0)
    assert (second.when, second.deliveries, second.proved) == ("failure", 3, 3)
    assert (second.used, second.ignored, second.repeated) == (1, 1, 1)
    assert (second.failures, second.solved) == (2, 1)


def test_moments_at_which_nothing_was_told_and_placebos_are_left_out():
    sham = hint(1, placebo=True)
    repeat = delivery(2, 1, given(), when="compaction")
    assert [reading.when for reading in moments([sham, repeat], ())] == ["compaction"]
    assert moments([], ()) == ()


def test_told_sessions_are_compared_with_untold_repeats_of_the_same_problems():
    told = [hint(number, 1 + number % 2) for number in range(10)]
    others = [untold(*[4, 5] * 10), untold(*[1] * 20, problem=QUAY)]
    (reading,) = moments(told, others)
    assert reading.calls is not None
    assert reading.untold is not None
    assert reading.difference is not None
    assert (reading.calls.value, reading.untold.value) == (1.5, 4.5)
    assert (reading.difference.value, reading.problems) == (-3.0, 1)
    assert (reading.untold_failures, reading.untold_solved) == (20, 20)
    assert reading.verdict == "fewer calls"


def test_a_problem_is_compared_with_itself_however_often_others_met_another():
    """All sessions need as long as their problem takes; the hard one was told more often."""
    told = [hint(number, 9 + number % 3) for number in range(9)]
    told += [hint(10 + number, 1 + number % 3, QUAY) for number in range(3)]
    others = [untold(9, 10, 11), untold(*[1, 2, 3] * 10, problem=QUAY)]
    (reading,) = moments(told, others)
    assert reading.difference is not None
    assert reading.difference.value == pytest.approx(0.0)
    assert reading.verdict == "no clear difference"


@pytest.mark.parametrize(("told_count", "untold_count"), [(4, 50), (50, 4), (8, 0)])
def test_too_few_on_either_side_say_nothing(told_count, untold_count):
    told = [hint(number, 1) for number in range(told_count)]
    others = [untold(*[7, 8] * (untold_count // 2))]
    both = measured(*told, others=others)
    assert both.moments[0].verdict == "too few to tell"
    (sentence,) = moment_sentences(both)
    assert "−" not in sentence


def test_what_was_not_solved_has_no_number_of_calls():
    told = [hint(number, 0) for number in range(8)]
    (reading,) = moments(told, [untold(*[0] * 8)])
    assert (reading.calls, reading.untold, reading.solved) == (None, None, 0)
    assert (reading.untold_failures, reading.untold_solved) == (8, 0)
    assert reading.verdict == "too few to tell"


def test_the_interval_holds_the_truth_about_as_often_as_it_says():
    rng = random.Random(16)

    def calls(ease: float) -> int:
        return min(17, 1 + int(rng.expovariate(ease)))

    covered = 0
    for _ in range(400):
        eases = [rng.choice([0.3, 0.6, 1.2]) for _ in range(4)]
        sides = [
            {("r", str(at)): [calls(ease) for _ in range(count)] for at, ease in enumerate(eases)}
            for count in (4, 12)
        ]  # fmt: skip
        comparison = compared(*sides)
        assert comparison is not None
        gap = comparison.difference
        covered += (gap.low or 0.0) <= 0.0 <= (gap.high or 0.0)
    assert 0.92 <= covered / 400 <= 0.98


def test_the_problems_told_about_and_the_sessions_told_of_them():
    proved = hint(1)
    unproved = delivery(2, 1, given(), when="failure", state="waiting")
    sham = delivery(3, 1, placebo=True)
    context = delivery(4, 1, given("k0000007"))
    unrelated = delivery(5, 1, given("k0000008"))
    problems = told_problems([proved, unproved, sham, context])
    assert problems == {"harbor": {PIER}}
    from afterglow.harvest.problems import problem_id

    topic = f"problem:{problem_id('harbor', 'failure', PIER)}"
    about = item(7, id="k0000007", topics=(topic,))
    told = sessions_told([proved, unproved, sham, context, unrelated], problems, [about])  # fmt: skip
    assert told == {("s1", PIER), ("s2", ""), ("s3", ""), ("s4", PIER)}


def test_rows_and_sentences_say_what_was_compared():
    told = [hint(number, 1 + number % 2) for number in range(10)]
    both = measured(*told, others=[untold(*[4, 5] * 10)])  # fmt: skip
    (row,) = moment_rows(both)
    assert row[:5] == ("on failure", "10", "10", "10", "0")
    (sentence,) = moment_sentences(both)
    assert sentence.startswith("On failure: solved in 1.5 [")
    assert "untold repeats of the same 1 problem in 4.5 [" in sentence
    assert "fewer calls, −3.0 [−3." in sentence
    alone = measured(hint(1))
    (sentence,) = moment_sentences(alone)
    assert sentence == "On failure: too few to tell (0 untold repeats of the same problems)."  # fmt: skip
    assert list(moment_sentences(measured(delivery(1, 1, given())))) == []
