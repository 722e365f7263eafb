"""`afterglow profile`"""

from __future__ import annotations

from pathlib import Path

import click

from afterglow import config
from afterglow.cli.options import output, output_file, report_filters
from afterglow.cli.output import as_json, deliver, require_folder
from afterglow.cli.progress import progress_bar
from afterglow.errors import UsageError
from afterglow.flows.read import profile as run
from afterglow.profile.published_claims import CLAIMS
from afterglow.records.profile_report import Report, Row, Table
from afterglow.records.selection import Selection
from afterglow.show.reading_page import HOW_TO_READ
from afterglow.show.screen import styled
from afterglow.show.tables import paragraph, table
from afterglow.stats.rates import FEW_SESSIONS
from afterglow.text import numbers
from afterglow.text.clip import printable

ASIDE = ("calls", "sessions", "blocked", "cancelled", "unknown")
BY = ("length", "position", "tool", "model", "task-type", "week", "agent", "repo")


@click.command()
@click.argument("session", required=False)
@report_filters
@click.option("--by", type=click.Choice(BY), help="One table instead of the overview.")
@click.option(
    "--all", "everything", is_flag=True, help="Also sub-agents and scheduled runs."
)
@click.option(
    "--plot",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE.svg",
    help="Write the figure of --by to a file.",
)
@output_file
@output("table", "json", "html")
def profile(
    selection: Selection,
    session: str | None,
    by: str | None,
    everything: bool,
    plot: Path | None,
    output: Path | None,
    format: str,
) -> None:
    """Where the agents fail, with intervals. Over all sessions, or over one SESSION (its id may be shortened).

    What differs between sessions (length) and what changes within a session (position) are different questions, and
    are answered apart. `--format html --output profile.html` writes a page with figures that opens offline.
    """
    require_folder(plot, output)
    if plot is not None and plot.suffix != ".svg":
        raise UsageError(f"--plot writes SVG; {plot.with_suffix('.svg')} would work")
    with progress_bar("counting", ticking=True):
        report = run(config.load(), selection, session=session, everything=everything)
    if plot is not None:
        from afterglow.profile.page import figure

        plot.write_text(figure(report, by or "position"), encoding="utf-8")
        click.echo(f"figure written to {plot}", err=True)
    deliver(
        render(report, format, by), output, f"profile of {report.sessions} sessions"
    )


def render(report: Report, format: str, by: str | None) -> str:
    if format == "json":
        return as_json(report.tables[by] if by else report)
    if format == "html":
        from afterglow.profile.page import page

        return page(report)
    if not report.sessions:
        return "No sessions to profile. `afterglow scan` finds them."
    return "\n".join(
        [_head(report), "", *(_by(report, by) if by else _overview(report))]
    )


def _head(report: Report) -> str:
    counts = (
        numbers.count(report.sessions, "session"),
        numbers.count(report.messages, "message"),
        numbers.count(report.calls, "call"),
    )
    simulated = "SIMULATED. " if report.simulated else ""
    span = f", {report.first_day} … {report.last_day}" if report.first_day else ""
    chosen = "".join(f"; {name} {value}" for name, value in report.selection.items())
    lines = [paragraph(f"{simulated}{', '.join(counts)}{span}{printable(chosen)}")]
    if report.left_out:
        reasons = (f"{numbers.number(n)} {why}" for why, n in report.left_out.items())
        lines.append(paragraph(", ".join(reasons), "left out: "))
    return "\n".join(lines)


def _by(report: Report, by: str) -> list[str]:
    lines = [_table(report.tables[by])]
    if by in ("length", "position"):
        lines += ["", paragraph(report.effects.survivorship)]
    if by == "task-type":
        lines += ["", _table(report.tables["early-task-type"]), "", *_trends(report)]
    return lines


def _overview(report: Report) -> list[str]:
    lines = [_headline(report), "", _table(report.tables["tool"], most=8), ""]
    lines += [
        _table(report.tables["length"]),
        "",
        _table(report.tables["position"]),
        "",
    ]
    lines += [
        paragraph(report.effects.survivorship),
        "",
        styled(CLAIMS, "strong"),
    ]
    lines += [
        paragraph(f"{claim.claim}: {claim.verdict}. {claim.sentence}", bullet="- ")
        for claim in report.claims
    ]
    lines += [
        "",
        *_errors(report),
        paragraph(
            "More: --by tool|length|position|task-type|model|week, --json, --format html --output FILE"
        ),
        HOW_TO_READ,
    ]
    return lines


def _errors(report: Report) -> list[str]:
    lines = []
    if report.recurrence.recurring:
        rows = [
            (e.count, e.sessions, e.last_seen, e.fingerprint)
            for e in report.recurrence.recurring[:8]
        ]
        headers = ("times", "sessions", "last seen", "error")
        lines += [
            styled("Errors that came back", "strong"),
            table(headers, rows, right="times sessions"),
            "",
        ]
    calls = report.recoveries.calls
    if calls.n:
        took = f"{numbers.number(calls.median)} calls at the median, {numbers.number(calls.p90)} or more for one in ten"
        lines += [f"Recovery took {took}.", ""]
    return (
        [*lines, paragraph(report.masked.sentence), ""]
        if report.masked.share.count
        else lines
    )


def _headline(report: Report) -> str:
    rows = []
    for headline in report.headlines:
        value = (
            numbers.percent(headline.value)
            if headline.unit == "share"
            else numbers.points(headline.value)
        )
        around = (
            numbers.interval(headline)
            if headline.unit == "share"
            else numbers.points_interval(headline)
        )
        effect = f" ({headline.effect})" if headline.effect else ""
        rows.append(
            (
                value,
                f"[{around}]",
                f"{numbers.number(headline.n)} {headline.of}",
                headline.label + effect,
            )
        )
    return table(("", "95 %", "n", "what"), rows, wrapped="what")


def _table(rates: Table, most: int | None = None) -> str:
    first = rates.rows[:most]
    rows = [_rate_row(row) for row in first]
    headers = ("", "failed", "95 %", *ASIDE)
    about = paragraph(f"{rates.title}. {rates.about}")
    lines = [
        about.replace(rates.title, styled(rates.title, "strong"), 1),
        table(headers, rows, right=" ".join(("failed", *ASIDE))),
    ]
    if len(rates.rows) > len(first):
        lines.append(f"… and {len(rates.rows) - len(first)} more")
    if any(row.rate.few for row in first):
        lines.append(
            f"† fewer than {FEW_SESSIONS} sessions: it may say little of others"
        )
    return "\n".join(lines)


def _rate_row(row: Row) -> tuple[str, ...]:
    counts = (row.rate.n, row.sessions, row.blocked, row.cancelled, row.unknown)
    rate = numbers.percent(row.rate.value) + ("†" if row.rate.few else "")
    return (row.name, rate, numbers.interval(row.rate), *map(numbers.number, counts))


def _trends(report: Report) -> list[str]:
    """Does the error rate fall or rise along the session, by what the session started with?"""
    rows = [
        (
            name,
            numbers.percent(d.first.value),
            numbers.percent(d.second.value),
            numbers.points(d.value),
            numbers.points_interval(d),
            numbers.number(d.sessions),
        )
        for name, d in report.effects.by_start.items()
    ]
    headers = (
        "started with",
        "first half",
        "second half",
        "change",
        "95 %",
        "sessions",
    )
    return [
        styled("Within sessions, by what the first 30 turns did", "strong"),
        table(headers, rows, right="sessions"),
    ]
