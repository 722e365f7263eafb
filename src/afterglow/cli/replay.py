"""`afterglow replay`"""

from __future__ import annotations

from pathlib import Path

import click
import msgspec

from afterglow import config
from afterglow.cli.options import output, output_file, report_filters, worker_processes
from afterglow.cli.output import as_json, deliver, require_folder
from afterglow.cli.progress import progress_bar
from afterglow.context import BUDGET
from afterglow.flows.measure import replay as run
from afterglow.measure.replay.sentences import (
    CALLED,
    TOLD_AT,
    answer,
    calibrated,
    calls_each,
    head,
    met,
    missed,
    on_failure,
    placebo,
    range_of,
    speaking,
    trend,
    troubles,
    why_not,
    written,
)
from afterglow.records.replay import DumpRow, ReplayReport, Slice, Value
from afterglow.records.selection import Selection
from afterglow.show.reading_page import HOW_TO_READ
from afterglow.show.screen import styled
from afterglow.show.tables import paragraph, table
from afterglow.text.clip import clip
from afterglow.text.numbers import interval, number, percent


@click.command()
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
@report_filters
@click.option(
    "--budget",
    type=click.IntRange(1),
    default=BUDGET,
    show_default=True,
    help="Tokens of a context.",
)
@click.option(
    "--placebo",
    "sham",
    is_flag=True,
    help="Give each session another project's lessons instead.",
)
@click.option(
    "--writer",
    default="",
    metavar="NAME",
    help="Of written lessons, only this writer's; `nobody` leaves them out.  [default: all there are]",
)
@click.option(
    "--dump",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE.jsonl",
    help="Write each session's context and hints, one JSON line a session.",
)
@output_file
@worker_processes
@output("table", "json", "html")
def replay(
    selection: Selection,
    budget: int,
    sham: bool,
    writer: str,
    dump: Path | None,
    output: Path | None,
    jobs: int | None,
    format: str,
) -> None:
    """On your own history: how many repeated errors had their remedy in view?

    Walks the sessions in time order. Each is given the context `afterglow bootstrap` would have made from what was
    known before it started; then its errors are looked at. Lessons that somebody wrote count from the end of the first
    session that showed their remedy. Without PATHS, what the catalogue holds; with PATHS, what is found there, and only
    that. --repo, --agent and --since choose the sessions that are judged; what is known may come from all. Knowledge is
    not changed, and no model is asked.
    """
    require_folder(dump, output)
    settings = config.load()
    with progress_bar("walking your sessions again") as progress:
        report, rows = run(
            settings,
            selection,
            budget=budget,
            placebo=sham,
            writer=writer,
            jobs=jobs or settings.cores,
            progress=progress,
        )
    if dump is not None:
        _dump(rows, dump)
    deliver(render(report, format), output, f"replay of {report.sessions} sessions")


def _dump(rows: list[DumpRow], path: Path) -> None:
    with path.open("wb") as file:
        file.writelines(msgspec.json.encode(row) + b"\n" for row in rows)
    click.echo(f"{len(rows)} contexts written to {path}", err=True)


def render(report: ReplayReport, format: str) -> str:
    if format == "json":
        return as_json(report)
    if format == "html":
        from afterglow.measure.replay.page import page

        return page(report)
    if not report.sessions:
        return "No finished sessions to walk through. `afterglow scan` finds them."
    parts = [
        brief(report),
        _kinds(report),
        _moments(report),
        _curve(report),
        _slices("Week by week", report.weeks, "week"),
    ]
    parts += [
        _slices(
            "What the errors were about", (report.conventions, report.lessons), "about"
        )
    ]
    parts += (
        [_slices("By repository", report.by_repo[:12], "repository")]
        if len(report.by_repo) > 1
        else []
    )
    parts += [_values(report), _items(report), _calibration(report), _misses(report)]
    parts += [paragraph(troubles(report))] if report.troubles else []
    parts.append(HOW_TO_READ)
    return "\n\n".join(part for part in parts if part)


def brief(report: ReplayReport) -> str:
    """What matters, in eight lines."""
    lines = [
        paragraph(head(report)),
        "",
        *map(
            paragraph,
            filter(
                None,
                (
                    answer(report),
                    on_failure(report),
                    speaking(report),
                    written(report),
                    placebo(report),
                    trend(report),
                ),
            ),
        ),
    ]
    return "\n".join(lines)


