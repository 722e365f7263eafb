"""Sections that compare: length and position side by side, published claims, task types."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from afterglow.profile.published_claims import CLAIMS
from afterglow.records.profile import EARLY_TURNS
from afterglow.records.profile_report import Difference, Report
from afterglow.show.blocks import (
    Axis,
    Block,
    Definitions,
    Grid,
    Heading,
    Pair,
    Para,
    Small,
    Verdict,
    Verdicts,
    Words,
    say,
)
from afterglow.show.figures import forest
from afterglow.show.links import Links
from afterglow.show.rate_blocks import drawn, heading, rate_cell, rates, swing
from afterglow.show.rate_lines import position
from afterglow.text.numbers import change, count, number, points_interval, signed

VERDICT_TONES = {"reproduced": "yes", "not reproduced": "no", "cannot tell": "maybe"}
MAX_SWING = 0.2  # a change of more than 20 points runs off the axis rather than squeezing the others
MAX_TASK_TYPES = 4


def length_and_position(report: Report, links: Links) -> Iterator[Block]:
    effects, whole = report.effects, report.overall.rate
    length, place = report.tables["length"], report.tables["position"]
    across_sessions: tuple[Block, ...] = (
        heading("Across sessions: by length", "between sessions"),
        Para(say(length.about), "mute"),
        drawn(
            length.rows,
            lambda rows, width: forest(
                rows, "between", whole, unit=" messages", width=width
            ),
            length.title,
        ),
        _changes(effects.between),
    )
    inside: tuple[Block, ...] = (
        heading("Within a session: by position", "within sessions"),
        Para(say(place.about), "mute"),
        drawn(
            place.rows,
            lambda rows, width: position(rows, "within", whole, width=width),
            place.title,
        ),
        _changes(effects.within),
    )
    yield Pair((across_sessions, inside))
    yield Para(say(effects.survivorship), "warning", "Reading the two together")


def claims(report: Report, links: Links) -> Iterator[Block]:
    yield Heading(CLAIMS)
    yield Verdicts(
        tuple(
            Verdict(
                claim.verdict.capitalize(),
                VERDICT_TONES[claim.verdict],
                claim.claim,
                claim.effect,
                claim.sentence,
            )
            for claim in report.claims
        )
    )


def task_types(report: Report, links: Links) -> Iterator[Block]:
    effects = report.effects
    yield Heading("Task types")
    question = "Does the error rate rise or fall along the session?"
    yield heading(question, "within sessions", 3)
    yield Para(
        say(
            f"By what more than 60 % of the calls in the first {EARLY_TURNS} turns did. Only sessions with at least "
            f"{effects.minimum} decided calls; {count(effects.too_short, 'session')} left out."
        ),
        "mute",
    )
    starts = {
        kind: difference
        for kind, difference in effects.by_start.items()
        if difference.sessions
    }
    if starts:
        yield _trends(starts)
    columns = (
        ("Whole sessions", "task-type"),
        (f"The first {EARLY_TURNS} turns only", "early-task-type"),
    )
    yield Pair(
        tuple(
            (
                heading(title, "between sessions", 3),
                *rates(
                    report.tables[name],
                    "mostly",
                    MAX_TASK_TYPES,
                    report.overall.rate,
                    plain=True,
                ),
            )
            for title, name in columns
        )
    )


def _trends(starts: Mapping[str, Difference]) -> Grid:
    reach = [
        min(max(-difference.low, difference.high), MAX_SWING)
        for difference in starts.values()
        if difference.value is not None
    ]
    end = max(reach, default=MAX_SWING)
    return Grid(
        "",
        (
            "starts with",
            "first half",
            "second half",
            Axis("falls", "rises"),
            "points",
            "sessions",
        ),
        "lrrDrR",
        tuple(_trend(kind, difference, end) for kind, difference in starts.items()),
    )


def _trend(kind: str, difference: Difference, end: float) -> tuple[Words, ...]:
    return (
        say(kind),
        rate_cell(difference.first),
        rate_cell(difference.second),
        swing(difference, end),
        say(signed(difference.value), Small((points_interval(difference),))),
        say(number(difference.sessions)),
    )


def _changes(differences: Mapping[str, Difference]) -> Definitions:
    return Definitions(
        tuple(
            (name, say(change(difference)))
            for name, difference in differences.items()
            if difference.value is not None
        )
    )
