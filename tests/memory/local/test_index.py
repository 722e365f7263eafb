"""The index agrees with the entries, whatever happened to them."""

from __future__ import annotations

import random
import sqlite3
from contextlib import closing

from afterglow.memory.local import LocalBackend
from afterglow.memory.local.index import read_words
from afterglow.text.redact import Redactor

WORDS = "amber basalt cedar delta ember fjord garnet harbor indigo juniper kelp lagoon mesa nectar opal".split()


def test_many_changes_leave_what_one_pass_would_have_written(tmp_path):
    pick = random.Random(7)
    path = tmp_path / "memory.db"
    memory = LocalBackend(path, redactor=Redactor())
    kept: dict[tuple[str, str], str] = {}
    for _ in range(700):
        name = (pick.choice("ab"), f"{pick.choice(WORDS)}_{pick.randrange(60)}")
        if pick.random() < 0.3:
            assert memory.delete(*name) == (kept.pop(name, None) is not None)
        else:
            kept[name] = " ".join(pick.choices(WORDS, k=4))
            memory.store(*name, kept[name], redact=False)
    for user in "ab":
        mine = {key: value for (name, key), value in kept.items() if name == user}
        assert memory.list_keys(user) == sorted(mine)
        for word in WORDS:
            holding = {key for key, value in mine.items() if word in f"{key} {value}"}
            assert {one.key for one in memory.query(user, word, 500)} >= holding
    memory.close()
    with closing(sqlite3.connect(path)) as db:
        told = {
            (user, word.stem)
            for (user, key), value in kept.items()
            for word in {
                *read_words(key).pieces,
                *read_words(key).joined,
                *read_words(value).pieces,
            }
        }
        query = "SELECT name, word FROM words JOIN users ON users.n = words.user"
        assert {*db.execute(query)} == told
        counted = "SELECT count(*) FROM words WHERE entries <> (SELECT count(*) FROM postings WHERE word = n)"
        assert db.execute(counted).fetchone() == (0,)
        assert db.execute("SELECT sum(entries) FROM users").fetchone() == (len(kept),)
        lengths = (
            "SELECT (SELECT sum(length) FROM users) = (SELECT sum(length) FROM entries)"
        )
        assert db.execute(lengths).fetchone() == (1,)
        assert db.execute(
            "SELECT count(*) FROM tails WHERE word NOT IN (SELECT n FROM words)"
        ).fetchone() == (0,)


def test_the_last_entry_of_a_user_takes_everything_along(tmp_path):
    memory = LocalBackend(tmp_path / "memory.db", redactor=Redactor())
    memory.store("a", "only", "amber basalt")
    memory.delete("a", "only")
    memory.close()
    with closing(sqlite3.connect(tmp_path / "memory.db")) as db:
        for table in (
            "users",
            "entries",
            "words",
            "forms",
            "tails",
            "postings",
            "fresh",
        ):
            assert db.execute(f"SELECT count(*) FROM {table}").fetchone() == (0,), table


def test_entries_whose_words_were_read_in_an_older_way_are_read_again(tmp_path):
    path = tmp_path / "memory.db"
    memory = LocalBackend(path, redactor=Redactor())
    for number in range(70):  # more than a batch: words and fresh entries
        memory.store("a", f"key {number}", f"amber runs {number}")
    memory.close()
    with closing(sqlite3.connect(path)) as db:
        db.execute("DROP TABLE facts")  # as files were before words had a version
        db.execute("UPDATE words SET word = 'older' || word")
        db.execute("UPDATE users SET length = 1")
        db.commit()
    memory = LocalBackend(path, redactor=Redactor())
    assert memory.query("a", "running 41")[0].key == "key 41"
    assert len(memory.list_keys("a")) == 70
    assert memory.delete("a", "key 41")
    memory.close()
    with closing(sqlite3.connect(path)) as db:
        older = "SELECT count(*) FROM words WHERE word LIKE 'older%'"
        assert db.execute(older).fetchone() == (0,)
        lengths = (
            "SELECT (SELECT sum(length) FROM users) = (SELECT sum(length) FROM entries)"
        )
        assert db.execute(lengths).fetchone() == (1,)
