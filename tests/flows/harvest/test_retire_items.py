"""What harvest no longer looks for is retired with its reason; what a person decided stays."""

from __future__ import annotations

import pytest

from afterglow.config import Config
from afterglow.flows.harvest import harvest, merge_rules
from afterglow.flows.harvest.merge_topics import Merging
from afterglow.harvest import FORMER_MINERS, MINERS
from afterglow.records.knowledge import Evidence, Finding, Telling
from afterglow.records.selection import below
from afterglow.store.in_memory_knowledge import Rehearsal
from keeping import NOW, item, keep, kept
from writing import ordinary


@pytest.fixture
def config(tmp_path):
    return Config(home=tmp_path / "kept", user_home=tmp_path / "home")


@pytest.mark.parametrize("miner", FORMER_MINERS)
def test_items_of_a_miner_that_is_gone_are_retired_with_a_reason(
    config, tmp_path, miner
):
    ordinary(1).save(tmp_path / "s")
    keep(config, item(1, miner=miner), item(2, miner=miner, status="candidate"))
    report = harvest(config, below(tmp_path / "s"))
    for id in ("k0000001", "k0000002"):
        after = kept(config, id)
        assert (after.status, after.reason) == ("retired", FORMER_MINERS[miner])
    assert report.changed >= 2
    assert harvest(config).changed == 0


def test_what_a_person_approved_or_wrote_stays(config, tmp_path):
    ordinary(1).save(tmp_path / "s")
    keep(
        config,
        item(1, miner="notes", decided=True),
        item(2, miner="notes", edited=True),
        item(3, miner="someone_elses"),
    )
    harvest(config, below(tmp_path / "s"))
    for id in ("k0000001", "k0000002", "k0000003"):
        assert kept(config, id).status == "active"


def test_a_miner_is_here_or_gone():
    assert not FORMER_MINERS.keys() & set(MINERS.names())


class Stricter:
    """A miner that told from one session once, and asks for two now."""

    NAME, VERSION = "stricter", 1

    @staticmethod
    def tell(findings):
        if len(findings) < 2:
            return "seen in one session"
        return Telling("`make ship` needs pier 7", "fact", directness=0.8)


def found(session: str) -> Finding:
    span = Evidence(session, "agent", 1, "result", 0, 4, "h", "pier", "tool")
    return Finding("stricter", "topic 1", {}, (span,))


def merged(before, readable):
    store = Rehearsal()
    store.save([before], by="harvest", now=NOW)
    findings = {"topic 1": [found("one")]}
    Merging(
        store,
        {},
        lambda topics: {name: findings[name] for name in topics if name in findings},
        readable,
    ).merge(findings, NOW)
    return store.kept[before.id]


@pytest.fixture
def stricter(monkeypatch):
    monkeypatch.setitem(MINERS.rows, "stricter", "stricter")
    monkeypatch.setattr(MINERS, "load", lambda name: Stricter)


def known(*sessions: str, **fields):
    spans = tuple(found(session).first for session in sessions)
    return item(1, miner="stricter", evidence=spans, **fields)


def test_what_its_own_sessions_no_longer_carry_is_retired_and_says_why(stricter):
    after = merged(known("one"), set)
    assert after.status == "retired"
    assert after.reason == "not kept any more: seen in one session"


def test_an_item_is_not_judged_by_the_sessions_that_happen_to_be_left(stricter):
    before = known("one", "lost")
    assert merged(before, lambda sessions: sessions - {"lost"}) == before


def test_a_decision_outlives_a_stricter_miner(stricter):
    before = known("one", decided=True)
    assert merged(before, set) == before


@pytest.mark.parametrize(
    ("miner", "reason"),
    [("notes", FORMER_MINERS["notes"]), ("rules", merge_rules.UNSAID)],
)
def test_what_was_read_anew_and_is_no_longer_there_says_why(miner, reason):
    store = Rehearsal()
    store.save([item(1, miner=miner)], by="harvest", now=NOW)
    Merging(store, {}, lambda topics: {}).merge(["topic 1"], NOW)
    after = store.kept["k0000001"]
    assert (after.status, after.reason) == ("retired", reason)


def test_what_a_miner_that_is_gone_left_in_the_catalogue_is_nobodys_trouble():
    before = known("one")
    assert merged(before, set) == before
