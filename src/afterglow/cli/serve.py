"""`afterglow serve`"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from afterglow import config
from afterglow.cli.progress import progress_bar
from afterglow.errors import Unsupported, UsageError

PORT = 8378
PACKAGES = frozenset({"starlette", "uvicorn", "jinja2", "markupsafe"})
MCP_PACKAGES = frozenset({"mcp", "mcp_types", "pydantic"})
FROM_SETTINGS = "as the settings say"  # of --hub without an address


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
@click.option(
    "--hub",
    "hub_url",
    is_flag=False,
    flag_value=FROM_SETTINGS,
    metavar="[URL]",
    help="Serve a team's hub: the database as `afterglow hub init` was told it; without an address, as the settings "
    "say.",
)
@click.option(
    "--host",
    help="Of a hub: where to listen, for a proxy on another machine. This machine unless said.",
)
@click.option(
    "--public-url",
    help="Of a hub: the address that people open, https://hub.example, where a proxy stands before it.",
)
def serve(
    port: int,
    opening: bool,
    read_only: bool,
    folder: Path | None,
    hub_url: str | None,
    host: str | None,
    public_url: str | None,
) -> None:
    """See what sessions taught, review it, decide: pages in your browser, on this machine only.

    The address holds a token; whoever has it may decide in your name. Ctrl+C ends the server.

    With --hub, the pages, API and MCP of a team's hub: people log in with tokens, and rights decide.
    """
    if hub_url is not None:
        if read_only or folder is not None:
            raise UsageError(
                "a hub is not served with --read-only or --export: give people the right read instead"
            )
        _serve_hub(hub_url, host or "", port, public_url or "", opening)
        return
    if host or public_url:
        raise UsageError(
            "--host and --public-url are for a hub; your own pages are for this machine only"
        )
    server, static_copy = _own_pages()
    if folder is not None:
        with progress_bar("writing pages") as progress:
            count = static_copy.write(folder, progress=progress)
        click.echo(f"{count} pages in {folder}; open {folder / 'index.html'}")
        return

    def ready(address: str) -> None:
        _say(f"{address}\nThis machine only; Ctrl+C ends it.", address, opening)

    server.serve(port=port, read_only=read_only, ready=ready)


def _own_pages() -> tuple[Any, Any]:
    try:
        from afterglow.web import server, static_copy
    except ModuleNotFoundError as error:
        raise _without(error) from error
    return server, static_copy


def _serve_hub(url: str, host: str, port: int, public_url: str, opening: bool) -> None:
    settings = config.load()
    try:
        from starlette.routing import Route

        from afterglow.mcp.fault_log import note_faults
        from afterglow.mcp.hub import PATH, hub_mcp
        from afterglow.web.hub.hub import Hub
        from afterglow.web.hub.server import serve_hub
    except ModuleNotFoundError as error:
        raise _without(error) from error

    note_faults(settings, "hub")

    def beside(hub: Hub) -> tuple[list[Any], list[Any]]:
        app, running = hub_mcp(
            hub.config,
            hub.place,
            public_url=hub.address.public,
            hosts=sorted(hub.address.hosts),
            origins=sorted(hub.address.origins),
        )
        return [Route(PATH, app)], [running]

    def ready(address: str) -> None:
        _say(f"{address}\nPeople log in with tokens; Ctrl+C ends it.", address, opening)

    serve_hub(
        settings,
        config.hub_database(settings) if url == FROM_SETTINGS else url,
        host=host,
        port=port,
        public_url=public_url,
        beside=beside,
        ready=ready,
    )


def _without(error: ModuleNotFoundError) -> Exception:
    """What to install; the error itself where it is another."""
    missing = (error.name or "").split(".")[0]
    if missing in PACKAGES:
        return Unsupported(
            "the pages need a few packages: pip install 'afterglow-agents[web]'"
        )
    if missing in MCP_PACKAGES:
        return Unsupported(
            "a hub needs a few packages: pip install 'afterglow-agents[web,mcp,postgres]'"
        )
    return error


def _say(words: str, address: str, opening: bool) -> None:
    click.echo(words)
    sys.stdout.flush()
    if opening:
        click.launch(address)
