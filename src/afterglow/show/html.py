"""Pieces of the page: headings, tables, tiles. Text is escaped here, once; what comes back is HTML."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from html import escape

from afterglow.records.profile_report import Effect, Headline, Rate, Row, Table
from afterglow.show.figures import TONES, marked, meter
from afterglow.show.svg import Drawing, axis_end, inline
from afterglow.text.numbers import (
    NONE,
    count,
    interval,
    number,
    percent,
    points,
    points_interval,
)

Cell = tuple[str, str]  # class, HTML
ASIDE = (
    "sessions",
    "blocked",
    "cancelled",
    "unknown",
)  # fields of a row that stand beside its rate


def heading(title: str, effect: Effect | None = None, level: int = 2) -> str:
    return f"<h{level}>{escape(title)}{' ' + tag(effect) if effect else ''}</h{level}>"


def tag(effect: Effect) -> str:
    """Says which of the two kinds of comparison a reader is looking at."""
    return f'<span class="tag {TONES[effect]}">{effect}</span>'


def para(words: str, kind: str = "") -> str:
    return (
        f'<p class="{kind}">{flowing(words)}</p>'
        if kind
        else f"<p>{flowing(words)}</p>"
    )


def flowing(words: str) -> str:
    """Text whose numbers stay together at the end of a line."""
    return (
        escape(words)
        .replace(" = ", "&nbsp;=&nbsp;")
        .replace("–", "&NoBreak;–&NoBreak;")
        .replace(" points", "&nbsp;points")
        .replace(" %", "&nbsp;%")
    )


def drawn(
    rows: Sequence[Row], draw: Callable[[Sequence[Row]], Drawing], title: str
) -> str:
    """A figure of the rows that have a rate, or the plain word that there are none."""
    known = [row for row in rows if row.rate.n]
    return inline(draw(known), title) if known else para("No calls.", "mute")


def note(title: str, words: str) -> str:
    return f'<div class="note"><p><b>{escape(title)}</b>{flowing(words)}</p></div>'


def pair(*columns: str) -> str:
    """Side by side where there is room."""
    return f'<div class="pair">{"".join(f"<div>{column}</div>" for column in columns)}</div>'


def tile(found: Headline) -> str:
    """One number that matters, with what it is, its interval and its n."""
    if found.value is None:
        big, range_ = NONE, "nothing to count"
    elif found.unit == "share":
        big, range_ = percent(found.value), f"95 %: {interval(found)}"
    else:
        signed, _, unit = points(found.value).partition(" ")
        big, range_ = f"{signed} <span>{unit}</span>", f"95 %: {points_interval(found)}"
    effect = f"<div>{tag(found.effect)}</div>" if found.effect else ""
    behind = f"n = {count(found.n, found.of.removesuffix('s'), found.of)}<br>{count(found.sessions, 'session')}"
    return f"<div><b>{big}</b><p>{escape(found.label)}</p>{effect}<small>{range_}<br>{behind}</small></div>"


def definitions(pairs: Iterable[tuple[str, str]]) -> str:
    return f"<dl>{''.join(f'<dt>{escape(name)}</dt><dd>{flowing(words)}</dd>' for name, words in pairs)}</dl>"


def grid(heads: Sequence[Cell], rows: Iterable[Sequence[Cell]]) -> str:
    """A table of cells that are HTML already."""
    top = "".join(f'<th class="{kind}">{inner}</th>' for kind, inner in heads)
    body = "".join(
        "<tr>"
        + "".join(f'<td class="{kind}">{inner}</td>' for kind, inner in row)
        + "</tr>"
        for row in rows
    )
    return f'<div class="roll"><table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table></div>'


def name(words: str) -> str:
    """A name that may break where it is put together: `mcp__server__tool`."""
    return escape(words).replace("__", "__<wbr>").replace("/", "/<wbr>")


def rate_cell(rate: Rate) -> Cell:
    """The rate with its interval below it."""
    return "r", f"{marked(rate)}<small>{interval(rate)}</small>"


def share_cell(rate: Rate) -> Cell:
    """What the rate was counted from."""
    return "r", f"{number(rate.count)}<small>of {number(rate.n)}</small>"


def axis(left: str, right: str) -> str:
    """The head of a column of small drawings: what its two ends stand for."""
    return f'<span class="axis"><span>{left}</span><span>{right}</span></span>'


def rates(
    table: Table, what: str, most: int, whole: Rate, *, plain: bool = False
) -> str:
    """Error rates, one row a group, beside that of the `whole`; `plain` leaves out the calls not in the rate."""
    tone = TONES[table.effect]
    rows = [row for row in table.rows if row.calls]
    shown = rows[:most]
    end = axis_end(row.rate for row in shown)
    aside = () if plain else ASIDE
    heads = [
        ("", what),
        ("r", "error rate"),
        ("draw", axis("0 %", f"{100 * end:g} %")),
        ("r", "failed"),
    ]
    heads += [("r extra", field) for field in aside]
    cells = [
        [
            (
                "name",
                name(row.name)
                + (f"<small>{count(row.sessions, 'session')}</small>" if plain else ""),
            ),
            rate_cell(row.rate),
            ("draw", meter(row.rate, end, tone, whole)),
            share_cell(row.rate),
            *(("r extra", number(getattr(row, field))) for field in aside),
        ]
        for row in shown
    ]
    if not cells:
        return para("No calls.", "mute")
    return grid(heads, cells) + more(len(rows) - len(shown), "row")


def more(rest: int, what: str) -> str:
    return para(f"{count(rest, 'more ' + what)} not shown.", "mute") if rest > 0 else ""
