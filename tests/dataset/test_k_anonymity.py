"""No combination of recognisable values stands for fewer than k rows, sessions behind them, or people."""

from __future__ import annotations

from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from afterglow.dataset.k_anonymity import hide
from afterglow.dataset.table import OTHER, Column, Draft, Table

TABLE = Table(
    "visits",
    "One row a visit.",
    (
        Column("visit", "id", "the visit"),
        Column("user", "id", "who"),
        Column("repo", "id", "where"),
        Column("period", "period", "when"),
        Column("calls", "whole", "how many"),
    ),
    quasi=("user", "repo", "period"),
)
STEPS = ({"period": "2026-10"}, {"user": OTHER}, {"repo": OTHER})


def draft(
    number: int, *, user: str = "ana", repo: str = "pier", week: int = 40, **fields
) -> Draft:
    values = {
        "visit": f"v{number}",
        "user": user,
        "repo": repo,
        "period": f"2026-W{week}",
        "calls": number,
    }
    return Draft(
        values=values,
        source=str(number),
        people=frozenset({user}),
        steps=STEPS,
        **fields,
    )


def test_a_large_crowd_is_left_as_it_is():
    filled, kept = hide(TABLE, [draft(number) for number in range(5)], 5, 1)
    assert (filled.suppressed, filled.generalised, filled.smallest, filled.fewest) == (
        0,
        {},
        5,
        1,
    )
    assert kept["3"] == draft(3).values


def test_rare_rows_tell_less_until_their_crowd_is_large_enough():
    common = [draft(number) for number in range(5)]
    rare = [
        draft(10, week=41),
        draft(11, week=42),
        draft(12, week=43, user="bo", repo="quay"),
        draft(13, week=44),
    ]
    filled, kept = hide(TABLE, [*common, *rare], 3, 1)
    assert kept["0"]["period"] == "2026-W40"
    assert kept["10"] == {**draft(10).values, "period": "2026-10"}
    assert "12" not in kept
    assert (len(filled.rows), filled.suppressed, filled.generalised) == (
        8,
        1,
        {"period": 3},
    )


def test_many_rows_of_one_session_are_no_crowd():
    same = [draft(number, behind=frozenset({"s1"})) for number in range(9)]
    assert hide(TABLE, same, 2, 1)[0].suppressed == 9


def test_a_crowd_of_people_hides_who_it_is():
    drafts = [draft(number, user=f"user{number % 3}") for number in range(9)]
    filled, _ = hide(TABLE, drafts, 3, 3)
    assert {row["user"] for row in filled.rows} == {OTHER}
    assert {row["period"] for row in filled.rows} == {"2026-W40"}
    assert (filled.fewest, filled.generalised) == (3, {"user": 9})
    assert hide(TABLE, drafts, 3, 4)[0].suppressed == 9


def test_what_belongs_to_a_row_that_stays_stays_too_and_is_counted():
    filled, kept = hide(
        TABLE, [*(draft(number) for number in range(3)), draft(7, lost=True)], 3, 1
    )
    assert (filled.suppressed, "7" in kept) == (1, False)


def test_rows_are_not_in_the_order_of_time():
    filled, _ = hide(TABLE, [draft(9), draft(2), draft(5)], 2, 1)
    assert [row["visit"] for row in filled.rows] == ["v2", "v5", "v9"]


def test_rows_like_no_other_are_counted():
    drafts = [draft(number, week=40) for number in (1, 1, 2)]
    assert hide(TABLE, drafts, 2, 1)[0].alone == 1


visits = st.builds(
    lambda number, user, repo, week: draft(number, user=user, repo=repo, week=week),
    st.integers(0, 10**6),
    st.sampled_from(["ana", "bo", "cy"]),
    st.sampled_from(["pier", "quay"]),
    st.integers(40, 44),
)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(visits, max_size=40, unique_by=lambda one: one.source),
    st.integers(2, 6),
    st.integers(1, 3),
)
def test_never_below_k_whatever_the_data(drafts, k, people):
    filled, kept = hide(TABLE, drafts, k, people)
    crowds = Counter((row["user"], row["repo"], row["period"]) for row in filled.rows)
    assert all(size >= k for size in crowds.values())
    assert filled.smallest == min(crowds.values(), default=0)
    assert len(filled.rows) + filled.suppressed == len(drafts)
    who = {one.source: one.people for one in drafts}
    for crowd in crowds:
        mine = [
            who[at]
            for at, row in kept.items()
            if (row["user"], row["repo"], row["period"]) == crowd
        ]
        assert len(frozenset().union(*mine)) >= people


@settings(max_examples=30, deadline=None)
@given(
    st.lists(visits, max_size=30, unique_by=lambda one: one.source),
    st.randoms(use_true_random=False),
)
def test_the_order_of_the_data_changes_nothing(drafts, random):
    mixed = list(drafts)
    random.shuffle(mixed)
    assert hide(TABLE, drafts, 3, 1)[0] == hide(TABLE, mixed, 3, 1)[0]
