"""Rates as blocks: cells with their intervals, tables of rates, tiles, figures."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from afterglow.records.profile_report import (
    Difference,
    Effect,
    Headline,
    Rate,
    Row,
    Table,
)
from afterglow.show.blocks import (
    Axis,
    Block,
    Grid,
    Heading,
    Meter,
    Name,
    Para,
    Picture,
    Small,
    Tag,
    Tile,
    Words,
    more,
    say,
)
from afterglow.show.figures import marked
from afterglow.show.links import LinkOf, no_link
from afterglow.show.svg import TONES, Drawing, axis_end
from afterglow.text.numbers import (
    NONE,
    count,
    interval,
    number,
    percent,
    points,
    points_interval,
    short_percent,
)

WHOLE_AXIS = Axis("0 %", "100 %")
WIDE_FIGURE, NARROW_FIGURE = 900.0, 360.0  # a page's full width; a phone's
ASIDE = (
    "sessions",
    "blocked",
    "cancelled",
    "unknown",
)  # stand beside the rate of a row


def rate_cell(rate: Rate) -> Words:
    """The rate with its interval below it."""
    return say(marked(rate), Small((interval(rate),)))


def count_cell(rate: Rate) -> Words:
    """What the rate was counted from."""
    return say(number(rate.count), Small((f"of {number(rate.n)}",)))


def meter(rate: Rate, end: float, tone: str, whole: Rate) -> Words:
    """An interval on an axis from zero to `end` that all rows share; dashed, the rate of all calls."""
    if rate.value is None:
        return ()
    ends = (rate.low / end, rate.high / end, rate.value / end)
    return (Meter(*ends, (whole.value or 0) / end, tone),)


def swing(difference: Difference, end: float) -> Words:
    """A difference: the middle is zero, left is lower, right is higher."""
    if difference.value is None:
        return ()

    def place(value: float) -> float:
        return 0.5 + value / end / 2

    low, high = place(difference.low), place(difference.high)
    return (Meter(low, high, place(difference.value), 0.5, TONES[difference.effect]),)


def tag(effect: Effect) -> Tag:
    """Says which of the two kinds of comparison a reader is looking at."""
    return Tag(effect, TONES[effect])


def heading(title: str, effect: Effect, level: int = 2) -> Heading:
    return Heading(title, level, tag(effect))


def tile(headline: Headline) -> Tile:
    """One number that matters, with what it is, its interval and its n."""
    big, unit, range_ = NONE, "", "nothing to count"
    if headline.value is not None and headline.unit == "share":
        big, range_ = percent(headline.value), f"95 %: {interval(headline)}"
    elif headline.value is not None:
        big, _, unit = points(headline.value).partition(" ")
        range_ = f"95 %: {points_interval(headline)}"
    behind = count(headline.n, headline.of.removesuffix("s"), headline.of)
    return Tile(
        big,
        unit,
        headline.label,
        (range_, f"n = {behind}", count(headline.sessions, "session")),
        tag(headline.effect) if headline.effect else None,
    )


def drawn(
    rows: Sequence[Row],
    draw: Callable[[Sequence[Row], float], Drawing],
    title: str,
    *,
    wide: bool = False,
) -> Block:
    """A figure of the rows that have a rate, or the plain word that there are none; `wide`: over the whole page."""
    counted = [row for row in rows if row.rate.n]
    if not counted:
        return Para(("No calls.",), "mute")
    if not wide:
        return Picture(title, draw(counted, 400))
    return Picture(title, draw(counted, WIDE_FIGURE), draw(counted, NARROW_FIGURE))


def rates(
    table: Table,
    what: str,
    limit: int,
    whole: Rate,
    *,
    plain: bool = False,
    link: LinkOf = no_link,
) -> list[Block]:
    """Error rates, one row a group, beside that of the `whole`; `plain` leaves out the calls not in the rate."""
    rows = [row for row in table.rows if row.calls]
    if not rows:
        return [Para(("No calls.",), "mute")]
    first = rows[:limit]
    end = axis_end(row.rate for row in first)
    aside = () if plain else ASIDE
    grid = Grid(
        "",
        (what, "error rate", Axis("0 %", short_percent(end)), "failed", *aside),
        "lrdr" + "R" * len(aside),
        tuple(
            _rate_row(row, end, TONES[table.effect], whole, aside, link)
            for row in first
        ),
    )
    return [grid, *more(len(rows) - len(first), "row")]


def _rate_row(
    row: Row, end: float, tone: str, whole: Rate, aside: Iterable[str], link: LinkOf
) -> tuple[Words, ...]:
    name: Words = (Name(row.name, link(row.name)),)
    if not aside:
        name = (*name, Small((count(row.sessions, "session"),)))
    return (
        name,
        rate_cell(row.rate),
        meter(row.rate, end, tone, whole),
        count_cell(row.rate),
        *((number(getattr(row, field)),) for field in aside),
    )


def bare_row(name: str, rate: Rate) -> Row:
    """A row that is a name and a rate, for figures."""
    return Row(
        name=name,
        rate=rate,
        sessions=rate.sessions,
        calls=rate.n,
        blocked=0,
        cancelled=0,
        unknown=0,
    )
