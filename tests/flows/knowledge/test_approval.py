"""What is risky is told to nobody until a person has approved exactly its words; older stores are judged again."""

from __future__ import annotations

import sqlite3

import pytest
from msgspec.structs import replace

from afterglow.config import Config
from afterglow.context import choose
from afterglow.errors import UsageError
from afterglow.flows.knowledge import approve, list_items, recall
from afterglow.mcp.evidence import checked
from afterglow.records.context import Need
from afterglow.records.knowledge import is_approved, may_be_told
from afterglow.store.knowledge import Knowledge
from afterglow.store.knowledge_risk import (
    BATCH,
    REACHED,
    RULES,
    bring_risks_up_to_date,
)
from afterglow.text.tokens import estimate
from keeping import NOW, item, keep, kept

WORDS = {
    "fact": "`make ship` fails: pier is locked: `git push --force`",
    "situation": "`make ship` fails: pier is locked",
    "remedy": "`git push --force`",
}
RISKY = item(1, **WORDS)


@pytest.fixture
def config(tmp_path):
    return Config(home=tmp_path / "kept", user_home=tmp_path / "home")


def shown(config):
    """The ids of a start context, of a search by an agent, and of the default list."""
    with Knowledge(config.knowledge) as knowledge:
        items = knowledge.items()
    need = Need(now=NOW, repo="harbor", sessions=9)
    context = choose(items, need, count=estimate)
    recalled = recall(config, "make ship pier", repo="harbor", now=NOW)
    listed = list_items(config).items
    return [[each.id for each in found] for found in (recalled, listed)] + [
        [line.item for line in context.shown]
    ]


def test_nothing_that_is_saved_as_active_is_active_if_it_is_risky(config):
    keep(config, RISKY)
    waiting = kept(config, RISKY.id)
    assert waiting.status == "candidate"
    assert waiting.risk == "`git push --force` rewrites history that others see"
    assert shown(config) == [[], [], []]


def test_a_risky_item_is_not_read_by_a_model_that_asks_for_it_by_its_id(config):
    keep(config, RISKY)
    with pytest.raises(UsageError, match="waits for a person"):
        checked(kept(config, RISKY.id))


def test_approving_what_is_risky_names_the_risk_and_the_words(config):
    keep(config, RISKY)
    with pytest.raises(UsageError, match=r"rewrites history.*git push --force"):
        approve(config, [RISKY.id], now=NOW)
    approve(config, [RISKY.id], risky=True, now=NOW)
    approved = kept(config, RISKY.id)
    assert may_be_told(approved) and is_approved(approved)
    assert shown(config)[0] == [RISKY.id]


def test_what_nobody_knows_needs_a_person_and_no_second_word(config):
    keep(config, item(1, situation="it is late", remedy="run `lampctl light --dry`"))
    assert kept(config, RISKY.id).status == "candidate"
    approve(config, [RISKY.id], now=NOW)
    assert may_be_told(kept(config, RISKY.id))


def test_other_words_have_to_be_approved_again(config):
    keep(config, RISKY)
    approve(config, [RISKY.id], risky=True, now=NOW)
    same = kept(config, RISKY.id)
    keep(config, replace(same, approved="", confidence=0.9))
    assert may_be_told(kept(config, RISKY.id))
    keep(config, replace(same, remedy="`git push --force --all`"))
    again = kept(config, RISKY.id)
    assert (again.status, again.decided) == ("candidate", False)


def test_a_store_of_older_rules_is_judged_when_it_is_opened(config):
    keep(config, RISKY, item(2))
    db = sqlite3.connect(config.knowledge)
    db.execute("UPDATE items SET risk = '', status = 'active', decided = 1")
    db.execute("DELETE FROM facts WHERE name = 'risk rules'")
    db.commit()
    db.close()
    with Knowledge(config.knowledge) as knowledge:
        statuses = {each.id: each.status for each in knowledge.items()}
        history = [(line.by, line.what) for line in knowledge.history(RISKY.id)]
    assert statuses == {RISKY.id: "candidate", item(2).id: "active"}
    assert ("upgrade", "risk") in history
    assert ("upgrade", "status") in history
    assert shown(config)[1] == [item(2).id]


def test_a_large_store_is_judged_piece_by_piece(config):
    """Whoever is killed over it, as a hook may be, has not worked for nothing."""
    many = [item(number) for number in range(2, 2 + 2 * BATCH)]
    keep(config, *many, RISKY)
    with Knowledge(config.knowledge) as knowledge:
        knowledge.rows("UPDATE items SET risk = '', status = 'active'")
        knowledge.set_fact(RULES, "older")
        bring_risks_up_to_date(knowledge, most=1)
        assert knowledge.fact(REACHED).endswith(f":{BATCH}")
        assert knowledge.get(RISKY.id).status == "active"
        bring_risks_up_to_date(knowledge, most=None)
        assert knowledge.get(RISKY.id).status == "candidate"
        assert knowledge.fact(RULES) != "older"
