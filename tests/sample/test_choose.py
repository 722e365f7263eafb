"""Scores are exact and add up; the best come first."""

import pytest

from afterglow.records import Entry
from afterglow.sample import DAY, choose, points

NOW = 1_800_000_000.0


def entry(key=1, **fields):
    defaults = {
        "id": f"s{key}",
        "agent": "codex",
        "format": "codex",
        "source": f"/x/{key}",
        "end": NOW,
        "repo": "acme/harbor",
    }
    return Entry(key=key, **{**defaults, **fields})


@pytest.mark.parametrize(
    ("criterion", "fields", "score"),
    [
        ("recency", {"end": NOW - 7 * DAY}, 3),
        ("recency", {"end": NOW - 8 * DAY}, 2),
        ("recency", {"end": NOW - 30 * DAY}, 2),
        ("recency", {"end": NOW - 31 * DAY}, 1),
        ("recency", {"end": None}, 1),
        ("length", {"messages": 51}, 3),
        ("length", {"messages": 50}, 2),
        ("length", {"messages": 20}, 1),
        ("novelty", {}, 1),
        ("novelty", {"repo": ""}, 0),
        ("outcome", {"outcome": "failure"}, 3),
        ("outcome", {"outcome": "success"}, 2),
        ("outcome", {"outcome": "unknown"}, 1),
        ("tools", {"calls": 11}, 2),
        ("tools", {"calls": 10}, 0),
    ],
)
def test_each_criterion_gives_the_points_it_should(criterion, fields, score):
    assert points(entry(**fields), now=NOW, first=False)[criterion] == score


def test_the_first_session_of_a_repo_is_worth_five():
    assert points(entry(), now=NOW, first=True)["novelty"] == 5
    assert points(entry(repo=""), now=NOW, first=True)["novelty"] == 0


def test_best_first_newest_among_equals():
    entries = [
        entry(1, end=NOW - 2),
        entry(2, end=NOW - 1),
        entry(3, outcome="failure", end=NOW - 3),
    ]
    assert [p.id for p in choose(entries, now=NOW, firsts=[]).picks] == [
        "s3",
        "s2",
        "s1",
    ]


def test_points_add_up_to_the_score():
    (pick,) = choose([entry(calls=12, messages=60)], now=NOW, firsts=[1]).picks
    assert pick.score == sum(pick.why.values()) == 3 + 3 + 5 + 1 + 2


def test_count_minimum_and_share_cut_the_list():
    entries = [
        entry(n, outcome="failure" if n < 4 else "unknown") for n in range(1, 11)
    ]
    assert len(choose(entries, now=NOW, firsts=[], count=2).picks) == 2
    assert len(choose(entries, now=NOW, firsts=[], min_score=8).picks) == 3
    assert len(choose(entries, now=NOW, firsts=[], top_percent=25).picks) == 3
    assert choose(entries, now=NOW, firsts=[], min_score=99).considered == 10
