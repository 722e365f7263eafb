"""Finding items by words: those that have all of them first, then those that have some, both by BM25.

At home two indexes hold the same words. `texts`, an FTS5 table, changes with the items and is always right, but weighs
every match; in a very large store it looks at the newest matches of the rarest words only. Above LARGE items the derived
index of `tantivy_index` is asked instead, where it is there and up to date. A hub has one of its own
(`postgres/knowledge_words`). Each gives numbers of items in order; whether an item still fits the filters, and may be
seen, is read from the items themselves, so an index may lag but not lie.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Collection, Sequence
from itertools import chain
from math import log
from typing import Any, Protocol, TypedDict

from msgspec import Struct

from afterglow.store.databases import Database
from afterglow.store.knowledge_rows import (
    FIELDS,
    SCOPE,
    mark_of,
    storable_text,
    sure_marks,
)
from afterglow.store.sql_limits import pieces
from afterglow.text.words import SENTENCE_WORDS, Name, names

LARGE = 10_000  # items; below, FTS5 weighs every match in 4 milliseconds or less
RAREST = 32  # words of a long question that are asked for
ENOUGH = (
    2_000  # matches of a word, or of all words, that FTS5 looks at in a large store
)

_COMPARED = {"min_confidence": "confidence >=", "changed_after": "change >"}

Ranked = list[tuple[int, float]]  # numbers of items with their scores, best first
Scope = Sequence[Collection[str]]  # marks: one of each must be there


class Wanted(TypedDict, total=False):
    """Which items; what is left out or None does not matter. `repo` is exactly that one, "" those of no repo."""

    status: Collection[str] | None
    repo: str | None
    agent: str | None
    category: str | None
    tag: str | None
    miner: str | None
    trust: str | None
    risky: bool | None
    min_confidence: float | None
    changed_after: int | None


class Asked(Struct, frozen=True):
    """A question: its names as typed, and all words of them, each once."""

    names: tuple[Name, ...]
    words: tuple[str, ...]


class Index(Protocol):
    """Finds by words alone. `every`: all names are there; otherwise at least one word is. `narrow`: looking in scope
    only is no slower than looking everywhere."""

    narrow: bool

    def find(self, question: Asked, every: bool, scope: Scope, most: int) -> Ranked: ...


def asked(text: str) -> Asked:
    """Names as a whole come before their pieces: of a long question only the first and rarest words are asked for. Words
    that sentences are built with are only asked for where there are no others."""
    every_name = tuple(dict.fromkeys(names(text)))
    asked_names = tuple(filter(_says_something, every_name)) or every_name
    wholes = (name.joined or name.pieces[0] for name in asked_names)
    pieces = (piece for name in asked_names for piece in name.pieces)
    stems = dict.fromkeys(word.stem for word in chain(wholes, pieces))
    return Asked(asked_names, tuple(stems))


def _says_something(name: Name) -> bool:
    return name.joined is not None or name.pieces[0].form not in SENTENCE_WORDS


def conditions(wanted: Wanted) -> tuple[str, list[Any]]:
    """The filters as SQL over `items`."""
    clauses, values = ["TRUE"], []
    for name, value in wanted.items():
        if value is None:
            continue
        clause, clause_values = _condition(name, value)
        clauses.append(clause)
        values += clause_values
    return " AND ".join(clauses), values


def _condition(name: str, value: Any) -> tuple[str, list[Any]]:
    if name in _COMPARED:
        return f"{_COMPARED[name]} ?", [value]
    if name == "risky":
        return "risk <> ''" if value else "risk = ''", []
    if name == "status":
        chosen = sorted(map(storable_text, value))
        marks = ", ".join("?" * len(chosen))
        return f"status IN ({marks})" if chosen else "FALSE", chosen
    if name == "tag":
        tagged = "SELECT item FROM labels WHERE kind = 'tag' AND word = ?"
        return f"n IN ({tagged})", [storable_text(str(value))]
    if name in SCOPE:
        return f"{name} = ?", [storable_text(str(value))]
    raise TypeError(f"no filter {name!r}")


def search(
    db: Database, index: Index, question: Asked, limit: int, wanted: Wanted
) -> list[tuple[Any, ...]]:
    """Rows of items, each with its score behind the fields, best first."""
    fits = _fitting(db, wanted)
    rows = (
        _ranked(index, question, True, limit, wanted, fits)
        if len(question.names) <= RAREST
        else []
    )
    if len(rows) < limit and len(question.words) > 1:
        ids = {row[0] for row in rows}
        more = _ranked(index, question, False, limit + len(rows), wanted, fits)
        rows += [row for row in more if row[0] not in ids]
    return rows[:limit]


def _ranked(
    index: Index,
    question: Asked,
    every: bool,
    limit: int,
    wanted: Wanted,
    fits: Callable[[Ranked], list[tuple[Any, ...]]],
) -> list[tuple[Any, ...]]:
    """The best of all matches are usually enough to find `limit` that fit; else the index is asked for those in scope,
    and for more and more of them."""
    scope = _scope(wanted)
    start = 3 * limit + 20
    stages = (((), start), (scope, start), (scope, 100 * start), (scope, 1 << 30))
    for marks, most in stages[1:] if index.narrow and len(scope) > 1 else stages:
        ranked = index.find(question, every, marks, most)
        rows = fits(ranked)
        if len(rows) >= limit or len(ranked) < most:
            return rows[:limit]
    return rows


def _scope(wanted: Wanted) -> Scope:
    marks: list[list[str]] = []
    for name, value in wanted.items():
        if name == "status" and value is not None:
            marks.append([mark_of(name, status) for status in sorted(value)])  # type: ignore[call-overload]
        elif name == "min_confidence" and value is not None:
            marks.append(sure_marks(float(value)))  # type: ignore[arg-type]
        elif name in {*SCOPE, "tag"} and value is not None:
            marks.append([mark_of(name, str(value))])
    return marks


def _fitting(db: Database, wanted: Wanted) -> Callable[[Ranked], list[tuple[Any, ...]]]:
    where, values = conditions(wanted)
    columns = ", ".join(f'"{name}"' for name in FIELDS)

    def fits(ranked: Ranked) -> list[tuple[Any, ...]]:
        """Equal scores are in the order of their ids, so that the same question has the same answer."""
        scores = dict(ranked)
        rows: list[tuple[Any, ...]] = []
        for batch in pieces(list(scores)):
            query = f"SELECT {columns}, n FROM items WHERE n IN ({', '.join('?' * len(batch))}) AND {where}"
            rows += [
                (*row[:-1], scores[row[-1]])
                for row in db.execute(query, [*batch, *values])
            ]
        return sorted(rows, key=lambda row: (-round(row[-1], 4), row[0]))

    return fits


class Texts:
    """The FTS5 table as an index."""

    def __init__(self, db: sqlite3.Connection, large: int) -> None:
        self._db = db
        self._weights: dict[str, float] = {}
        self._items = db.execute("SELECT coalesce(max(n), 0) FROM items").fetchone()[0]
        self.narrow = (
            self._items > 3 * large
        )  # where weighing every match takes longer than choosing

    def find(self, question: Asked, every: bool, scope: Scope, most: int) -> Ranked:
        within = "".join(
            f" AND scope : ({' OR '.join(map(_quoted, marks))})"
            for marks in scope
            if marks
        )
        if any(not marks for marks in scope):
            return []
        if self.narrow:
            return self._newest(question, every, within)[:most]
        query = f"words : ({_all_of(question) if every else _any_of(self._rarest(question.words))}){within}"
        rank = "SELECT rowid, -bm25(texts, 1, 0) FROM texts WHERE texts MATCH ? ORDER BY bm25(texts, 1, 0) LIMIT ?"
        return self._db.execute(rank, [query, most]).fetchall()

    def _newest(self, question: Asked, every: bool, within: str) -> Ranked:
        """FTS5 would weigh all matches; here it is the newest matches of all words, or of the rarest."""
        rarest = self._rarest(question.words)
        weights = {word: self._weight(word) for word in rarest}
        texts: dict[int, str] = {}
        for query in [_all_of(question)] if every else map(_quoted, rarest):
            newest = "SELECT rowid, words FROM texts WHERE texts MATCH ? ORDER BY rowid DESC LIMIT ?"
            texts.update(
                self._db.execute(
                    newest, [f"words : ({query}){within}", ENOUGH - len(texts)]
                )
            )
            if len(texts) >= ENOUGH:
                break
        return sorted(
            ((n, score(text, weights)) for n, text in texts.items()),
            key=lambda scored: -scored[1],
        )

    def _rarest(self, words: Sequence[str]) -> Sequence[str]:
        if len(words) <= RAREST and not self.narrow:
            return words
        return sorted(words[: 3 * RAREST], key=lambda word: -self._weight(word))[
            :RAREST
        ]

    def _weight(self, word: str) -> float:
        """How much a word tells: from the number of items that have it, guessed where it is large."""
        if word in self._weights:
            return self._weights[word]
        query = (
            "SELECT rowid FROM texts WHERE texts MATCH ? ORDER BY rowid DESC LIMIT ?"
        )
        rows = self._db.execute(query, [f"words : {_quoted(word)}", ENOUGH]).fetchall()
        have = float(len(rows))
        if have == ENOUGH:
            have *= self._items / (self._items - rows[-1][0] + 1)
        self._weights[word] = (
            log(1 + (self._items - have + 0.5) / (have + 0.5)) if have else 0.0
        )
        return self._weights[word]


def score(text: str, weights: dict[str, float]) -> float:
    """BM25 (k1 1.2, b 0.75) for texts that have each word once, 20 of them on average."""
    padded = f" {text} "
    matched = sum(weight for word, weight in weights.items() if f" {word} " in padded)
    length = text.count(" ") + 1
    return 2.2 / (1 + 1.2 * (0.25 + 0.75 * length / 20)) * matched


def _all_of(question: Asked) -> str:
    parts = []
    for name in question.names:
        part = " AND ".join(_quoted(piece.stem) for piece in name.pieces)
        if name.joined:
            part = f"({part}) OR {_quoted(name.joined.stem)}"
        parts.append(f"({part})")
    return " AND ".join(parts)


def _any_of(words: Sequence[str]) -> str:
    return " OR ".join(map(_quoted, words))


def _quoted(word: str) -> str:
    return f'"{word}"'
