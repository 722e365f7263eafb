"""Readings over sessions and items: values worked out by hand, no data where there is none, the numbers of profile."""

import pytest
from tests.measure.measuring import ERROR, glance, material, met, reading
from tests.profile.make import fleet

from afterglow.measure.readings import METRICS, read_all
from afterglow.profile.recurrence import recurrence
from afterglow.records.reading import Glance
from afterglow.stats.estimates import mean, median, shift, week_of, weekly, weeks
from afterglow.stats.rates import difference, rate
from afterglow.text.numbers import week
from keeping import DAY, NOW, item

EVERYTHING = material(
    [
        met(n, n, ERROR, done=n % 2 == 0, compactions=n % 2, corrections=1)
        for n in range(20)
    ],
    items=[item(n, domain="git", expires=NOW + DAY) for n in range(12)],
)


@pytest.mark.parametrize("metric", METRICS.names())
def test_without_anything_every_reading_says_why_it_has_no_value(metric):
    for one in METRICS.load(metric).read(material()):
        assert (one.value, one.low, one.high, one.n) == (None, None, None, 0)
        assert one.reason


@pytest.mark.parametrize("metric", METRICS.names())
def test_a_reading_has_a_value_or_a_reason_and_says_what_it_is(metric):
    for one in METRICS.load(metric).read(EVERYTHING):
        assert (one.value is None) == bool(one.reason)
        assert one.definition and one.meaning and one.of and len(one.meaning) < 55
        if one.unit == "share" and one.value is not None:
            assert 0 <= one.low <= one.value <= one.high <= 1 and one.n


def test_names_are_there_once():
    names = [one.name for one in read_all(EVERYTHING)]
    assert len(names) == len(set(names))


def test_velocity_counts_items_first_seen_before_the_newest_session():
    items = [
        item(n, first_seen=NOW - age * DAY)
        for n, age in enumerate((0.5, 0.6, 3, 20, 40))
    ]
    found = material([glance()], items=items)
    assert reading("velocity", found, "velocity").value == pytest.approx(4 / 30)
    assert reading("velocity", found, "velocity, 7 days").value == pytest.approx(3 / 7)
    assert sum(one.n for one in reading("velocity", found, "velocity").weeks) == 5


def test_coverage_wants_ten_items_of_a_domain_and_counts_repos_with_sessions():
    items = [item(n, domain="git") for n in range(10)] + [
        item(20, domain="lint"),
        item(21),
    ]
    found = material(
        [glance(1), glance(2, repo="mole"), glance(3, repo="")], items=items
    )
    domains, repos = (
        reading("coverage", found, "coverage"),
        reading("coverage", found, "repos covered"),
    )
    assert (domains.value, domains.n, domains.detail) == (
        1,
        2,
        "1 items have no domain",
    )
    assert (repos.value, repos.n) == (0.5, 2)


def test_age_is_up_to_the_newest_session_and_staleness_up_to_today():
    items = [
        item(n, last_confirmed=NOW - (10 + n) * DAY, expires=NOW + (n - 1) * DAY)
        for n in range(3)
    ]
    found = material([glance(day=10)], items=items)
    assert reading("age", found, "age").value == pytest.approx(1, abs=0.01)
    assert reading("age", found, "stale").value == pytest.approx(2 / 3)


def test_items_that_never_expire_are_no_data_for_staleness():
    assert (
        reading("age", material([glance()], items=[item()]), "stale").reason
        == "no active item expires"
    )


def test_recurrence_counts_failures_an_earlier_session_of_the_same_repo_met():
    found = material(
        [
            met(1, 9, ERROR),
            met(2, 8, ERROR, "odd"),
            met(3, 7, ERROR, repo="mole"),
            met(4, 6, "odd"),
        ]
    )
    one = reading("recurrence", found)
    assert (one.value, one.n) == (pytest.approx(2 / 5), 5)


def test_recurrence_looks_back_beyond_what_was_asked_for():
    history = [met(1, 9, ERROR), met(2, 8, ERROR)]
    assert reading("recurrence", material(history[1:], history=history)).value == 1.0
    assert reading("recurrence", material(history[1:])).value == 0.0


