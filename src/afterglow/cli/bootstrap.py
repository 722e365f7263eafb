"""`afterglow bootstrap`"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

import click

from afterglow import config
from afterglow.cli.options import Finite, output
from afterglow.cli.output import as_json, deliver
from afterglow.context import BUDGET, CONFIDENCE
from afterglow.context.render import messages
from afterglow.errors import StoreError
from afterglow.flows.session import bootstrap as run
from afterglow.flows.session import record_delivery
from afterglow.records.context import Context
from afterglow.records.tools import TaskType
from afterglow.show.tables import table
from afterglow.text.numbers import number


@click.command()
@click.option(
    "--task",
    default="",
    help="What the session is about to do, in a sentence; `-` reads it from stdin.",
)
@click.option(
    "--repo",
    metavar="NAME",
    help="The repository; that of the current folder if not said.",
)
@click.option(
    "--agent",
    metavar="NAME",
    default="",
    help="The agent that will read it: claude-code, hermes, codex, ...",
)
@click.option(
    "--type",
    "task_type",
    type=click.Choice([kind.value for kind in TaskType]),
    default=None,
)
@click.option(
    "--budget",
    type=click.IntRange(50, 100_000),
    default=BUDGET,
    show_default=True,
    help="Tokens, at most.",
)
@click.option(
    "--min-confidence", type=Finite(0, 1), default=CONFIDENCE, show_default=True
)
@click.option(
    "--explain",
    is_flag=True,
    help="Also say what each item is worth, and what was left out and why.",
)
@click.option(
    "--no-record",
    is_flag=True,
    help="Do not note in the ledger that this context was given out.",
)
@click.option(
    "--output",
    "file",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write it to a file.",
)
@output("text", "json", "messages", default="text")
def bootstrap(
    task: str,
    repo: str | None,
    agent: str,
    task_type: str | None,
    budget: int,
    min_confidence: float,
    explain: bool,
    no_record: bool,
    file: Path | None,
    format: str,
) -> None:
    """Print the short context a new session should start with.

    Items that are likely to matter here, sure enough, and worth their place; strongest first, each with its id and the
    day it was last confirmed. It may be empty, and says why on stderr.
    """
    if task == "-":
        task = sys.stdin.read()
    settings = config.load()
    context, need, items = run(
        settings,
        cwd=Path.cwd(),
        repo=repo,
        agent=agent,
        task=task,
        task_type=task_type or "",
        budget=budget,
        min_confidence=min_confidence,
    )
    if context.shown and not no_record:
        try:
            record_delivery(settings, context, need, items)
        except StoreError as error:  # the context is worth more than the note about it
            click.echo(f"not noted in the ledger: {error}", err=True)
    if format == "json":
        deliver(as_json(context), file, f"{context.tokens} tokens")
    elif format == "messages":
        deliver(as_json(messages(context.text)), file, f"{context.tokens} tokens")
    elif context.text or file is not None:
        deliver(context.text, file, f"{context.tokens} tokens")
    if explain and format == "text":
        click.echo(f"\n{explained(context)}")
    if not context.text or explain:
        click.echo(context.reason, err=True)


def explained(context: Context) -> str:
    """What each item is worth, and how many were left out for which reason."""
    headers = ("item", "saves", "likely", "sure", "costs", "spoken of")
    rows = [
        (
            item.item,
            f"{item.worth:.2f}",
            f"{item.why['likely']:.2f}",
            f"{item.why['sure']:.2f}",
            f"{item.why['cost']:.1f}",
            f"{item.why['spoken']:.2f}",
        )
        for item in context.shown
    ]
    lines = [table(headers, rows, right="saves likely sure costs of")] if rows else []
    counts = Counter(item.why for item in context.left_out)
    lines += [
        f"left out, {why}: {number(times)}" for why, times in counts.most_common()
    ]
    return "\n".join(lines)
