"""`afterglow context`"""

from __future__ import annotations

from pathlib import Path

import click

from afterglow import config
from afterglow.context import BUDGET
from afterglow.errors import UsageError
from afterglow.flows.session import Kept, context_block, keep_context, remove_context

WORDS = {
    "new": "items written to {path}: {items}",
    "changed": "{path} brought up to date, items: {items}",
    "same": "{path} is up to date",
    "removed": "the block was taken out of {path}",
    "none": "nothing to do for {path}",
}


@click.command()
@click.option(
    "--write",
    "file",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Keep the block in this file up to date; AGENTS.md is what most agents read.",
)
@click.option(
    "--check", is_flag=True, help="Write nothing; exit 1 if the block is out of date."
)
@click.option("--remove", is_flag=True, help="Take the block out of the file.")
@click.option(
    "--agent", metavar="NAME", default="", help="The agent that will read it."
)
@click.option(
    "--budget",
    type=click.IntRange(50, 100_000),
    default=BUDGET,
    show_default=True,
    help="Tokens, at most.",
)
def context(
    file: Path | None, check: bool, remove: bool, agent: str, budget: int
) -> None:
    """Print the context of this repository as a marked block, or keep it in a file that agents read.

    Only the block between the markers is replaced; the rest of the file stays byte for byte.
    """
    settings = config.load()
    if (check or remove) and file is None:
        raise UsageError(f"--{'check' if check else 'remove'} needs --write FILE")
    if file is None:
        text, block = context_block(
            settings, cwd=Path.cwd(), agent=agent, budget=budget
        )
        click.echo(text, nl=bool(text))
        if not text:
            click.echo(block.reason, err=True)
    elif remove:
        block = remove_context(file)
    else:
        block = keep_context(
            settings,
            file,
            cwd=_folder(file),
            agent=agent,
            budget=budget,
            write=not check,
        )
    if file is not None:
        _tell(block, check)
    if block.unnoted:
        click.echo(f"not noted in the ledger: {block.unnoted}", err=True)
    if check and block.what in {"new", "changed"}:
        click.get_current_context().exit(1)


def _folder(file: Path) -> Path:
    """The file's folder says which repository it is about."""
    return file.absolute().parent


def _tell(block: Kept, check: bool) -> None:
    if check and block.what in {"new", "changed"}:
        click.echo(
            f"{block.path} is out of date; `afterglow context --write {block.path}` brings it up to date",
            err=True,
        )
        return
    click.echo(
        WORDS[block.what].format(items=len(block.items), path=block.path), err=True
    )
    if block.new_folder:
        click.echo(f"the folder {block.new_folder} was made for it", err=True)
    if block.what == "none" and block.reason:
        click.echo(block.reason, err=True)
