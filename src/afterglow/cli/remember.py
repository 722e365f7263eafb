"""`afterglow remember`"""

from __future__ import annotations

import sys
from typing import BinaryIO

import click

from afterglow import config
from afterglow.cli.output import print_json
from afterglow.errors import UsageError
from afterglow.flows.harvest import remember_json

MAX_INPUT_BYTES = 4 << 20  # lessons are sentences; more is a mistake


@click.command()
@click.option(
    "--json",
    "file",
    type=click.File("rb"),
    required=True,
    metavar="FILE",
    help="The lessons; - reads stdin.",
)
@click.option(
    "--by",
    default="",
    metavar="NAME",
    help="Who tells: claude-code, hermes, the name of a model.",
)
def remember(file: BinaryIO, by: str) -> None:
    """Keep lessons that a model wrote, each checked against the lines it cites.

    FILE holds a JSON list of {"fact", "category", "citations": [{"session", "line", "quote"}]}; "situation", "remedy",
    "repo" and "agent" may be added. Categories: pitfall, tool-quirk, pattern, fact, question. The answer says for each
    what became of it, or why it was refused and what would work; exit code 1 if any was. `afterglow windows`
    gives the lines to learn from.
    """
    text = file.read(MAX_INPUT_BYTES + 1)
    if len(text) > MAX_INPUT_BYTES:
        raise UsageError("that is more than 4 MB; hand over a few lessons at a time")
    results = remember_json(config.load(), text, by=by)
    print_json(results)
    sys.exit(1 if any(result.outcome == "refused" for result in results) else 0)
