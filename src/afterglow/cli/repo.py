"""`afterglow repo`: which folders are which repository, and a person's word for one that is new."""

from __future__ import annotations

from pathlib import Path

import click

from afterglow import config
from afterglow.cli.options import output
from afterglow.cli.output import print_json
from afterglow.flows.read import RepoFolders, distrust_repo, repo_folders, trust_repo
from afterglow.text.clip import printable


@click.group()
def repo() -> None:
    """Which folders are which repository; trust one that is new.

    A second folder that says it is a repository you have worked in elsewhere may be an unpacked archive. It teaches that
    repository nothing and is told nothing of it, until you trust it or have worked in it on five days. Worktrees that
    git lists need no word.
    """


@repo.command("list")
@output("table", "json")
def list_folders(format: str) -> None:
    """The folders sessions worked in, those that wait for your word first."""
    _show(repo_folders(config.load()), format)


@repo.command()
@click.argument("path", type=click.Path(path_type=Path))
@output("table", "json")
def trust(path: Path, format: str) -> None:
    """PATH, and every checkout in it, is yours: it is what it says it is.

    \b
    Examples:
      afterglow repo trust .
      afterglow repo trust ~/clones
    """
    _show(trust_repo(config.load(), path), format)


@repo.command()
@click.argument("path", type=click.Path(path_type=Path))
@output("table", "json")
def distrust(path: Path, format: str) -> None:
    """Take back what was said about PATH."""
    _show(distrust_repo(config.load(), path), format)


def _show(folders: RepoFolders, format: str) -> None:
    if format == "json":
        print_json(folders)
    else:
        click.echo(describe(folders))


def describe(folders: RepoFolders) -> str:
    """Claims that wait, then what is known."""
    lines = [
        f"{printable(folder.folder)}  says it is {printable(folder.claims)}: "
        f"`afterglow repo trust {printable(folder.folder)}` if it is yours"
        for folder in folders.folders
        if folder.claims
    ]
    lines += [
        f"{printable(folder.folder)}  {printable(folder.repo)} (by {folder.by})"
        for folder in folders.folders
        if not folder.claims
    ]
    lines += [f"{printable(folder)}  trusted" for folder in folders.trusted]
    return (
        "\n".join(lines)
        or "No session has worked in a folder yet; `afterglow scan` finds them."
    )
