"""`afterglow scan`"""

from __future__ import annotations

import sys
from pathlib import Path

import click

from afterglow import config
from afterglow.cli.options import engine_options, output
from afterglow.cli.output import print_json
from afterglow.cli.progress import progress_bar
from afterglow.cli.promises import tell_promises
from afterglow.flows.forget import keep_promises
from afterglow.flows.read import scan as run
from afterglow.records.catalog import ScanReport, Trouble
from afterglow.records.engine import Engine
from afterglow.sessions.agent_homes import AGENTS
from afterglow.show.tables import paragraph, table
from afterglow.text.clip import printable
from afterglow.text.numbers import count, local_day, number, share, size


@click.command()
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
@engine_options
@click.option(
    "--otlp",
    multiple=True,
    type=click.Path(path_type=Path),
    help="Traces of any application: a file or folder that a collector wrote (docs/traces.md).",
)
@output("table", "json")
def scan(
    paths: tuple[Path, ...],
    jobs: int | None,
    engine: Engine,
    otlp: tuple[Path, ...],
    format: str,
) -> None:
    """Find sessions and catalogue them.

    Without PATHS, looks where agents keep theirs (Hermes, Claude Code, Codex, OpenCode, Cursor and more: docs/formats.md).
    With PATHS, in those folders and files, whatever format they have. Sources are never changed. Only what is new or
    changed is read.
    """
    settings = config.load()
    paths = (*paths, *otlp)
    with progress_bar("reading sessions") as progress:
        report = run(
            settings,
            paths,
            jobs=jobs or engine.jobs(settings.cores),
            engine=engine,
            progress=progress,
        )
    print_json(report) if format == "json" else click.echo(describe(report))
    tell_promises(keep_promises(settings))
    if report.interrupted:
        sys.exit(130)
    sys.exit(exit_code(report))


def exit_code(report: ScanReport) -> int:
    """3 where there was something to read and nothing could be."""
    if report.sessions or report.empty:
        return 0
    unread = [trouble for trouble in report.troubles if trouble.state != "ok"]
    return 3 if unread or report.missing else 0


def describe(report: ScanReport) -> str:
    """What is there, in one screen."""
    lines = []
    if report.agents:
        rows = [
            (
                a.agent,
                number(a.sessions),
                number(a.empty),
                number(a.other),
                number(a.calls),
                share(a.failed, a.calls),
                number(a.repos),
                f"{local_day(a.first)} … {local_day(a.last)}",
            )
            for a in report.agents
        ]
        headers = (
            "agent",
            "sessions",
            "empty",
            "sub/cron",
            "calls",
            "failed",
            "repos",
            "from … to",
        )
        lines += [
            table(headers, rows, right="sessions empty sub/cron calls failed repos"),
            "",
        ]
    if report.repos:
        named = [
            f"{name} {sum(by.values())} (by {', '.join(sorted(by))})"
            for name, by in list(report.repos.items())[:8]
        ]
        more = len(report.repos) - len(named)
        lines += [
            paragraph(
                "; ".join(named) + (f"; and {more} more" if more > 0 else ""), "repos: "
            )
        ]
    lines.append(paragraph(_summary(report)))
    lines += _troubles(report)
    if not report.agents and (report.roots or not report.missing):
        looked = ", ".join(report.roots) or ", ".join(
            f"~/{places[-1][0]}" for places in AGENTS.values()
        )
        lines.append(
            f"No sessions found in {looked}. Give the folder they are in: afterglow scan PATH"
        )
    elif report.interrupted:
        lines.append(
            "Interrupted: what was read is kept, the next scan goes on from here."
        )
    return "\n".join(lines)


def _summary(report: ScanReport) -> str:
    sessions = [count(report.sessions, "session")]
    sessions += [f"{number(report.empty)} never used"] if report.empty else []
    sessions += (
        [f"{count(report.copies, 'copy', 'copies')} of others"] if report.copies else []
    )
    files = [f"{count(report.read, 'file')} read"]
    rest = {
        "of them read on": report.resumed,
        "unchanged": report.unchanged,
        "gone": report.gone,
        "kept out (excluded, private or forgotten)": report.kept_out,
    }
    files += [
        f"{number(n)} {what}"
        for what, n in {**rest, "not sessions": report.not_sessions}.items()
        if n
    ]
    return f"{', '.join(sessions)}. {', '.join(files)}; {size(report.bytes)} in {report.seconds:.1f} s."


def _troubles(report: ScanReport) -> list[str]:
    lines = [f"not there: {printable(path)}" for path in report.missing]
    damaged: list[str] = []
    unread: list[str] = []
    for trouble in report.troubles:
        if trouble.damaged:
            damaged.append(f"{trouble.path}:{_first(trouble)}")
        if trouble.state != "ok":
            unread.append(f"{trouble.path}: {trouble.reason}")
    if damaged:
        damaged_lines = count(report.damaged, "damaged line")
        files = count(report.damaged_files, "file")
        lines.append(f"{damaged_lines} in {files} (the rest was read):")
        lines += _some(damaged)
    if unread:
        lines.append(f"{number(len(unread))} could not be read:")
        lines += _some(unread)
    return lines


def _first(trouble: Trouble) -> str:
    if not trouble.damage:
        return f" {count(trouble.damaged, 'line')}"
    more = f" (+{number(trouble.damaged - 1)} more)" if trouble.damaged > 1 else ""
    return f"{trouble.damage[0].line}: {trouble.damage[0].reason}{more}"


def _some(lines: list[str], most: int = 5) -> list[str]:
    more = (
        [f"  … and {number(len(lines) - most)} more: --json names them"]
        if len(lines) > most
        else []
    )
    return [f"  {printable(line)}" for line in lines[:most]] + more
