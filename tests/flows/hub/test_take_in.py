"""What machines send is taken in under their member's token, once, and becomes the team's items."""

from __future__ import annotations

import pytest

from contributing import Team, rule, session, withdrawn

pytestmark = pytest.mark.slow


@pytest.fixture
def team(hub_database, tmp_path):
    return Team(hub_database, tmp_path)


def test_one_persons_word_waits_and_a_second_persons_makes_it_active(team):
    assert team.send("cyd", session("s1")).accepted == 1
    team.merge()
    (item,) = team.items().values()
    assert item.status == "candidate"
    assert "one person" in item.reason
    team.send("ben", session("s2"))
    team.merge()
    (item,) = team.items().values()
    assert item.status == "active"
    assert item.reason == "2 independent sessions of 2 people"
    assert len({each.author for each in item.evidence}) == 2


def test_sending_twice_changes_nothing_and_what_is_taken_back_goes(team):
    rows = [session("s1"), session("s2", rule("s2", "never push on fridays"))]
    team.send("cyd", *rows)
    team.merge()
    before = team.items()
    assert team.send("cyd", *rows).accepted == 2
    team.merge()
    assert team.items() == before and len(before) == 2
    team.send("cyd", withdrawn("session", "s2"))
    team.merge()
    assert len(team.items()) == 1
    team.send("cyd", rows[1])
    team.merge()
    assert len(team.items()) == 1
