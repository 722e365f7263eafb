"""One table of the report as an SVG file that stands alone."""

from __future__ import annotations

from afterglow.errors import UsageError
from afterglow.records.profile_report import Difference, Report, Row
from afterglow.show.figures import forest
from afterglow.show.rate_lines import position, weeks
from afterglow.show.svg import TONES, Drawing, standalone
from afterglow.text.numbers import change, count, percent

MAX_ROWS = 24  # more do not fit on a screen
WIDTH = 600.0


def figure(report: Report, by: str) -> str:
    if by not in report.tables:
        raise UsageError(f"no figure by {by!r}; there are {', '.join(report.tables)}")
    table = report.tables[by]
    rows = [row for row in table.rows if row.rate.n]
    span = f", {report.first_day} to {report.last_day}" if report.first_day else ""
    whole = (
        f"{count(report.sessions, 'session')}, {count(report.calls, 'call')}{span}. Bars and bands are 95 % intervals, "
        f"the dashed line is the rate of all calls, {percent(report.overall.rate.value)}."
    )
    return standalone(
        _drawing(report, by, rows),
        f"Simulated: {table.title}" if report.simulated else table.title,
        [table.about, *_notes(report, by, len(rows)), whole],
    )


def _drawing(report: Report, by: str, rows: list[Row]) -> Drawing:
    tone, whole = TONES[report.tables[by].effect], report.overall.rate
    if by == "position":
        return position(rows, tone, whole, width=WIDTH)
    if by == "week":
        return weeks(rows, tone, whole, width=WIDTH)
    unit = " messages" if by == "length" else ""
    return forest(rows[:MAX_ROWS], tone, whole, unit=unit, width=WIDTH)


def _notes(report: Report, by: str, rows: int) -> list[str]:
    if by == "position":
        return [_compared(report.effects.within["second vs first half"])]
    notes: list[str] = []
    if by == "length":
        notes += map(_compared, report.effects.between.values())
    if by != "week" and rows > MAX_ROWS:
        notes.append(
            f"The {MAX_ROWS} with the most calls are shown, {rows - MAX_ROWS} more are not."
        )
    return notes


def _compared(difference: Difference) -> str:
    names = f"{difference.second_name} against {difference.first_name}".capitalize()
    if difference.value is None:
        return f"{names}: nothing to compare."
    return f"{names}, {difference.effect}: {change(difference)}."