def _titled(title: str) -> str:
    return styled(title, "strong") + "\n"


def _kinds(report: ReplayReport) -> str:
    rows = [
        (
            CALLED[kind],
            number(share.count),
            percent(share.value),
            interval(share),
            why_not(report, kind),
        )
        for kind, share in report.shares.items()
    ]
    headers = ("repeated errors", "n", "share", "95 %", "")
    return table(headers, rows, right="n share")


def _moments(report: ReplayReport) -> str:
    rows = [
        (
            TOLD_AT[moment.name],
            number(moment.repeats.count),
            percent(moment.repeats.value),
            interval(moment.repeats),
            calls_each(moment),
            number(moment.calls),
        )
        for moment in report.on_failure.moments
    ]
    headers = ("told first", "n", "share", "95 %", "each", "calls")
    title = "By moment, with the calls until each was solved and in all: what the right line could have saved at most"
    return f"{paragraph(title)}\n{table(headers, rows, right='n share each calls')}"


def _curve(report: ReplayReport) -> str:
    rows = [
        (
            number(p.budget),
            number(round(p.tokens)),
            number(round(p.items)),
            percent(p.in_view.value),
            interval(p.in_view),
        )
        for p in report.curve
    ]
    headers = ("budget", "tokens", "items", "remedy in view", "95 %")
    return _titled("By budget, with what a context had on average") + table(
        headers, rows, right="budget tokens items"
    )


def _slices(title: str, slices: tuple[Slice, ...], name: str) -> str:
    rows = [
        (
            s.name,
            number(s.sessions),
            number(s.errors),
            number(s.repeats),
            percent(s.in_view.value) + range_of(s),
            number(s.known),
        )
        for s in slices
    ]
    headers = (name, "sessions", "errors", "repeats", "remedy in view", "known")
    return _titled(title) + table(headers, rows, right="sessions errors repeats known")


def _values(report: ReplayReport) -> str:
    def row(group: str, v: Value) -> tuple[str, ...]:
        counts = (number(v.items), number(v.shown), number(v.tokens))
        return (group, v.name, *counts, met(v), number(v.answered), number(v.idle))

    rows = [row("category", v) for v in report.by_category] + [
        row("miner", v) for v in report.by_miner
    ]
    headers = (
        "by",
        "",
        "items",
        "shown",
        "tokens",
        "situation came",
        "answered",
        "never needed",
    )
    title = "What showing items came to: how often what they are about came, how many repeats they answered"
    return (
        f"{paragraph(title)}\n{table(headers, rows, right='items shown tokens')}"
        if rows
        else ""
    )


def _items(report: ReplayReport) -> str:
    headers = ("shown", "met", "answered", "tokens", "item", "")
    parts = []
    for title, items in (
        ("Earned their place", report.best),
        ("Shown, and never needed", report.idle),
    ):
        rows = [
            (i.shown, i.met, i.answered, number(i.tokens), i.id, clip(i.fact, 160))
            for i in items[:6]
        ]
        parts += (
            [_titled(title) + table(headers, rows, right="shown met answered tokens")]
            if rows
            else []
        )
    return "\n\n".join(parts)


def _calibration(report: ReplayReport) -> str:
    calibration = report.calibration
    if not calibration.n:
        return ""
    rows = [
        (
            f"{b.low:.1f}–{b.high:.1f}",
            f"{b.confidence:.2f}",
            percent(b.held.value),
            interval(b.held),
            number(b.held.n),
        )
        for b in calibration.bins
    ]
    headers = ("confidence", "mean", "held", "95 %", "n")
    return f"{paragraph(calibrated(calibration))}\n{table(headers, rows, right='mean held n')}"


def _misses(report: ReplayReport) -> str:
    rows = [
        (
            m.times,
            m.sessions,
            missed(m),
            m.program or m.tool,
            m.fingerprint,
        )
        for m in report.misses[:10]
    ]
    headers = ("times", "sessions", "why", "what failed", "error")
    return (
        _titled("Repeats without a good remedy in view")
        + table(headers, rows, right="times sessions")
        if rows
        else ""
    )
