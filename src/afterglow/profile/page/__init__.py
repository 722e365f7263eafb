"""The report as one HTML file: nothing to load, no script, light or dark as the reader likes, fit to print."""

from __future__ import annotations

from importlib.resources import files

from afterglow.profile.page import comparisons, failures, people_and_time
from afterglow.records.profile_report import Report
from afterglow.show.html import heading, para, tile
from afterglow.show.svg import FONT, style
from afterglow.text.numbers import count, number

VARIABLES = {
    name: f"var(--{name})"
    for name in ("ink", "mute", "rule", "calls", "between", "within")
}


def page(report: Report) -> str:
    """The whole file, section by section."""
    css = (
        files(__name__)
        .joinpath("style.css")
        .read_text(encoding="utf-8")
        .replace("FONT", FONT)
    )
    banner = (
        '<div class="banner">Simulated: these sessions were generated, not observed.</div>'
        if report.simulated
        else ""
    )
    body = "\n".join(section(report) for section in SECTIONS)
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>Session profile</title><style>{css}{style(VARIABLES)}</style></head>\n"
        f"<body>{banner}<main>\n{body}\n</main></body></html>\n"
    )


def _head(report: Report) -> str:
    span = (
        f"{report.first_day} to {report.last_day}"
        if report.first_day
        else "no times recorded"
    )
    agents = ", ".join(
        f"{agent} ({number(sessions)})" for agent, sessions in report.agents.items()
    )
    asked = ", ".join(f"{name} {value}" for name, value in report.selection.items())
    left_out = ", ".join(
        f"{number(sessions)} {why}"
        for why, sessions in report.left_out.items()
        if sessions
    )
    lines = [
        f"Agents: {agents}." if agents else "",
        f"Selected: {asked}." if asked else "",
        f"Left out: {left_out}." if left_out else "No session was left out.",
    ]
    size = f"{count(report.sessions, 'session')}, {count(report.messages, 'message')}, {count(report.calls, 'call')}"
    return (
        "<h1>Session profile</h1>"
        + para(f"{size}; {span}.")
        + para(" ".join(line for line in lines if line), "mute")
        + f'<div class="heads">{"".join(map(tile, report.headlines))}</div>'
    )


def _notes(report: Report) -> str:
    items = "".join(para(words, "mute") for words in report.notes)
    return f"<footer>{heading('How these numbers are made')}{items}</footer>"


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
