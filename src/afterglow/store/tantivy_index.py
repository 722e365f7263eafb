"""A derived index for large stores: the table `texts` once more, in `tantivy`, in the folder `knowledge.index`.

It can be deleted at any time. `state.db` in it says which folder is in use and up to which change it was filled;
whoever fills holds its write lock, and who finds it taken goes without. Whatever goes wrong here is no error: the index
is then not used, and made anew by the next writer.
"""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from types import ModuleType
from typing import Any
from uuid import uuid4

from afterglow.folders import close_to_others, private
from afterglow.store.search import RAREST, Asked, Ranked, Scope
from afterglow.text.words import VERSION

FORMAT = "1"
QUICK = 50_000  # changes that a search waits for (about half a second); more are left to the next writer
TROUBLE = (
    OSError,
    ValueError,
    RuntimeError,
    sqlite3.Error,
)  # what tantivy and the state raise


def tantivy_or_none() -> ModuleType | None:
    try:
        import tantivy
    except ImportError:
        return None
    return tantivy


class _Panics:
    """On a damaged file tantivy may panic, which Python knows only as a BaseException without a public name."""

    def __enter__(self) -> None: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: object
    ) -> None:
        if kind is not None and kind.__name__ == "PanicException":
            raise ValueError("the word index is damaged") from error


