"""Episodes of a problem with what their sessions had been told."""

from __future__ import annotations

import pytest

from afterglow.config import Config
from afterglow.flows.harvest import problem_episodes
from afterglow.records.delivery import Delivery, Given
from afterglow.records.problems import KnownLesson
from afterglow.store.ledger import Ledger
from lamp_problems import failure, problem_of

LESSON = KnownLesson("k1", "dry the wick first", "active")


@pytest.fixture
def config(tmp_path) -> Config:
    return Config(home=tmp_path / "kept", user_home=tmp_path)


def delivered(config, id: str, *, session: str, time: float, items=("k1",), **fields):
    entries = tuple(Given(item, 0.9) for item in items)
    with Ledger(config.ledger) as ledger:
        ledger.add(Delivery(id=id, time=time, session=session, items=entries, **fields))


def columns(config):
    events = [
        failure("s1", "lampctl light", time=1000.0),
        failure("s2", "lampctl light", time=2000.0),
    ]
    met = problem_episodes(config, problem_of(*events, lessons=(LESSON,)))
    return {column.session: column for column in met.columns}


def test_nothing_was_told_where_there_is_no_ledger(config):
    assert all(not each.before and not each.after for each in columns(config).values())


def test_what_a_session_was_told_stands_before_or_after_its_failure(config):
    delivered(config, "d1", session="s1", time=900.0, items=("k1", "k2"))
    delivered(config, "d2", session="s2", time=2001.0, when="failure", words="w")
    first, second = columns(config)["s1"], columns(config)["s2"]
    (before,) = first.before
    assert (before.moment, before.items, before.lessons) == ("start", 2, ("k1",))
    assert first.after == () and second.before == ()
    assert [each.moment for each in second.after] == ["failure"]


def test_after_a_failure_only_what_is_about_it_counts_and_placebos_never(config):
    delivered(config, "d1", session="s1", time=1500.0, items=("k9",))
    delivered(config, "d2", session="s1", time=500.0, placebo=True)
    assert columns(config)["s1"].after == ()
    assert columns(config)["s1"].before == ()
