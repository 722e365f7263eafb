"""Sections that compare: length and position side by side, published claims, task types."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from afterglow.records.profile import EARLY_TURNS
from afterglow.records.profile_report import Difference, Report
from afterglow.show.figures import forest, position, swing
from afterglow.show.html import (
    Cell,
    axis,
    definitions,
    drawn,
    grid,
    heading,
    note,
    pair,
    para,
    rate_cell,
    rates,
)
from afterglow.text.numbers import change, count, number, points_interval, signed

VERDICTS = {"reproduced": "yes", "not reproduced": "no", "cannot tell": "maybe"}
WIDEST = 0.2  # a change of more than 20 points runs off the axis rather than squeezing the others


def length_and_position(report: Report) -> str:
    effects, whole = report.effects, report.overall.rate
    length, place = report.tables["length"], report.tables["position"]
    across = (
        heading("Across sessions: by length", "between sessions")
        + para(length.about, "mute")
        + drawn(
            length.rows,
            lambda rows: forest(rows, "between", whole, unit=" messages"),
            length.title,
        )
        + _changes(effects.between.items())
    )
    inside = (
        heading("Within a session: by position", "within sessions")
        + para(place.about, "mute")
        + drawn(place.rows, lambda rows: position(rows, "within", whole), place.title)
        + _changes(effects.within.items())
    )
    return pair(across, inside) + note("Reading the two together", effects.survivorship)


def claims(report: Report) -> str:
    items = "".join(
        f'<li><span class="verdict {VERDICTS[found.verdict]}">{found.verdict.capitalize()}</span>'
        f"<div><b>{escape(found.claim)}</b> <small>({found.effect})</small>{para(found.sentence)}</div></li>"
        for found in report.claims
    )
    return heading("Published claims, tested here") + f'<ul class="claims">{items}</ul>'


def task_types(report: Report) -> str:
    effects = report.effects
    starts = {kind: found for kind, found in effects.by_start.items() if found.sessions}
    reach = [
        min(max(-found.low, found.high), WIDEST)
        for found in starts.values()
        if found.value is not None
    ]
    end = max(reach, default=WIDEST)
    heads: list[Cell] = [
        ("", "starts with"),
        ("r", "first half"),
        ("r", "second half"),
        ("draw extra", axis("falls", "rises")),
        ("r", "points"),
        ("r extra", "sessions"),
    ]
    rows: list[list[Cell]] = [
        [
            ("name", escape(kind)),
            rate_cell(found.first),
            rate_cell(found.second),
            ("draw extra", swing(found, end)),
            ("r", f"{signed(found.value)}<small>{points_interval(found)}</small>"),
            ("r extra", number(found.sessions)),
        ]
        for kind, found in starts.items()
    ]
    whole, early = report.tables["task-type"], report.tables["early-task-type"]
    return (
        heading("Task types")
        + heading(
            "Does the error rate rise or fall along the session?", "within sessions", 3
        )
        + para(
            f"By what more than 60 % of the calls in the first {EARLY_TURNS} turns did. Only sessions with at least "
            f"{effects.minimum} decided calls; {count(effects.too_short, 'session')} left out.",
            "mute",
        )
        + (grid(heads, rows) if rows else "")
        + pair(
            heading("Whole sessions", "between sessions", 3)
            + rates(whole, "mostly", 4, report.overall.rate, plain=True),
            heading(f"The first {EARLY_TURNS} turns only", "between sessions", 3)
            + rates(early, "mostly", 4, report.overall.rate, plain=True),
        )
    )


def _changes(found: Iterable[tuple[str, Difference]]) -> str:
    return definitions(
        (name, change(difference))
        for name, difference in found
        if difference.value is not None
    )
