"""A small plot of a reading: week by week where the data has weeks, else over saved snapshots."""

from __future__ import annotations

from collections.abc import Sequence

from afterglow.measure.reading_text import amount
from afterglow.records.profile_report import Rate, Row
from afterglow.records.reading import Reading
from afterglow.show.figures import bars, weeks
from afterglow.show.svg import Drawing, dot, line, path, text, toned

WEEKS = 16  # columns of a plot of counts


def plot(reading: Reading, *, width: float = 400) -> Drawing | None:
    """None where there is no course to draw yet."""
    if len(reading.weeks) > 1:
        if reading.unit != "share":
            counts = {week.week[5:]: week.n for week in reading.weeks[-WEEKS:]}
            return bars(counts, "calls", "new items in each ISO week", width=width)
        rows = [
            _row(week.week, _rate(week.value, week.low, week.high, week.n))
            for week in reading.weeks
        ]
        return weeks(
            rows,
            "between",
            _rate(reading.value, reading.low, reading.high, reading.n),
            width=width,
        )
    past = [(past.day, past.value) for past in reading.past if past.value is not None]
    if len(past) < 2 or reading.value is None:
        return None
    return course([*past, ("now", reading.value)], reading, width)


def course(
    points: Sequence[tuple[str, float]], reading: Reading, width: float
) -> Drawing:
    """One dot a snapshot, evenly spaced, from the lowest value to the highest."""
    left, right, top, base = 60.0, 16.0, 12.0, 92.0
    low, high = min(value for _, value in points), max(value for _, value in points)
    step = (width - left - right) / max(len(points) - 1, 1)

    def up(value: float) -> float:
        return base - (base - top) * (
            (value - low) / (high - low) if high > low else 0.5
        )

    places = [(left + step * at, up(value)) for at, (_, value) in enumerate(points)]
    marks = [
        line(left, up(value), width - right, up(value), "grid")
        + text(left - 7, up(value) + 4, amount(value, reading.unit), "m", "end")
        for value in sorted({low, high})
    ]
    marks += [
        text(left, base + 18, points[0][0], "m"),
        text(width - right, base + 18, points[-1][0], "m", "end"),
        f'<polyline class="line" points="{path(places)}"/>',
        *(dot(x, y) for x, y in places),
    ]
    return Drawing(width, base + 26, toned("calls", marks))


def _rate(value: float | None, low: float | None, high: float | None, n: int) -> Rate:
    return Rate(
        value=value,
        low=low or 0.0,
        high=1.0 if high is None else high,
        count=0,
        n=n,
        sessions=0,
    )


def _row(name: str, rate: Rate) -> Row:
    return Row(
        name=name,
        rate=rate,
        sessions=0,
        calls=rate.n,
        blocked=0,
        cancelled=0,
        unknown=0,
    )
