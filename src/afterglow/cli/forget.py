"""`afterglow forget`"""

from __future__ import annotations

import sys
from pathlib import Path

import click

from afterglow import config
from afterglow.cli.options import Since
from afterglow.cli.output import print_json
from afterglow.cli.progress import progress_bar
from afterglow.config import Config
from afterglow.errors import UsageError
from afterglow.flows.forget import (
    Choice,
    finish_forgetting,
    forget_items,
    outline,
    remember_again,
)
from afterglow.flows.forget import forget as run
from afterglow.flows.knowledge import show
from afterglow.flows.settings import forgetting_words
from afterglow.records.forgetting import Forgetting
from afterglow.show.tables import paragraph
from afterglow.text.clip import printable
from afterglow.text.numbers import count, local_day

MAX_LINES = 10  # of sessions, and of transcripts: the rest is counted
DELETED = "forgotten by a person"


@click.command()
@click.argument("sessions", nargs=-1)
@click.option("--repo", metavar="NAME", help="All sessions of this repository.")
@click.option(
    "--path",
    "paths",
    multiple=True,
    type=click.Path(path_type=Path),
    help="All sessions that worked, or whose files lie, below this folder.",
)
@click.option(
    "--since", type=Since(), help="Sessions that ended since: 7d, 2026-11-01."
)
@click.option("--until", type=Since(), help="Sessions that ended before that.")
@click.option(
    "--gone",
    "without_transcript",
    is_flag=True,
    help="Sessions whose transcripts are gone.",
)
@click.option("--excluded", is_flag=True, help="Sessions of places that are excluded.")
@click.option(
    "--item", "items", multiple=True, metavar="ID", help="Items of knowledge."
)
@click.option(
    "--again",
    "again",
    multiple=True,
    type=click.Path(path_type=Path),
    help="Let sessions in this file or folder be read again.",
)
@click.option("--dry-run", is_flag=True, help="Only say what would go.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
def forget(
    sessions: tuple[str, ...],
    repo: str | None,
    paths: tuple[Path, ...],
    since: float | None,
    until: float | None,
    without_transcript: bool,
    excluded: bool,
    items: tuple[str, ...],
    again: tuple[Path, ...],
    dry_run: bool,
    yes: bool,
    as_json: bool,
) -> None:
    """Forget sessions with all that came of them.

    SESSIONS are ids, beginnings of ids, or files; options select further, and all must fit. Says what goes, asks, and
    takes it out of every file of the home, freed pages and logs too. Items that other sessions taught as well are told
    anew from those. What was forgotten does not come back with the next scan or harvest. Transcripts stay: they are
    your agent's. Without arguments, finishes what was broken off.
    """
    settings = config.load()
    choice = Choice(
        names=sessions,
        repo=repo,
        paths=paths,
        since=since,
        until=until,
        without_transcript=without_transcript,
        excluded=excluded,
    )
    if not dry_run and finish_forgetting(settings) is not None:
        click.echo("afterglow: finished what was broken off before", err=True)
        if choice.is_empty and not items and not again:
            return
    if again:
        _alone(choice, items)
        _tell_again(remember_again(settings, again), as_json)
    elif items:
        _alone(choice, ())
        _forget_items(settings, items, dry_run=dry_run, yes=yes, as_json=as_json)
    else:
        _forget_sessions(settings, choice, dry_run=dry_run, yes=yes, as_json=as_json)


def _alone(choice: Choice, items: tuple[str, ...]) -> None:
    if not choice.is_empty or items:
        raise UsageError(
            "--item and --again stand alone; sessions are forgotten by another command"
        )


def _forget_sessions(
    settings: Config, choice: Choice, *, dry_run: bool, yes: bool, as_json: bool
) -> None:
    with progress_bar("looking what would go", ticking=True):
        planned = outline(settings, choice)
    if not planned.sessions or dry_run:
        _tell(planned, as_json)
        return
    if not yes:
        _ask(description(planned))
    with progress_bar("forgetting", ticking=True):
        report = run(settings, choice)
    _tell(report, as_json)


def _forget_items(
    settings: Config, ids: tuple[str, ...], *, dry_run: bool, yes: bool, as_json: bool
) -> None:
    chosen = [entry.item for entry in show(settings, ids)]
    planned = Forgetting(removed=tuple(item.id for item in chosen), dry=True)
    if dry_run:
        _tell(planned, as_json)
        return
    if not yes:
        lines = [f"{item.id}  {printable(item.fact)}" for item in chosen]
        _ask("\n".join(lines))
    with progress_bar("forgetting", ticking=True):
        report = forget_items(settings, chosen, why=DELETED)
    _tell(report, as_json)


def _ask(text: str) -> None:
    """On standard error: what a script reads is the result alone."""
    click.echo(text, err=True)
    if not sys.stdin.isatty():
        raise UsageError("nothing was forgotten; --yes does it without asking")
    click.confirm("Forget this for good?", abort=True, err=True)


def _tell(report: Forgetting, as_json: bool) -> None:
    if as_json:
        print_json(report)
        return
    click.echo(description(report))
    if report.sessions or report.removed:
        click.echo("Nothing was touched." if report.dry else "Forgotten.")


def _tell_again(sessions: int, as_json: bool) -> None:
    if as_json:
        print_json({"sessions": sessions})
    else:
        text = f"{count(sessions, 'session')} may be read again"
        click.echo(f"{text}; `afterglow scan` does" if sessions else f"{text}.")


def description(report: Forgetting) -> str:
    """What goes, in one screen."""
    if not report.sessions and not report.removed:
        return "No session fits: nothing is to be forgotten."
    lines = [
        f"  {local_day(session.start)}  {session.agent}  {session.id}  {session.repo}".rstrip()
        for session in report.sessions[:MAX_LINES]
    ]
    if len(report.sessions) > MAX_LINES:
        lines.append(f"  … and {len(report.sessions) - MAX_LINES} more")
    if report.sessions:
        lines.insert(0, f"{count(len(report.sessions), 'session')}:")
    lines.append(paragraph(f"{_what_goes(report)}."))
    if report.transcripts:
        number = count(len(report.transcripts), "transcript")
        lines.append(f"{number} of your agents stay where they are:")
        lines += [f"  {printable(path)}" for path in report.transcripts[:MAX_LINES]]
    lines += [paragraph(f"{text[:1].upper()}{text[1:]}.") for text in report.remaining]
    return "\n".join(lines)


def _what_goes(report: Forgetting) -> str:
    words = forgetting_words(report)
    text = "Nothing else goes with it"
    if words.going:
        text = f"With it goes: {', '.join(words.going)}"
    if words.staying:
        text += f". What stays: {', '.join(words.staying)}"
    return text
