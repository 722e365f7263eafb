"""`afterglow scan`"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import click

from afterglow import config
from afterglow.cli.options import output
from afterglow.cli.tables import day, number, percent, print_json, size, table
from afterglow.flows.scan import Progress
from afterglow.flows.scan import scan as run
from afterglow.records.catalog import ScanReport
from afterglow.sessions.places import AGENTS


@click.command()
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
@click.option("--jobs", type=click.IntRange(1, 256), help="Worker processes; as many as there are cores if not said.")
@output("table", "json")
def scan(paths: tuple[Path, ...], jobs: int | None, format: str) -> None:
    """Find sessions and catalogue them.

    Without PATHS, looks where Hermes, Claude Code, Codex, Gemini CLI, Copilot CLI and pi keep theirs. With PATHS, in
    those folders and files, whatever format they have. Sources are never changed. Only what is new or changed is read.
    """
    settings = config.load()
    with progress_bar() as progress:
        report = run(settings, paths, jobs=jobs or settings.cores, progress=progress)
    print_json(report) if format == "json" else click.echo(describe(report))
    if report.interrupted:
        sys.exit(130)
    sys.exit(exit_code(report))


def exit_code(report: ScanReport) -> int:
    """3 where there was something to read and nothing could be."""
    trouble = report.missing or any(t.state != "ok" for t in report.troubles)
    return 3 if trouble and not report.sessions and not report.empty else 0


@contextmanager
def progress_bar() -> Iterator[Progress]:
    """A bar on a terminal, drawn from the first piece of work on (workers are started before it); nothing elsewhere."""
    if not sys.stderr.isatty():
        yield lambda done, total: None
        return
    with ExitStack() as stack:
        bar: list[Callable[[int, int], None]] = []

        def advance(done: int, total: int) -> None:
            if not bar:
                bar.append(_drawn(stack))
            bar[0](done, total)

        yield advance


def _drawn(stack: ExitStack) -> Progress:
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    columns = (TextColumn("reading"), BarColumn(), DownloadColumn(), TimeRemainingColumn())
    bar = stack.enter_context(Bar(*columns, console=Console(stderr=True), transient=True))
    task = bar.add_task("", total=None)
    return lambda done, total: bar.update(task, completed=done, total=total)


def describe(report: ScanReport) -> str:
    """What is there, in one screen."""
    lines = []
    if report.agents:
        rows = [
            (a.agent, number(a.sessions), number(a.empty), number(a.other), number(a.calls),
             percent(a.failed, a.calls), number(a.repos), f"{day(a.first)} … {day(a.last)}")
            for a in report.agents
        ]  # fmt: skip
        headers = ("agent", "sessions", "empty", "sub/cron", "calls", "failed", "repos", "from … to")
        lines += [table(headers, rows, right="sessions empty sub/cron calls failed repos"), ""]
    if report.repos:
        named = [
            f"{name} {sum(by.values())} (by {', '.join(sorted(by))})" for name, by in list(report.repos.items())[:8]
        ]
        more = len(report.repos) - len(named)
        lines += ["repos: " + "; ".join(named) + (f"; and {more} more" if more > 0 else "")]
    lines.append(_summary(report))
    lines += _troubles(report)
    if not report.agents and (report.roots or not report.missing):
        looked = ", ".join(report.roots) or ", ".join(f"~/{below}" for below, _ in AGENTS.values())
        lines.append(f"No sessions found in {looked}. Give the folder they are in: afterglow scan PATH")
    elif report.interrupted:
        lines.append("Interrupted: what was read is kept, the next scan goes on from here.")
    return "\n".join(lines)


def _summary(report: ScanReport) -> str:
    words = [f"{number(report.sessions)} sessions"]
    if report.empty:
        words.append(f"{number(report.empty)} never used")
    if report.copies:
        words.append(f"{number(report.copies)} copies of others")
    files = [f"{number(report.read)} files read"]
    for count, what in (
        (report.resumed, "of them read on"),
        (report.unchanged, "unchanged"),
        (report.gone, "gone"),
        (report.not_sessions, "not sessions"),
    ):
        if count:
            files.append(f"{number(count)} {what}")
    return f"{', '.join(words)}. {', '.join(files)}; {size(report.bytes)} in {report.seconds:.1f} s."


def _troubles(report: ScanReport) -> list[str]:
    lines = [f"not there: {path}" for path in report.missing]
    damaged = sum(trouble.damaged for trouble in report.troubles)
    if damaged:
        hurt = [t for t in report.troubles if t.damaged]
        lines.append(f"{number(damaged)} damaged lines in {len(hurt)} files (the rest of each file was read):")
        lines += [
            f"  {t.path}:{t.damage[0].line}: {t.damage[0].reason}"
            + (f" (+{t.damaged - 1} more)" if t.damaged > 1 else "")
            for t in hurt[:5]
            if t.damage
        ]
        lines += [f"  … and {len(hurt) - 5} more files: --json names them all"] if len(hurt) > 5 else []
    unreadable = [trouble for trouble in report.troubles if trouble.state != "ok"]
    if unreadable:
        lines.append(f"{len(unreadable)} could not be read:")
        lines += [f"  {t.path}: {t.reason}" for t in unreadable[:5]]
        lines += [f"  … and {len(unreadable) - 5} more: --json names them all"] if len(unreadable) > 5 else []
    return lines
