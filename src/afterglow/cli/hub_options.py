"""Where a hub's database is, and on whose behalf a command asks it: said once for all `afterglow hub` commands."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, NamedTuple, TypeVar, cast

import click

from afterglow import config
from afterglow.cli.options import output
from afterglow.config import Config
from afterglow.environment import admin_token
from afterglow.flows.hub import admin_place

F = TypeVar("F", bound=Callable[..., Any])


class Server(NamedTuple):
    settings: Config
    url: str  # it may hold a password


def on_database(command: F) -> F:
    """`--database`; the command gets it, or what the config says, as `server`."""

    @wraps(command)
    def asking(*args: Any, database: str | None, **options: Any) -> Any:
        settings = config.load_anyway()
        url = database or config.hub_database(settings)
        return command(*args, server=Server(settings, url), **options)

    return cast(F, _database(asking))


def as_admin(command: F) -> F:
    """`--database`, `--org` and the formats; the command gets who asks as `place`."""

    @wraps(command)
    def asking(
        *args: Any, database: str | None, organisation: str, **options: Any
    ) -> Any:
        settings = config.load_anyway()
        url = database or config.hub_database(settings)
        token = admin_token()
        place = admin_place(settings, url, token, organisation)
        return command(*args, place=place, **options)

    named = click.option(
        "--org",
        "organisation",
        default="",
        metavar="NAME",
        help="Which organisation, where a hub has several.",
    )(asking)
    return cast(F, output("table", "json")(_database(named)))


def _database(command: Callable[..., Any]) -> Callable[..., Any]:
    return click.option(
        "--database",
        metavar="URL",
        help="The hub's database; else [hub] database in config.toml, or AFTERGLOW_HUB_DATABASE.",
    )(command)
