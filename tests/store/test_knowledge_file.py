"""What only a knowledge store in a file does."""

import sqlite3
from contextlib import closing

import pytest

from afterglow.store.knowledge import Knowledge
from store.keeping import WHOLE, item


@pytest.fixture
def knowledge(tmp_path):
    with Knowledge(tmp_path / "home" / "knowledge.db") as opened:
        yield opened


def save(knowledge, *items):
    return knowledge.save(items, by="harvest", now=1.0)


def test_small_named_values_are_kept(knowledge):
    assert knowledge.fact("harvested") == ""
    knowledge.set_fact("harvested", "1")
    knowledge.set_fact("harvested", "2")
    assert knowledge.fact("harvested") == "2"


def test_check_names_what_is_out_of_step(knowledge):
    save(knowledge, item("a"), item("b", tags=("t",)))
    with closing(sqlite3.connect(knowledge.place)) as db, db:
        db.execute("UPDATE items SET fact = 'changed behind its back' WHERE id = 'a'")
        db.execute("DELETE FROM labels")
        values = "99, session, line, part, start, hash, 0, '', 0, '', '', '', '', 0"
        db.execute(f"INSERT INTO evidence SELECT {values} FROM evidence LIMIT 1")
    found = knowledge.check()
    assert {
        "the index does not fit item a",
        "the index does not fit tag 't' of item number 2",
        "evidence of no item: 99",
    } <= set(found)


def test_a_backup_is_one_file_that_opens_as_a_store(knowledge, tmp_path):
    save(knowledge, WHOLE)
    copy = tmp_path / "copy.db"
    knowledge.backup(copy)
    assert [path.name for path in tmp_path.glob("copy*")] == ["copy.db"]
    with Knowledge(copy) as other:
        assert other.get("ab12cd") == WHOLE
        assert other.check() == []
