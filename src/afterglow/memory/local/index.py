"""Writes what entries are found by: their words in order, which entries have a word, and every end of each word.

Telling each word of an entry that one more has it would touch a page of the file for each. So entries stay fresh until
there are BATCH of a user; then the words are told of all of them at once. A search looks through the fresh ones itself.
"""

from __future__ import annotations

import sqlite3
from array import array
from collections import Counter
from collections.abc import Collection, Sequence
from typing import NamedTuple

from msgspec import Struct

from afterglow.memory.local.schema import original
from afterglow.store.databases import transaction
from afterglow.store.sql_limits import pieces
from afterglow.text.words import VERSION, Word, names

BATCH = 64  # fresh entries of a user: as many as a search may look through itself
KEY_HITS = 2  # a word of the key counts as so many: it names what the entry is about
TAIL = 24  # characters of a tail that are kept: nobody types more of a word's middle
BETWEEN = 0  # no word has this number: nothing is a neighbour across it

_FACTS = "CREATE TABLE IF NOT EXISTS facts (name TEXT PRIMARY KEY, value TEXT NOT NULL)"
_FRESH = "SELECT n, length, words FROM fresh JOIN entries ON n = entry WHERE fresh.user = ? ORDER BY entry DESC"


class Words(NamedTuple):
    """The words of a text in order, and the names among them that have several pieces, as one word each."""

    pieces: list[Word]
    joined: list[Word]


def read_words(text: str) -> Words:
    words = Words([], [])
    for name in names(text):
        words.pieces.extend(name.pieces)
        if name.joined:
            words.joined.append(name.joined)
    return words


class KnownWord(NamedTuple):
    """The number of a word, and how many entries have it, fresh ones not counted."""

    number: int
    entries: int


class Fresh(Struct, frozen=True):
    """An entry that its words do not know of yet."""

    entry: int
    length: int
    words: array[int]

    def hits(self) -> Counter[int]:
        """How often it has each word."""
        hits = Counter(self.words)
        for word in self.words[: self.words.index(BETWEEN)]:
            hits[word] += KEY_HITS - 1
        del hits[BETWEEN]
        return hits


def learn(db: sqlite3.Connection, user: int, key: str, value: str) -> tuple[bytes, int]:
    """The words of an entry as numbers in order, and how many they are. Words that are new become known."""
    key_words, value_words = read_words(key), read_words(value)
    joined = key_words.joined + value_words.joined
    pieces_of_names = key_words.pieces + value_words.pieces
    numbers = _numbers(db, user, [word.stem for word in (*pieces_of_names, *joined)])
    _learn_forms(
        db, user, {(numbers[word.stem], word.form) for word in pieces_of_names}
    )
    order = array("I", [numbers[word.stem] for word in key_words.pieces])
    order.append(BETWEEN)
    order.extend(numbers[word.stem] for word in value_words.pieces)
    order.append(BETWEEN)
    order.extend(numbers[word.stem] for word in joined)
    length = (KEY_HITS - 1) * len(key_words.pieces) + len(pieces_of_names) + len(joined)
    return order.tobytes(), length


def _numbers(db: sqlite3.Connection, user: int, stems: Sequence[str]) -> dict[str, int]:
    """The number of each word; new ones get one."""
    words = known_words(db, user, set(stems))
    numbers = {stem: word.number for stem, word in words.items()}
    insert = "INSERT INTO words VALUES (NULL, ?, 0, ?)"
    for stem in stems:
        if stem not in numbers:
            numbers[stem] = db.execute(insert, [user, stem]).lastrowid or 0
    return numbers


def _learn_forms(
    db: sqlite3.Connection, user: int, spelled: set[tuple[int, str]]
) -> None:
    new = spelled - _forms(db, {word for word, _ in spelled})
    for word, form in sorted(new):
        db.execute("INSERT INTO forms VALUES (?, ?)", [word, form])
        db.executemany(
            "INSERT OR IGNORE INTO tails VALUES (?, ?, ?)", _tails(user, form, word)
        )


def known_words(
    db: sqlite3.Connection, user: int, stems: Collection[str]
) -> dict[str, KnownWord]:
    """Those of the stems that an entry has."""
    by_stem: dict[str, KnownWord] = {}
    for batch in pieces(sorted(stems)):
        marks = ", ".join("?" * len(batch))
        query = (
            f"SELECT word, n, entries FROM words WHERE user = ? AND word IN ({marks})"
        )
        for stem, number, entries in db.execute(query, [user, *batch]):
            by_stem[stem] = KnownWord(number, entries)
    return by_stem


