"""`afterglow sessions list|show`"""

from __future__ import annotations

import time
from collections.abc import Iterable

import click

from afterglow import config
from afterglow.cli.options import output, report_filters
from afterglow.cli.output import print_json, print_json_in_pieces
from afterglow.flows.read import (
    note_unredacted,
    open_session,
    redacted_head,
    redacted_turns,
    session_list,
)
from afterglow.records.catalog import Entry, state
from afterglow.records.selection import Selection
from afterglow.records.session import Turn
from afterglow.records.session_list import OUTCOMES, SessionFilter
from afterglow.show.tables import table
from afterglow.text.numbers import local_time, number, short_id


@click.group()
def sessions() -> None:
    """List sessions, or show one as a readable transcript."""


@sessions.command("list")
@report_filters
@click.option(
    "--search",
    "words",
    metavar="WORDS",
    default="",
    help="Only those with all of these words in title, first request, repository or id.",
)
@click.option("--model", metavar="NAME", help="Only sessions of this model.")
@click.option("--tool", metavar="NAME", help="Only sessions that called this tool.")
@click.option(
    "--outcome",
    type=click.Choice(OUTCOMES),
    help="Only sessions that ended so.",
)
@click.option("--failures", is_flag=True, help="Only sessions with failed calls.")
@click.option(
    "--hidden", is_flag=True, help="Only those with failures no exit code shows."
)
@click.option("--given", is_flag=True, help="Only those that were given something.")
@click.option("--taught", is_flag=True, help="Only those that something kept rests on.")
@click.option(
    "--limit",
    type=click.IntRange(1, 10**9),
    default=20,
    show_default=True,
    help="How many at most, newest first.",
)
@click.option(
    "--all",
    "everything",
    is_flag=True,
    help="Also never-used sessions, copies, and files that are gone.",
)
@output("table", "json")
def list_(
    selection: Selection,
    words: str,
    model: str | None,
    tool: str | None,
    outcome: str | None,
    limit: int,
    everything: bool,
    format: str,
    **marks: bool,
) -> None:
    """Sessions in the catalogue, newest first."""
    filter = SessionFilter(
        selection=selection,
        words=words,
        model=model,
        tool=tool,
        outcome=outcome,
        marks=frozenset(mark for mark, is_set in marks.items() if is_set),
        everything=everything,
    )
    listed = session_list(config.load(), filter, size=limit)
    entries = [session.entry for session in listed.sessions]
    if format == "json":
        print_json(entries)
        return
    if not entries:
        click.echo(_nothing(filter))
        return
    now = time.time()
    rows = [
        (
            short_id(e.id),
            e.agent,
            e.repo or "–",
            local_time(e.end or e.start),
            number(e.messages),
            number(e.calls),
            number(e.failed),
            e.outcome,
            _state(e, now),
            e.title,
        )
        for e in entries
    ]
    headers = (
        "session",
        "agent",
        "repo",
        "ended",
        "messages",
        "calls",
        "failed",
        "outcome",
        "state",
        "title",
    )
    click.echo(
        table(
            headers,
            rows,
            right="messages calls failed",
            optional="state outcome agent messages",
        )
    )
    if listed.total > len(entries):
        click.echo(
            f"{number(len(entries))} of {number(listed.total)}; --limit shows more."
        )


def _nothing(filter: SessionFilter) -> str:
    if filter == SessionFilter(everything=filter.everything):
        return "No sessions. `afterglow scan` finds them; --all also shows never-used ones."
    return "No session fits all of that; leave out a filter, or --all for never-used ones too."


def _state(entry: Entry, now: float) -> str:
    notes = [name for name in ("empty", "copy", "gone") if getattr(entry, name)]
    notes += [entry.origin] if entry.origin != "main" else []
    return ", ".join([state(entry, now), *notes])


@sessions.command()
@click.argument("id")
@click.option("--full", is_flag=True, help="Nothing shortened.")
@click.option(
    "--unredacted",
    is_flag=True,
    help="Secrets and personal data as they stand in the source.",
)
@output("table", "json")
def show(id: str, full: bool, unredacted: bool, format: str) -> None:
    """One session as a transcript: who said what, which calls were made, how each ended. ID may be shortened.

    Secrets and personal data are replaced unless --unredacted is given.
    """
    settings = config.load()
    entry, session = open_session(settings, id)
    turns: Iterable[Turn] = session.turns
    if unredacted:
        lines = [turn.line for turn in session.turns] or [0]
        note_unredacted(settings, entry.id, min(lines), max(lines))
        click.echo(
            "Secrets and personal data are shown as they stand; that is noted.",
            err=True,
        )
    else:
        turns = redacted_turns(settings, session)
        entry, session = redacted_head(settings, entry, session)
    if format == "json":
        print_json_in_pieces(session, "turns", turns)
        return
    from afterglow.cli.show.transcript import transcript

    for piece in transcript(entry, session, turns, full=full):
        click.echo(piece)
