"""`afterglow queue`: what hooks do in the background, by hand. Not in the list of commands: nobody needs it daily."""

from __future__ import annotations

import sys

import click

from afterglow import config
from afterglow.cli.options import output
from afterglow.cli.output import print_json
from afterglow.cli.progress import progress_bar
from afterglow.flows.harvest import Worked, work_off
from afterglow.text.numbers import count


@click.command(hidden=True)
@output("table", "json")
def queue(format: str) -> None:
    """Harvest the sessions that hooks told of and that still wait, also those that were left aside."""
    with progress_bar("harvesting sessions") as progress:
        worked = work_off(config.load(), progress=progress, again=True)
    print_json(worked) if format == "json" else click.echo(describe(worked))
    sys.exit(3 if worked.failed or worked.stopped else 0)


def describe(worked: Worked) -> str:
    """What became of the sessions that waited."""
    if worked.busy:
        return "Another process is at the queue already; `afterglow status` says what still waits."
    lines = [
        f"{count(worked.harvested, 'session')} harvested, {count(worked.created, 'item')} new"
    ]
    rest = {
        "had no transcript any more": worked.missing,
        "could not be harvested": worked.failed,
        "in the queue still: they go on, or were left aside": worked.remaining,
    }
    lines += [
        f"{count(times, 'session')} {why}" for why, times in rest.items() if times
    ]
    if worked.lessons:
        lines.append(f"{count(worked.lessons, 'lesson')} written")
    if worked.stopped:
        lines.append(f"stopped: {worked.stopped}")
    return "\n".join(lines)