def test_recurrence_is_the_number_profile_shows():
    entries = fleet(80)
    seen = [
        Glance(
            e.id,
            e.repo,
            e.agent,
            e.start,
            e.end,
            0,
            0,
            dict(e.profile.errors),
            0,
            0,
            None,
            False,
            0,
            0,
            0,
        )
        for e in entries
    ]
    expected = recurrence([(e, e.profile) for e in entries], top=0).repeated
    one = reading("recurrence", material(seen))
    assert (one.value, one.low, one.high, one.n) == pytest.approx(
        (expected.value, expected.low, expected.high, expected.n)
    )


def test_errors_and_first_tries_are_pooled_over_sessions():
    found = material(
        [glance(1, failed=3, started=9, at_once=7), glance(2, started=11, at_once=11)]
    )
    assert reading("errors", found).value == pytest.approx(3 / 20)
    assert reading("first_try", found).value == pytest.approx(18 / 20)


def test_completion_leaves_out_what_is_not_known_and_says_how_much_is_guessed():
    found = material(
        [glance(1), glance(2, done=False, guessed=False), glance(3, done=None)]
    )
    one = reading("completion", found)
    assert (one.value, one.n, one.nature) == (0.5, 2, "proxy")
    assert one.detail == "1 guessed from the ending, 1 not known"


def test_corrections_are_per_session_in_which_someone_spoke():
    found = material([glance(1, corrections=3), glance(2), glance(3, requests=0)])
    assert (reading("corrections", found).value, reading("corrections", found).n) == (
        1.5,
        2,
    )


def test_compactions_are_counted_as_sessions_and_as_events():
    one = reading("compactions", material([glance(1, compactions=3), glance(2)]))
    assert (one.value, one.detail) == (0.5, "3 compaction events")


def test_a_fall_over_the_weeks_is_a_trend_on_the_first_run():
    early = [glance(n, day=70 - n, failed=5) for n in range(30)]
    late = [glance(100 + n, day=27 - n / 2, failed=1) for n in range(40)]
    one = reading("errors", material(early + late))
    assert one.shift.high < 0 and "last 4 weeks" in one.shift.words
    assert len(one.weeks) >= 8 and one.weeks[0].value > one.weeks[-1].value


def test_another_mix_of_repositories_is_no_trend():
    """The last weeks are of a repository that fails less: neither of the two became better."""
    early = [glance(n, day=70 - n, failed=5, repo="harbor") for n in range(30)]
    late = [glance(100 + n, day=27 - n / 2, failed=1, repo="pier") for n in range(40)]
    one = reading("errors", material(early + late))
    assert one.shift is None
    assert "other repositories" in one.no_shift
    more = [glance(200 + n, day=27 - n / 2, failed=5, repo="harbor") for n in range(40)]
    both = reading("errors", material(early + late + more))
    assert both.shift.low <= 0 <= both.shift.high
    assert "within 1 repository" in both.shift.words


def test_weeks_are_iso_weeks_and_sessions_without_a_time_are_in_the_total_only():
    sessions = sorted(
        (glance(n, day=n * 1.3) for n in range(60)), key=lambda one: one.start
    )  # fmt: skip
    timeless = glance(99, day=None)
    found = weeks([timeless, *sessions])
    assert found[None] == [timeless]
    assert all(
        week_of(one.start) == number
        for number, some in found.items()
        if number
        for one in some
    )
    assert sum(map(len, found.values())) == 61
    series = weekly(
        {number: [("pier", (1, 2))] * len(some) for number, some in found.items()}
    )
    assert series["n"] == 122 and [one.week for one in series["weeks"]] == sorted(
        {week(s.start) for s in sessions}
    )


def test_a_shift_of_different_sessions_is_the_difference_profile_would_show():
    ones, others = [(n % 3, 10) for n in range(20)], [(n % 5, 12) for n in range(30)]
    expected = difference(
        "between sessions",
        ("a", "b"),
        [*((p, (0, 0)) for p in ones), *(((0, 0), p) for p in others)],
    )
    found = shift(rate(ones), rate(others), "")
    assert (found.value, found.low, found.high) == pytest.approx(
        (expected.value, expected.low, expected.high)
    )


def test_means_and_medians_hold_their_value():
    assert mean([]) == {"value": None, "n": 0} and median([]) == {"value": None, "n": 0}
    assert mean([2.0]) == {"value": 2.0, "n": 1}
    found = mean([0, 0, 1, 3, 0, 2])
    assert found["low"] >= 0 and found["low"] < found["value"] == 1 < found["high"]
    found = median(range(101))
    assert (
        (found["value"], found["n"]) == (50, 101)
        and 35 < found["low"] < 45
        and 55 < found["high"] < 65
    )
