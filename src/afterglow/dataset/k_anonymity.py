"""No row alone: a combination of recognisable values stands for at least k rows, from at least k sessions (or units).

A row whose crowd is too small tells a little less (its month, not its week), then less again, until its crowd is large
enough. What is still too rare at the last step stays behind. Rows that are in a large crowd are left as they are.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from itertools import chain

from afterglow.dataset.table import OTHER, Cell, Draft, Filled, Row, Table

Group = tuple[Cell, ...]
Crowds = dict[Group, list[int]]  # recognisable values -> the rows that have them


def hide(
    table: Table, drafts: Iterable[Draft], k: int, people: int
) -> tuple[Filled, dict[str, Row]]:
    """The table as it may leave, and each of its rows by what it was made of."""
    every_draft = list(drafts)
    waiting = [draft for draft in every_draft if not draft.lost]
    rows = [{**draft.values} for draft in waiting]
    if people > 1 and "user" in table.quasi:
        for row in rows:  # each user would be a crowd of one person
            row["user"] = OTHER
    crowds = _generalise(table.quasi, waiting, rows, k, people)
    large = [crowd for crowd in crowds.values() if _enough(waiting, crowd, k, people)]
    sizes, people_in = _sizes(waiting, large)
    names = [column.name for column in table.columns]
    shared = list(chain.from_iterable(large))
    # an order in time would tell
    shared.sort(key=lambda at: [str(rows[at][name]) for name in names])
    filled = Filled(
        table=table,
        rows=tuple({name: rows[at][name] for name in names} for at in shared),
        generalised=_generalised(table.quasi, waiting, rows, shared),
        suppressed=len(every_draft) - len(shared),
        smallest=min(sizes, default=0),
        fewest=min(people_in, default=0),
        alone=_alone(table, [rows[at] for at in shared]),
    )
    return filled, {waiting[at].source: rows[at] for at in shared}


def _generalised(
    quasi: Sequence[str],
    drafts: Sequence[Draft],
    rows: Sequence[Row],
    shared: Sequence[int],
) -> dict[str, int]:
    """In how many of the rows a column tells less than was known; columns of none are left out."""
    counts = {
        name: sum(rows[at][name] != drafts[at].values[name] for at in shared)
        for name in quasi
    }
    return {name: count for name, count in counts.items() if count}


def _generalise(
    quasi: Sequence[str],
    drafts: Sequence[Draft],
    rows: Sequence[Row],
    k: int,
    people: int,
) -> Crowds:
    """Takes from the rows of small crowds until none can tell less; the crowds they end in."""
    crowds: Crowds = defaultdict(list)
    levels = [0] * len(rows)
    new: Iterable[int] = range(len(rows))
    while True:
        changed: dict[Group, None] = {}  # in order, each once
        for at in new:
            group = tuple(rows[at][name] for name in quasi)
            crowds[group].append(at)
            changed[group] = None
        moving: list[int] = []
        for group in changed:
            crowd = crowds[group]
            if _enough(drafts, crowd, k, people):
                continue
            movable = [at for at in crowd if levels[at] < len(drafts[at].steps)]
            crowds[group] = [at for at in crowd if levels[at] >= len(drafts[at].steps)]
            moving += movable
        if not moving:
            return crowds
        for at in moving:
            rows[at].update(drafts[at].steps[levels[at]])
            levels[at] += 1
        new = moving


def _enough(drafts: Sequence[Draft], crowd: Sequence[int], k: int, people: int) -> bool:
    size, several = _size(drafts, crowd)
    return size >= k and several >= people


def _sizes(
    drafts: Sequence[Draft], crowds: Sequence[Sequence[int]]
) -> tuple[list[int], list[int]]:
    """The sizes of crowds, and how many people are in each."""
    pairs = [_size(drafts, crowd) for crowd in crowds]
    return [size for size, _ in pairs], [several for _, several in pairs]


def _size(drafts: Sequence[Draft], crowd: Sequence[int]) -> tuple[int, int]:
    """How many rows, or sessions behind them if those are fewer; how many people, all unknown ones counting as one."""
    behind: set[str] = set()
    people: set[str] = set()
    for at in crowd:
        behind |= drafts[at].behind or {drafts[at].source}
        people |= drafts[at].people
    return min(len(crowd), len(behind)), len(people)


def _alone(table: Table, rows: Sequence[Row]) -> int:
    telling = [column.name for column in table.columns if column.kind != "id"]
    times = Counter(tuple(row[name] for name in telling) for row in rows)
    return sum(count == 1 for count in times.values())
