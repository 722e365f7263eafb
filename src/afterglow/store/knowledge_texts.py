"""The words items are found by, written anew where they were read in an older way (see `text.words.VERSION`).

They are derived from the items, so nothing can be lost and no backup is made. A migration that changes what items say
deletes the fact `words`, and everything is written anew too.
"""

from __future__ import annotations

import sqlite3

from afterglow.store.databases import transaction
from afterglow.store.knowledge_rows import FIELDS, item_of, text_of
from afterglow.text.words import VERSION

_ITEM = ", ".join(f'"{name}"' for name in FIELDS)


def bring_texts_up_to_date(db: sqlite3.Connection) -> None:
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


def _words_version(db: sqlite3.Connection) -> str:
    row = db.execute("SELECT value FROM facts WHERE name = 'words'").fetchone()
    return row[0] if row else ""


def _write_all_again(db: sqlite3.Connection) -> None:
    db.execute("DELETE FROM texts")
    rows = db.execute(f"SELECT n, {_ITEM} FROM items ORDER BY n")
    db.executemany(
        "INSERT INTO texts (rowid, words, scope) VALUES (?, ?, ?)",
        ((n, *text_of(item_of(row))) for n, *row in rows),
    )
    db.execute("INSERT OR REPLACE INTO facts VALUES ('words', ?)", [VERSION])
