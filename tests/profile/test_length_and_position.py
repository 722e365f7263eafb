"""Between sessions and within a session: two questions, two numbers, one honest sentence."""

import random

import pytest
from tests.profile.make import entry, letters, population

from afterglow.profile.compare import effects
from afterglow.profile.report import summarise
from afterglow.profile.tables import MINIMUM, TENTHS, length, parts
from afterglow.records import Profile


def profiles(entries):
    return [found.profile for found in entries]


def survivors(seed=2):
    """Every session gets worse as it goes on, and those that start badly are ended early."""
    chance = random.Random(seed)
    good = [letters(0.02, 80, chance) + letters(0.05, 80, chance) for _ in range(60)]
    bad = [letters(0.10, 11, chance) + letters(0.20, 11, chance) for _ in range(120)]
    return [
        entry(outcomes, number=number) for number, outcomes in enumerate(good + bad)
    ]


@pytest.mark.parametrize(
    ("messages", "group"),
    [(0, "0–50"), (50, "0–50"), (51, "51–100"), (100, "51–100"), (101, "over 100")],
)
def test_a_session_belongs_to_the_published_groups(messages, group):
    assert length(Profile(messages=messages)) == group


@pytest.mark.parametrize("calls", [1, 9, 10, 23, 100])
def test_parts_follow_the_index_of_the_call_and_lose_none(calls):
    marks = "".join(chr(65 + index % 26) for index in range(calls))
    found = parts(marks, 10)
    assert "".join(found) == marks
    assert [len(part) for part in found] == [
        sum(10 * i // calls == k for i in range(calls)) for k in range(10)
    ]


def test_sessions_too_short_to_be_cut_are_left_out_and_counted():
    found = effects(
        profiles(
            [
                entry("o" * MINIMUM),
                entry("o" * (MINIMUM - 1)),
                entry("ou" * (MINIMUM - 1)),
            ]
        )
    )
    assert (found.minimum, found.too_short) == (MINIMUM, 2)
    assert found.within["second vs first half"].sessions == 1


def test_blocked_cancelled_and_unknown_calls_move_no_rate():
    plain, mixed = (
        summarise([entry(outcomes)]).overall for outcomes in ("offo", "obfcfuo")
    )
    assert plain.rate == mixed.rate
    assert (mixed.blocked, mixed.cancelled, mixed.unknown) == (1, 1, 1)


def test_the_ten_rows_of_position_hold_every_call_once():
    entries = population(30, mean=0.1, likeness=0.02)
    rows = summarise(entries).tables["position"].rows
    assert tuple(row.name for row in rows) == TENTHS
    assert sum(row.calls for row in rows) == sum(
        p.calls for p in profiles(entries) if p.decided >= MINIMUM
    )


def test_a_rise_within_sessions_is_found_though_sessions_differ_widely():
    found = effects(profiles(population(150, mean=0.1, likeness=0.1, rise=0.8))).within[
        "second vs first half"
    ]
    assert found.effect == "within sessions"
    assert found.sign == 1


def test_survivorship_is_told_when_the_two_effects_disagree():
    found = effects(profiles(survivors()))
    assert found.between["over 100 vs 0–50"].sign == -1
    assert found.within["second vs first half"].sign == 1
    assert "long sessions have a lower error rate" in found.survivorship
    assert "errors become more frequent" in found.survivorship
    assert "opposite directions" in found.survivorship


def test_effects_that_agree_are_not_called_opposite():
    chance = random.Random(4)
    long = [letters(0.1, 60, chance) + letters(0.3, 60, chance) for _ in range(60)]
    short = [letters(0.01, 22, chance) for _ in range(60)]
    found = effects(profiles([entry(outcomes) for outcomes in long + short]))
    assert "point the same way" in found.survivorship
    assert "opposite" not in found.survivorship


def test_chance_alone_is_no_reason_to_act():
    found = effects(profiles(population(60, mean=0.05, likeness=0.0, seed=9)))
    assert "Neither difference stands out" in found.survivorship


def test_one_session_makes_no_comparison():
    assert "not enough sessions" in effects(profiles([entry("of" * 40)])).survivorship


def test_the_first_turns_decide_what_a_session_started_with():
    chance = random.Random(6)
    start = {"code": 0.30, "file": 0.05}
    entries = [
        entry(
            letters(rate, 30, chance) + letters(0.15, 30, chance),
            early_families={kind: 9, "other": 1},
        )
        for kind, rate in start.items()
        for _ in range(40)
    ]
    by_start = effects(profiles(entries)).by_start
    assert (
        by_start["code"].sign,
        by_start["file"].sign,
        by_start["research"].sign,
    ) == (-1, 1, None)