class WordIndex:
    """The index beside one store. `db` is the store's connection; the index reads from it what changed."""

    narrow = False  # everywhere it may skip what cannot be among the best; in scope it weighs every match

    def __init__(self, folder: Path, db: sqlite3.Connection, identity: str) -> None:
        self.folder = folder
        self._db = db
        self._name = f"{FORMAT}:{VERSION}:{identity}"
        self._open: tuple[str, int, Any] | None = (
            None  # folder, change, tantivy's index
        )

    def ready(self, most: int = QUICK) -> bool:
        """Whether `find` would see the store as it is now; brings the index there unless that takes `most` changes."""
        if tantivy_or_none() is None:
            return False
        try:
            with _Panics():
                state = self._state()
                if state is None or state[1] != self._change():
                    state = self._fill(most)
                return state is not None and self._load(*state)
        except sqlite3.OperationalError:  # another process fills it
            return False
        except TROUBLE:
            self.forget()
            return False

    def find(self, question: Asked, every: bool, scope: Scope, most: int) -> Ranked:
        """Raises one of TROUBLE when the files are damaged; `forget` then."""
        with _Panics():
            return self._find(question, every, scope, most)

    def _find(self, question: Asked, every: bool, scope: Scope, most: int) -> Ranked:
        tantivy = tantivy_or_none()
        assert tantivy and self._open
        index = self._open[2]
        schema, searcher, query, occur = (
            index.schema,
            index.searcher(),
            tantivy.Query,
            tantivy.Occur,
        )

        def word(text: str) -> Any:
            return query.term_query(schema, "words", text, "freq")

        def any_of(parts: list[Any]) -> Any:
            return (
                parts[0]
                if len(parts) == 1
                else query.boolean_query([(occur.Should, part) for part in parts])
            )

        if every:
            parts = []
            for name in question.names:
                pieces = query.boolean_query(
                    [(occur.Must, word(piece.stem)) for piece in name.pieces]
                )
                parts.append(
                    any_of([pieces, word(name.joined.stem)]) if name.joined else pieces
                )
            meant = query.boolean_query([(occur.Must, part) for part in parts])
        else:
            have = {one: searcher.doc_freq("words", one) for one in question.words}
            rarest = sorted(filter(have.get, have), key=lambda one: have[one])[:RAREST]
            meant = (
                any_of([word(one) for one in rarest]) if rarest else query.empty_query()
            )
        if scope:
            marks = [query.term_set_query(schema, "scope", list(one)) for one in scope]
            held = [(occur.Must, query.const_score_query(one, 0.0)) for one in marks]
            meant = query.boolean_query([(occur.Must, meant), *held])
        hits = searcher.search(
            meant, limit=max(1, min(most, searcher.num_docs)), count=False
        ).hits
        numbers = searcher.fast_field_values("n", [address for _, address in hits])
        return [(n, score) for n, (score, _) in zip(numbers, hits, strict=True)]

    def forget(self) -> None:
        """The index is not what it should be: the next writer makes it anew."""
        self._open = None
        shutil.rmtree(self.folder, ignore_errors=True)

    def _change(self) -> int:
        return int(
            self._db.execute(
                "SELECT value FROM facts WHERE name = 'change'"
            ).fetchone()[0]
        )

    def _load(self, folder: str, change: int) -> bool:
        if self._open is None or self._open[0] != folder:
            tantivy: Any = tantivy_or_none()
            index = tantivy.Index.open(str(self.folder / folder))
            index.config_reader("manual")  # no thread that watches the files
            index.reload()
            self._open = (folder, change, index)
        elif self._open[1] != change:
            self._open[2].reload()
            self._open = (folder, change, self._open[2])
        return True

    def _state(self) -> tuple[str, int] | None:
        """Folder and change, if the index was made from this store."""
        if not (self.folder / "state.db").exists():
            return None
        with (
            closing(sqlite3.connect(self.folder / "state.db", timeout=0)) as db,
            suppress(sqlite3.OperationalError),
        ):
            return self._read_state(db)
        return None

    def _read_state(self, db: sqlite3.Connection) -> tuple[str, int] | None:
        rows = db.execute(
            "SELECT folder, change FROM state WHERE name = ?", [self._name]
        ).fetchall()
        return rows[0] if rows and (self.folder / rows[0][0]).is_dir() else None

    @contextmanager
    def _lock(self) -> Iterator[sqlite3.Connection]:
        """Raises sqlite3.OperationalError at once when another process has it."""
        private(self.folder)
        with closing(
            sqlite3.connect(self.folder / "state.db", timeout=0, isolation_level=None)
        ) as db:
            db.execute("PRAGMA journal_mode = WAL")
            db.execute(
                "CREATE TABLE IF NOT EXISTS state (name TEXT, folder TEXT, change INTEGER)"
            )
            db.execute("BEGIN IMMEDIATE")
            yield db

    def _fill(self, most: int) -> tuple[str, int] | None:
        """What others committed, never what an open transaction has written."""
        if self._db.in_transaction:
            return None
        with self._lock() as lock:
            self._db.execute("BEGIN")
            try:
                state, change = self._read_state(lock), self._change()
                since = state[1] if state and state[1] <= change else -1
                query = "SELECT count(*) FROM (SELECT 1 FROM items WHERE change > ? LIMIT ?)"
                waiting = self._db.execute(query, [since, most + 1]).fetchone()[0]
                if waiting > most:
                    return None
                folder = state[0] if state and since >= 0 else uuid4().hex
                self._write(folder, since)
            finally:
                self._db.execute("ROLLBACK")
            lock.execute("DELETE FROM state")
            lock.execute(
                "INSERT INTO state VALUES (?, ?, ?)", [self._name, folder, change]
            )
            lock.execute("COMMIT")
            for entry in self.folder.iterdir():
                if entry.is_dir() and entry.name != folder:
                    shutil.rmtree(entry, ignore_errors=True)
            return folder, change

    def _write(self, folder: str, since: int) -> None:
        tantivy: Any = tantivy_or_none()
        path = self.folder / folder
        whole = since < 0
        path.mkdir(exist_ok=True)
        index = tantivy.Index(_schema(tantivy), path=str(path))
        writer = index.writer(200_000_000, 0) if whole else index.writer(15_000_000, 1)
        if not whole:
            changed = "SELECT n FROM items WHERE change > ? UNION SELECT n FROM tombstones WHERE change > ?"
            for (n,) in self._db.execute(changed, [since, since]):
                writer.delete_documents_by_term("n", n)
        rows = "SELECT rowid, words, scope FROM texts"
        if not whole:
            rows += " WHERE rowid IN (SELECT n FROM items WHERE change > ?)"
        for n, words, scope in self._db.execute(rows, [] if whole else [since]):
            writer.add_document(tantivy.Document(n=n, words=words, scope=scope))
        writer.commit()
        writer.wait_merging_threads()
        close_to_others(self.folder)  # the library makes its files for everybody


def _schema(tantivy: Any) -> Any:
    schema = tantivy.SchemaBuilder()
    schema.add_integer_field("n", indexed=True, fast=True)
    schema.add_text_field("words", tokenizer_name="whitespace", index_option="freq")
    schema.add_text_field("scope", tokenizer_name="whitespace", index_option="basic")
    return schema.build()
