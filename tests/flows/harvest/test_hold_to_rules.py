"""Lessons of older versions are held to the rules of today, once, and what a person decided stays."""

from __future__ import annotations

import pytest

from afterglow.config import Config
from afterglow.flows.harvest import harvest
from afterglow.records.knowledge import ONE_WITNESS, Evidence
from keeping import item, keep, kept

DAY = 86400.0


@pytest.fixture
def config(tmp_path):
    return Config(home=tmp_path / "kept", user_home=tmp_path / "home")


def ran(session: str, day: float, part: str = "arguments") -> Evidence:
    return Evidence(
        session=session, agent="claude-code", line=3, part=part, start=0, length=9, hash=f"{session}{part}",
        quote="make ship", trust="assistant", repo="acme/harbor", author="a", time=day * DAY,
    )  # fmt: skip


def lesson(number: int, *spans: Evidence, **more):
    fields = {"miner": "written", "repo": "acme/harbor", "evidence": spans, **more}
    return item(number, **fields)


def test_two_sessions_of_one_afternoon_are_one_witness_since(config):
    keep(
        config,
        lesson(1, ran("s1", 1.0), ran("s2", 1.1)),
        lesson(2, ran("s1", 1.0), ran("s2", 2.1)),
        lesson(3, ran("s1", 1.0), ran("s2", 2.1, "result")),
        lesson(4, ran("s1", 1.0), decided=True),
    )
    harvest(config)
    assert [kept(config, item(n).id).status for n in (1, 2, 3, 4)] == [
        "candidate",
        "active",
        "candidate",
        "active",
    ]
    assert kept(config, item(1).id).reason == ONE_WITNESS


def test_what_held_everywhere_holds_where_it_was_shown(config):
    spans = ran("s1", 1.0), ran("s2", 2.1)
    keep(config, lesson(1, *spans, repo=""), lesson(2, *spans, repo="", edited=True))
    harvest(config)
    assert [kept(config, item(n).id).repo for n in (1, 2)] == ["acme/harbor", ""]
