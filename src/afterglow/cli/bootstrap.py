"""`afterglow bootstrap`"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import click

from afterglow import config
from afterglow.cli.options import Finite, output
from afterglow.cli.output import as_json, deliver
from afterglow.context import BUDGET, CONFIDENCE
from afterglow.context.render import messages
from afterglow.errors import StoreError
from afterglow.flows.session import (
    OMISSION_WORDS,
    ExplainedContext,
    Omission,
    explain_context,
    record_delivery,
)
from afterglow.flows.session import bootstrap as run
from afterglow.records.tools import TaskType
from afterglow.show.tables import paragraph
from afterglow.text.clip import clip, printable
from afterglow.text.numbers import count, number

MAX_OMITTED_LINES = 5  # of a reason; the page of `afterglow serve` has more
MAX_FACT_CHARACTERS = 100  # of an item that was left out: enough to know it by
INDENT = "    "


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
    "--why",
    is_flag=True,
    help="Also say what each line is worth, and what was left out and why. Changes and notes nothing.",
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
    why: bool,
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
    if why:
        explained = explain_context(
            settings,
            cwd=Path.cwd(),
            repo=repo,
            agent=agent,
            task=task,
            task_type=task_type or "",
            budget=budget,
            min_confidence=min_confidence,
        )
        is_json = format == "json"
        text = as_json(explained) if is_json else context_with_reasons(explained)
        deliver(text, file, f"{explained.context.tokens} tokens")
        return
    context, need, items = run(
        settings,
        cwd=Path.cwd(),
        repo=repo,
        agent=agent,
        task=task,
        task_type=task_type or "",
        budget=budget,
        min_confidence=min_confidence,
        keep_doubts=False,  # a person looks; a session that starts is another matter
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
    if not context.text:
        click.echo(context.reason, err=True)


def context_with_reasons(explained: ExplainedContext) -> str:
    """The context, what each line is worth and why, and what was left out, by reason."""
    context = explained.context
    blocks = [context.text or "Nothing would be told."]
    blocks += [
        f"{line.item.id}  {count(line.tokens, 'token')}\n{paragraph(line.why, INDENT)}"
        for line in explained.lines
    ]
    blocks += [
        _omitted_group(name, omitted) for name, omitted in explained.groups.items()
    ]
    return "\n\n".join([*blocks, f"{context.reason}."])


def _omitted_group(name: str, omitted: Sequence[Omission]) -> str:
    lines = [f"Left out, {OMISSION_WORDS[name]}: {number(len(omitted))}"]
    for omission in omitted[:MAX_OMITTED_LINES]:
        fact = clip(printable(omission.item.fact), MAX_FACT_CHARACTERS)
        lines.append(f"{INDENT}{omission.item.id}  {fact}")
        lines.append(paragraph(printable(omission.why), INDENT * 2))
    more = len(omitted) - MAX_OMITTED_LINES
    return "\n".join(
        [*lines, f"{INDENT}and {number(more)} more"][: None if more > 0 else -1]
    )
