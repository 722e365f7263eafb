"""What a table of the dataset is: columns of numbers, of words from closed lists and of pseudonyms. Free text is in one
table alone, that of the contents of templates, which is there only when asked for."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Literal, TypeAlias

from msgspec import Struct

from afterglow.dataset.texts import may_leave
from afterglow.records.catalog import Entry
from afterglow.records.experiment import Trial
from afterglow.records.knowledge import KnowledgeItem
from afterglow.records.template import WarmTemplate

Cell: TypeAlias = str | int | float | bool | None
Row: TypeAlias = dict[str, Cell]
# id: a pseudonym. word: of the column's list. sequence: such words, with spaces. named: such a word, or a pseudonym.
# period: a week, a month or a year. text: redacted words, without names and places.
Kind = Literal[
    "id", "word", "sequence", "named", "period", "whole", "number", "yes-no", "text"
]

_TYPES: dict[str, type] = {"whole": int, "number": float, "yes-no": bool}
OTHER, ANY = "other", "any"
PSEUDONYM = re.compile(r"[a-p]{16}")
PERIOD = re.compile(r"(?:\d{4}(?:-W\d\d|-\d\d)?|any)?", re.ASCII)


class Column(Struct, frozen=True):
    name: str
    kind: Kind
    words: str
    vocabulary: frozenset[str] = frozenset()

    def takes(self, cell: Cell) -> bool:
        """Whether a cell is what this column may hold, and nothing else."""
        if self.kind in _TYPES:
            may_be_empty = self.kind != "yes-no"
            return type(cell) is _TYPES[self.kind] or (may_be_empty and cell is None)
        return isinstance(cell, str) and self._takes_text(cell)

    def _takes_text(self, text: str) -> bool:
        if self.kind == "text":
            return may_leave(text)
        if self.kind == "sequence":
            return all(word in self.vocabulary for word in text.split())
        if self.kind == "period":
            return PERIOD.fullmatch(text) is not None
        if text in ("", OTHER):
            return True
        if self.kind in ("word", "named") and text in self.vocabulary:
            return True
        return self.kind in ("id", "named") and PSEUDONYM.fullmatch(text) is not None


class Table(Struct, frozen=True):
    """A table. `quasi` are the columns by which somebody might recognise who or what a row is about: no combination of
    them stands for fewer than k rows, nor for fewer than k sessions (or units) behind them."""

    name: str
    words: str
    columns: tuple[Column, ...]
    quasi: tuple[str, ...] = ()


class Draft(Struct, frozen=True, kw_only=True):
    """A row before it is hidden in a crowd. `steps` take more and more of it away. `source` names what it was made of,
    `behind` the sessions (or units) it rests on (itself, if none), `people` whose they are: none of the three leaves.
    `lost`: what it is part of does not leave, and neither does it."""

    values: Row
    source: str
    behind: frozenset[str] = frozenset()
    people: frozenset[str] = frozenset({""})
    steps: tuple[Row, ...] = ()
    lost: bool = False


class SharedContents(Struct, frozen=True):
    """A template whose words may leave, and how many of its parts may not."""

    template: WarmTemplate
    held: int = 0


class Material(Struct, frozen=True):
    """What a dataset is made of. `outcomes` and `exclusions` are the names that may be told; `contents` are of templates
    whose words were asked for, made safe."""

    entries: tuple[Entry, ...] = ()
    items: tuple[KnowledgeItem, ...] = ()
    templates: tuple[WarmTemplate, ...] = ()
    trials: tuple[Trial, ...] = ()
    outcomes: frozenset[str] = frozenset()
    exclusions: frozenset[str] = frozenset()
    simulated: frozenset[str] = frozenset()  # experiments
    authors: Mapping[str, str] = {}  # session -> who worked in it
    contents: tuple[SharedContents, ...] = ()

    @property
    def empty(self) -> bool:
        return not (self.entries or self.items or self.templates or self.trials)

    def people(self, sessions: Iterable[str]) -> frozenset[str]:
        """Whose sessions these are; whoever is unknown counts as one."""
        return frozenset(
            self.authors.get(session, "") for session in sessions
        ) or frozenset({""})


class Filled(Struct, frozen=True):
    """A table with its rows, hidden in crowds. `generalised` counts rows in which a column tells less than was known;
    `suppressed` rows stayed behind. `smallest` is the smallest crowd, `fewest` the fewest people in one. `alone` counts
    rows that, pseudonyms aside, are like no other: who has the originals can find them.
    """

    table: Table
    rows: tuple[Row, ...]
    generalised: dict[str, int]
    suppressed: int
    smallest: int
    fewest: int
    alone: int = 0


# table -> source of a row -> the row as it will be shared
SharedRows: TypeAlias = dict[str, dict[str, Row]]
