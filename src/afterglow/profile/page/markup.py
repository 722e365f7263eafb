"""Pieces of the page: headings, tables, tiles. Text is escaped here, once; what comes back is HTML."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from afterglow.profile.drawing import axis_end
from afterglow.profile.figures import TONES, marked, meter
from afterglow.profile.words import count, interval, number, percent, points, points_interval
from afterglow.records.report import Effect, Headline, Rate, Table

Cell = tuple[str, str]  # class, HTML


def heading(title: str, effect: Effect | None = None, level: int = 2) -> str:
    return f"<h{level}>{escape(title)}{' ' + tag(effect) if effect else ''}</h{level}>"


def tag(effect: Effect) -> str:
    """Says which of the two kinds of comparison a reader is looking at."""
    return f'<span class="tag {TONES[effect]}">{effect}</span>'


def para(words: str, kind: str = "") -> str:
    return f'<p class="{kind}">{escape(words)}</p>' if kind else f"<p>{escape(words)}</p>"


def note(title: str, words: str) -> str:
    return f'<div class="note"><p><b>{escape(title)}</b>{escape(words)}</p></div>'


def pair(*columns: str) -> str:
    """Side by side where there is room."""
    return f'<div class="pair">{"".join(f"<div>{column}</div>" for column in columns)}</div>'


def tile(found: Headline) -> str:
    """One number that matters, with what it is, its interval and its n."""
    if found.value is None:
        big, range_ = "–", "nothing to count"
    elif found.unit == "share":
        big, range_ = percent(found.value), interval(found)
    else:
        signed, _, unit = points(found.value).partition(" ")
        big, range_ = f"{signed} <span>{unit}</span>", points_interval(found)
    effect = f"<div>{tag(found.effect)}</div>" if found.effect else ""
    behind = f"n = {count(found.n, found.of.removesuffix('s'), found.of)}, {count(found.sessions, 'session')}"
    return f"<div><b>{big}</b><p>{escape(found.label)}</p>{effect}<small>{range_}<br>{escape(behind)}</small></div>"


def definitions(pairs: Iterable[tuple[str, str]]) -> str:
    return f"<dl>{''.join(f'<dt>{escape(name)}</dt><dd>{escape(words)}</dd>' for name, words in pairs)}</dl>"


def grid(heads: Sequence[Cell], rows: Iterable[Sequence[Cell]]) -> str:
    """A table; the class of a head is the class of its column unless a cell says otherwise."""
    top = "".join(f'<th class="{kind}">{escape(words)}</th>' for kind, words in heads)
    body = "".join("<tr>" + "".join(f'<td class="{kind}">{inner}</td>' for kind, inner in row) + "</tr>" for row in rows)
    return f'<div class="roll"><table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table></div>'


def rate_cell(rate: Rate) -> Cell:
    """The rate with its interval below it."""
    return "r", f"{marked(rate)}<small>{interval(rate)}</small>"


def rates(table: Table, name: str, most: int, *, plain: bool = False) -> str:
    """Error rates, one row a group; `plain` leaves out the calls that are beside the rate."""
    tone = TONES[table.effect]
    rows = [row for row in table.rows if row.calls]
    shown = rows[:most]
    end = axis_end(row.rate for row in shown)
    heads = [("", name), ("r", "error rate"), ("", ""), ("r", "failed of decided"), ("r extra", "sessions")]
    beside = [("r extra", words) for words in ("blocked", "cancelled", "unknown")]
    cells = [
        [
            ("name", escape(row.name)),
            rate_cell(row.rate),
            ("draw", meter(row.rate, end, tone)),
            ("r", f"{number(row.rate.count)} of {number(row.rate.n)}"),
            ("r extra", number(row.sessions)),
            *([] if plain else [("r extra", number(aside)) for aside in (row.blocked, row.cancelled, row.unknown)]),
        ]
        for row in shown
    ]
    if not cells:
        return para("No calls.", "mute")
    return grid(heads if plain else heads + beside, cells) + more(len(rows) - len(shown), "row")


def more(rest: int, what: str) -> str:
    return para(f"{count(rest, 'more ' + what)} in the JSON report.", "mute") if rest > 0 else ""
