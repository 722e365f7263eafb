"""The report as one page, section by section."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from afterglow.profile.page import comparisons, failures, people_and_time
from afterglow.profile.page.plot import figure
from afterglow.records.profile_report import Report
from afterglow.show import html
from afterglow.show.blocks import Block, Footer, Heading, Para, Tiles, say
from afterglow.show.links import NOWHERE, Links
from afterglow.show.rate_blocks import tile
from afterglow.show.reading_page import HOW_TO_READ
from afterglow.text.numbers import count, number

__all__ = ["TITLE", "blocks", "figure", "page"]

TITLE = "Session profile"


def page(report: Report) -> str:
    """The report as a file of its own."""
    sections = chain([Heading(TITLE, 1)], blocks(report))
    return html.page(sections, TITLE, simulated=report.simulated)


def blocks(report: Report, links: Links = NOWHERE) -> Iterator[Block]:
    """The report below its title; `links` lead to the sessions behind a number."""
    for section in SECTIONS:
        yield from section(report, links)


def _head(report: Report, links: Links) -> Iterator[Block]:
    counts = (
        count(report.sessions, "session"),
        count(report.messages, "message"),
        count(report.calls, "call"),
    )
    yield Para(say(f"{', '.join(counts)}; {_span(report)}."))
    yield Para(say(" ".join(_selected(report))), "mute")
    yield Tiles(tuple(map(tile, report.headlines)))


def _span(report: Report) -> str:
    if not report.first_day:
        return "no times recorded"
    return f"{report.first_day} to {report.last_day}"


def _selected(report: Report) -> Iterator[str]:
    """Which sessions these are, and which they are not."""
    if report.agents:
        agents = (f"{agent} ({number(n)})" for agent, n in report.agents.items())
        yield f"Agents: {', '.join(agents)}."
    if report.selection:
        chosen = (f"{name} {value}" for name, value in report.selection.items())
        yield f"Selected: {', '.join(chosen)}."
    left_out = [f"{number(n)} {why}" for why, n in report.left_out.items() if n]
    if left_out:
        yield f"Left out: {', '.join(left_out)}."
    else:
        yield "No session was left out."


def _notes(report: Report, links: Links) -> Iterator[Block]:
    notes = [Para(say(words), "mute") for words in (*report.notes, f"{HOW_TO_READ}.")]
    yield Footer((Heading("How these numbers are made"), *notes))


SECTIONS = (
    _head,
    failures.calls,
    comparisons.length_and_position,
    comparisons.claims,
    comparisons.task_types,
    failures.recoveries,
    failures.recurring,
    people_and_time.interaction,
    people_and_time.sessions_and_context,
    people_and_time.weekly,
    people_and_time.groups,
    _notes,
)
