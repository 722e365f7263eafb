"""No row alone: a combination of recognisable values stands for at least k rows, from at least k sessions (or units).

A row whose crowd is too small tells a little less (its month, not its week), then less again, until its crowd is large
enough. What is still too rare at the last step stays behind. Rows that are in a large crowd are left as they are.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

from afterglow.dataset.table import OTHER, Cell, Draft, Filled, Row, Table

Group = tuple[Cell, ...]
Crowds = dict[Group, list[int]]  # recognisable values -> the rows that have them


def hide(
    table: Table, drafts: Iterable[Draft], k: int, people: int
) -> tuple[Filled, dict[str, Row]]:
    """The table as it may leave, and each of its rows by what it was made of."""
    found = list(drafts)
    waiting = [draft for draft in found if not draft.lost]
    nobody: Row = (
        {"user": OTHER} if people > 1 and "user" in table.quasi else {}
    )  # each would be a crowd of one person
    rows = [{**draft.values, **nobody} for draft in waiting]
    crowds = _generalise(table.quasi, waiting, rows, k, people)
    large = [crowd for crowd in crowds.values() if _enough(waiting, crowd, k, people)]
    kept = [at for crowd in large for at in crowd]
    sizes = [_size(waiting, crowd) for crowd in large]
    names = [column.name for column in table.columns]
    kept.sort(
        key=lambda at: [str(rows[at][name]) for name in names]
    )  # an order in time would tell
    filled = Filled(
        table,
        tuple({name: rows[at][name] for name in names} for at in kept),
        {
            name: less
            for name in table.quasi
            if (less := sum(rows[at][name] != waiting[at].values[name] for at in kept))
        },
        len(found) - len(kept),
        min((size for size, _ in sizes), default=0),
        min((several for _, several in sizes), default=0),
        _alone(table, [rows[at] for at in kept]),
    )
    return filled, {waiting[at].source: rows[at] for at in kept}


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
        moving = []
        for group in changed:
            if not _enough(drafts, crowds[group], k, people):
                moving += [
                    at for at in crowds[group] if levels[at] < len(drafts[at].steps)
                ]
                crowds[group] = [
                    at for at in crowds[group] if levels[at] >= len(drafts[at].steps)
                ]
        if not moving:
            return crowds
        for at in moving:
            rows[at].update(drafts[at].steps[levels[at]])
            levels[at] += 1
        new = moving


def _enough(drafts: Sequence[Draft], crowd: Sequence[int], k: int, people: int) -> bool:
    size, several = _size(drafts, crowd)
    return size >= k and several >= people


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
    return sum(
        times == 1
        for times in Counter(
            tuple(row[name] for name in telling) for row in rows
        ).values()
    )
