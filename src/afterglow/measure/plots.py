"""A small plot of a reading: week by week where the data has weeks, else over saved snapshots."""

from __future__ import annotations

from afterglow.measure.reading_text import amount
from afterglow.records.profile_report import Rate
from afterglow.records.reading import Reading
from afterglow.show.figures import bars, course
from afterglow.show.links import NOWHERE, Links
from afterglow.show.rate_blocks import bare_row
from afterglow.show.rate_lines import weeks
from afterglow.show.svg import Drawing

MAX_WEEKS = 16  # columns of a plot of counts; more are too thin


def plot(
    reading: Reading, *, links: Links = NOWHERE, width: float = 400
) -> Drawing | None:
    """None where there is no course to draw yet."""
    if reading.value is None:
        return None
    if len(reading.weeks) > 1:
        return _by_week(reading, links, width)
    past = [
        (snapshot.day, snapshot.value)
        for snapshot in reading.past
        if snapshot.value is not None
    ]
    if len(past) < 2:
        return None
    values = [*past, ("now", reading.value)]
    return course(values, lambda value: amount(value, reading.unit), width=width)


def _by_week(reading: Reading, links: Links, width: float) -> Drawing:
    if reading.unit != "share":
        counts = {week.week[5:]: week.n for week in reading.weeks[-MAX_WEEKS:]}
        return bars(counts, "calls", "new items in each ISO week", width=width)
    rows = [
        bare_row(week.week, _rate(week.value, week.low, week.high, week.n))
        for week in reading.weeks
    ]
    whole = _rate(reading.value, reading.low, reading.high, reading.n)
    return weeks(
        rows,
        "between",
        whole,
        of=reading.of,
        link=lambda week: links.sessions(week=week),
        width=width,
    )


def _rate(value: float | None, low: float | None, high: float | None, n: int) -> Rate:
    return Rate(
        value=value,
        low=low or 0.0,
        high=1.0 if high is None else high,
        count=0,
        n=n,
        sessions=0,
    )
