"""`afterglow serve`"""

from __future__ import annotations

import sys
from pathlib import Path

import click

from afterglow.cli.progress import progress_bar
from afterglow.errors import Unsupported

PORT = 8378
PACKAGES = frozenset({"starlette", "uvicorn", "jinja2", "markupsafe"})


@click.command()
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=PORT,
    show_default=True,
    help="0 takes a free one.",
)
@click.option("--open", "opening", is_flag=True, help="Open it in the browser.")
@click.option("--read-only", is_flag=True, help="Nothing can be changed on the pages.")
@click.option(
    "--export",
    "folder",
    type=click.Path(path_type=Path, file_okay=False),
    help="Write the pages into a folder, as files that need no server, and end.",
)
def serve(port: int, opening: bool, read_only: bool, folder: Path | None) -> None:
    """See what sessions taught, review it, decide: pages in your browser, on this machine only.

    The address holds a token; whoever has it may decide in your name. Ctrl+C ends the server.
    """
    try:
        from afterglow.web import server, static_copy
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] in PACKAGES:
            raise Unsupported(
                "the pages need a few packages: pip install 'afterglow-agents[web]'"
            ) from error
        raise
    if folder is not None:
        with progress_bar("writing pages") as progress:
            count = static_copy.write(folder, progress=progress)
        click.echo(f"{count} pages in {folder}; open {folder / 'index.html'}")
        return

    def ready(address: str) -> None:
        click.echo(f"{address}\nThis machine only; Ctrl+C ends it.")
        sys.stdout.flush()
        if opening:
            click.launch(address)

    server.serve(port=port, read_only=read_only, ready=ready)
