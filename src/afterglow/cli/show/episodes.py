"""Episodes of a problem on a terminal: a column a session, as many beside each other as fit."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

from afterglow.records.problems import (
    EpisodeColumn,
    EpisodeLine,
    EpisodeTold,
    ProblemEpisodes,
)
from afterglow.text.clip import printable
from afterglow.text.numbers import count, day, short_id

MIN_COLUMN = 34  # characters: narrower ones break every command
GAP = "  "
MOMENTS = {
    "start": "at its start",
    "compaction": "after a compaction",
    "subagent": "as a sub-agent began",
    "call": "before a call",
    "failure": "after a failure",
}


def side_by_side(episodes: ProblemEpisodes, width: int) -> str:
    """The episodes in rows of columns; each line ends with where it stands in its session."""
    if not episodes.columns:
        return "No episode is kept."
    beside = max(1, min(len(episodes.columns), width // MIN_COLUMN))
    wide = (width - len(GAP) * (beside - 1)) // beside
    groups = [
        episodes.columns[start : start + beside]
        for start in range(0, len(episodes.columns), beside)
    ]
    text = "\n\n".join(_group(group, wide) for group in groups)
    more = episodes.total - len(episodes.columns)
    return f"{text}\n\n{more} more sessions met it." if more > 0 else text


def _group(columns: Sequence[EpisodeColumn], width: int) -> str:
    rows = [_cells(column) for column in columns]
    lines: list[str] = []
    for row in zip(*rows, strict=True):
        wrapped = [_wrapped(cell, width) for cell in row]
        if any(wrapped):
            lines += [*_beside(wrapped, width), ""]
    return "\n".join(lines).rstrip()


def _beside(cells: Sequence[Sequence[str]], width: int) -> Iterator[str]:
    for number in range(max(map(len, cells))):
        parts = [cell[number] if number < len(cell) else "" for cell in cells]
        yield GAP.join(part.ljust(width) for part in parts).rstrip()


def _wrapped(text: str, width: int) -> list[str]:
    return [
        piece
        for line in text.split("\n")
        for piece in textwrap.wrap(printable(line), width, subsequent_indent="  ")
    ]


def _cells(column: EpisodeColumn) -> list[str]:
    """The same rows for every column."""
    times = len(column.places)
    came = f", {count(times, 'time')}" if times > 1 else ""
    head = f"{day(column.time)} {short_id(column.session)}"
    hidden = " (exit 0, but it failed)" if column.hidden else ""
    worked = column.worked
    ending = f"worked: {_line(worked)}" if worked else "not solved in what followed"
    return [
        f"{head}\n{column.agent}{came}\n{'─' * len(head)}",
        _told("told before: ", column.before),
        f"failed{hidden}: {_line(column.failed)}",
        _lines("=> ", column.printed),
        _lines("", column.words),
        _lines("tried, failed: ", column.tried),
        _lines("then: ", column.changed),
        ending,
        _told("told then: ", column.after),
    ]


def _lines(mark: str, lines: Sequence[EpisodeLine]) -> str:
    return "\n".join(f"{mark}{_line(line)}" for line in lines)


def _line(line: EpisodeLine) -> str:
    return f"{line.text} [{line.line}]" if line.line else line.text


def _told(mark: str, moments: Sequence[EpisodeTold]) -> str:
    return "\n".join(f"{mark}{_moment(each)}" for each in moments)


def _moment(each: EpisodeTold) -> str:
    about = f", {' '.join(each.lessons)} about this" if each.lessons else ""
    return f"{count(each.items, 'item')} {MOMENTS[each.moment]}{about}"
