"""The words items are found by, written anew where they were read in an older way (see `text.words.VERSION`).

They are derived from the items, so nothing can be lost and no backup is made. A migration that changes what items say
deletes the fact `words`, and everything is written anew too. At a hub its merger does it.
"""

from __future__ import annotations

import sqlite3

from afterglow.store.databases import Database, transaction
from afterglow.store.knowledge_rows import FIELDS, item_of, text_of
from afterglow.text.words import VERSION

AT_ONCE = 1000  # items held in memory meanwhile

_ITEM = ", ".join(f'"{name}"' for name in FIELDS)


def bring_texts_up_to_date(db: Database) -> None:
    """A store that can only be read is left as it is: words that did not change are found all the same."""
    if _words_version(db) == VERSION:
        return
    try:
        with transaction(db):
            if _words_version(db) != VERSION:  # nobody else did it meanwhile
                _write_all_again(db)
    except sqlite3.OperationalError as error:
        if not error.sqlite_errorname.startswith("SQLITE_READONLY"):
            raise


def _words_version(db: Database) -> str:
    row = db.execute("SELECT value FROM facts WHERE name = 'words'").fetchone()
    return row[0] if row else ""


def _write_all_again(db: Database) -> None:
    db.execute("DELETE FROM texts")
    query = f"SELECT n, {_ITEM} FROM items WHERE n > ? ORDER BY n LIMIT {AT_ONCE}"
    last = 0
    while rows := db.execute(query, [last]).fetchall():
        last = rows[-1][0]
        db.executemany(
            "INSERT INTO texts (rowid, words, scope) VALUES (?, ?, ?)",
            [(n, *text_of(item_of(row))) for n, *row in rows],
        )
    db.execute("DELETE FROM facts WHERE name = 'words'")
    db.execute("INSERT INTO facts (name, value) VALUES ('words', ?)", [VERSION])