def add(db: sqlite3.Connection, user: int, entry: int) -> None:
    """Makes an entry findable."""
    db.execute("INSERT INTO fresh VALUES (?, ?)", [user, entry])
    count = "SELECT count(*) FROM fresh WHERE user = ?"
    if db.execute(count, [user]).fetchone()[0] < BATCH:
        return
    rows = sorted(
        (word, fresh_entry.entry, hits, fresh_entry.length)
        for fresh_entry in fresh(db, user)
        for word, hits in fresh_entry.hits().items()
    )
    db.executemany("INSERT INTO postings VALUES (?, ?, ?, ?)", rows)
    _count(db, Counter(word for word, *_ in rows))
    db.execute("DELETE FROM fresh WHERE user = ?", [user])


def fresh(db: sqlite3.Connection, user: int) -> list[Fresh]:
    return [
        Fresh(entry, length, array("I", words))
        for entry, length, words in db.execute(_FRESH, [user])
    ]


def withdraw(db: sqlite3.Connection, user: int, entry: int, words: bytes) -> set[int]:
    """The entry is no longer found; the words it had."""
    had = set(array("I", words)) - {BETWEEN}
    delete_fresh = "DELETE FROM fresh WHERE user = ? AND entry = ?"
    was_fresh = db.execute(delete_fresh, [user, entry]).rowcount
    if not was_fresh:
        db.executemany(
            "DELETE FROM postings WHERE word = ? AND entry = ?",
            [(word, entry) for word in sorted(had)],
        )
        _count(db, dict.fromkeys(had, -1))
    return had


def forget(db: sqlite3.Connection, user: int, words: Collection[int]) -> None:
    """Words that no entry has any more are known no more."""
    unused: set[int] = set()
    for batch in pieces(sorted(words)):
        marks = ", ".join("?" * len(batch))
        query = f"SELECT n FROM words WHERE n IN ({marks}) AND entries = 0"
        unused.update(number for (number,) in db.execute(query, batch))
    if not unused:
        return
    for fresh_entry in fresh(db, user):
        unused.difference_update(fresh_entry.words)
    for word, form in _forms(db, unused):
        db.executemany(
            "DELETE FROM tails WHERE user = ? AND tail = ? AND word = ?",
            _tails(user, form, word),
        )
        db.execute("DELETE FROM forms WHERE word = ? AND form = ?", [word, form])
    db.executemany(
        "DELETE FROM words WHERE n = ?", [(word,) for word in sorted(unused)]
    )


def bring_words_up_to_date(db: sqlite3.Connection) -> None:
    """Entries whose words were read in an older way are read again; nothing else about them changes."""
    if _words_version(db) == VERSION:
        return
    with transaction(db):
        if _words_version(db) != VERSION:  # nobody else did it meanwhile
            _read_all_again(db)


def _words_version(db: sqlite3.Connection) -> str:
    """Empty in a file that was made before words had a version."""
    table = "SELECT 1 FROM sqlite_master WHERE name = 'facts'"
    if not db.execute(table).fetchone():
        return ""
    row = db.execute("SELECT value FROM facts WHERE name = 'words'").fetchone()
    return row[0] if row else ""


def _read_all_again(db: sqlite3.Connection) -> None:
    for table in ("fresh", "postings", "words", "forms", "tails"):
        db.execute(f"DELETE FROM {table}")
    numbers = db.execute("SELECT n FROM entries ORDER BY n").fetchall()
    for (entry,) in numbers:
        user, key, value = db.execute(
            'SELECT user, "key", value FROM entries WHERE n = ?', [entry]
        ).fetchone()
        words, length = learn(db, user, original(key), original(value))
        db.execute(
            "UPDATE entries SET words = ?, length = ? WHERE n = ?",
            [words, length, entry],
        )
        add(db, user, entry)
    db.execute(
        """UPDATE users SET length =
           (SELECT coalesce(sum(length), 0) FROM entries WHERE entries.user = users.n)"""
    )
    db.execute(_FACTS)
    db.execute("INSERT OR REPLACE INTO facts VALUES ('words', ?)", [VERSION])


def _forms(db: sqlite3.Connection, words: Collection[int]) -> set[tuple[int, str]]:
    forms: set[tuple[int, str]] = set()
    for batch in pieces(sorted(words)):
        marks = ", ".join("?" * len(batch))
        query = f"SELECT word, form FROM forms WHERE word IN ({marks})"
        forms.update(db.execute(query, batch))
    return forms


def _tails(user: int, form: str, word: int) -> set[tuple[int, str, int]]:
    return {(user, form[at : at + TAIL], word) for at in range(len(form))}


def _count(db: sqlite3.Connection, changes: dict[int, int]) -> None:
    rows = [(change, word) for word, change in sorted(changes.items())]
    db.executemany("UPDATE words SET entries = entries + ? WHERE n = ?", rows)
