"""`afterglow mcp`"""

from __future__ import annotations

import sys
from pathlib import Path

import click

from afterglow import config
from afterglow.errors import Unsupported

PORT = 8377


@click.command()
@click.option(
    "--http",
    is_flag=True,
    help="Serve HTTP on 127.0.0.1 instead of standard input and output.",
)
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=PORT,
    show_default=True,
    help="0 takes a free one.",
)
@click.option(
    "--token-file",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Where the token for HTTP is kept; it is made there if missing. Default: mcp-token in afterglow's home.",
)
def mcp(http: bool, port: int, token_file: Path | None) -> None:
    """Serve what is known to agents that speak MCP.

    An agent starts this itself: `claude mcp add afterglow -- afterglow mcp`. With --http it listens on this machine
    only, and every request needs the token.
    """
    settings = config.load()
    try:
        if http:
            from afterglow.mcp.http import serve as serve_http
        else:
            from afterglow.mcp.server import serve
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] in {
            "mcp",
            "mcp_types",
            "uvicorn",
            "pydantic",
        }:
            raise Unsupported(
                "the MCP server needs its SDK: pip install 'afterglow-agents[mcp]'"
            ) from error
        raise
    if http:
        file = token_file or settings.home / "mcp-token"
        serve_http(
            settings,
            port=port,
            token_file=file,
            ready=lambda address: _ready(address, file),
        )
        return
    if sys.stdin.isatty():
        click.echo(
            "Speaking MCP; an agent should start this: claude mcp add afterglow -- afterglow mcp",
            err=True,
        )
    serve(settings, Path.cwd())


def _ready(address: str, file: Path) -> None:
    click.echo(f"{address}  (the token is in {file})")
    sys.stdout.flush()
