"""Words of the command line -> typed values, once."""

from __future__ import annotations

import math
import re
import time
from collections.abc import Callable
from datetime import UTC, datetime
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar, cast

import click
from click.core import ParameterSource

from afterglow.errors import UsageError
from afterglow.records.engine import LOCAL, Engine
from afterglow.records.selection import Selection

F = TypeVar("F", bound=Callable[..., Any])

_AGO = re.compile(r"(\d+)\s*(h|d|w|m|y)\w*")
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_SECONDS = {"h": 3600, "d": 86400, "w": 7 * 86400, "m": 30 * 86400, "y": 365 * 86400}


class Since(click.ParamType):  # type: ignore[type-arg]  # not generic in older versions
    """`7d`, `2w`, `3 months` ago, or a date like 2026-11-01."""

    name = "when"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        if isinstance(value, float):
            return value
        if ago := _AGO.fullmatch(value.strip().lower()):
            return max(
                time.time() - int(ago[1][:9]) * _SECONDS[ago[2]], 0.0
            )  # a billion hours is for ever
        try:
            stamp = datetime.fromisoformat(value)
        except ValueError:
            self.fail(
                f"{value!r} is not a time; 7d, 2w, 12h or 2026-11-01 would work",
                param,
                ctx,
            )
        return (stamp if stamp.tzinfo else stamp.replace(tzinfo=UTC)).timestamp()


class Until(Since):
    """The same; of a day all of it is meant."""

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        time = super().convert(value, param, ctx)
        is_day = isinstance(value, str) and _DAY.fullmatch(value.strip())
        return time + _SECONDS["d"] if is_day else time


class Finite(click.FloatRange):
    """A number within a range; `nan` is in none."""

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        number = float(super().convert(value, param, ctx))
        if not math.isfinite(number):
            self.fail(f"{value} is not a number", param, ctx)
        return number


def output(*formats: str, default: str = "table") -> Callable[[F], F]:
    """`--format`, and `--json` for short: the command gets the chosen name as `format`. What is written to a file that ends
    in `.json` is JSON unless another format was asked for."""

    def wrap(command: F) -> F:
        command = click.option(
            "--json", "format", flag_value="json", help="Short for --format json."
        )(_json_into_json_files(command) if "json" in formats else command)
        return click.option(
            "--format",
            "format",
            type=click.Choice(formats),
            default=default,
            show_default=True,
            help="How to print it.",
        )(command)

    return wrap


def _json_into_json_files(command: F) -> F:
    @wraps(command)
    def writing(*args: Any, format: str, **options: Any) -> Any:
        file = options.get("output") or options.get("file")
        source = click.get_current_context().get_parameter_source("format")
        if source is ParameterSource.DEFAULT and str(file).endswith(".json"):
            format = "json"
        return command(*args, format=format, **options)

    return cast(F, writing)


def engine_options(command: F) -> F:
    """`--jobs`, `--engine` and `--address`: the command gets the last two as one `engine`."""

    @wraps(command)
    def choosing(*, engine: str, address: str, **options: Any) -> Any:
        chosen = Engine(engine, address)
        if address and chosen.is_local:
            raise UsageError(
                "--address is of a cluster; say --engine ray with it, or leave it out"
            )
        return command(engine=chosen, **options)

    for option in (
        click.option(
            "--address",
            default="",
            metavar="ADDRESS",
            help="Of a Ray cluster: auto, HOST:6379 or ray://HOST:10001; one on this machine if not said.",
        ),
        click.option(
            "--engine",
            default=LOCAL.name,
            show_default=True,
            metavar="NAME",
            help="Who reads the sessions: local (processes of this machine) or ray (docs/engine.md).",
        ),
        click.option(
            "--jobs",
            type=click.IntRange(1, 256),
            help="Workers at once; as many as there are cores if not said.",
        ),
    ):
        choosing = option(choosing)
    return cast(F, choosing)


FILTERS = {
    "repo": "Only this repository: owner/name, or just the name.",
    "agent": "Only this agent: hermes, claude-code, codex, ...",
    "since": "Only sessions that ended since: 7d, 2w, 2026-11-01.",
}
UNTIL = "Only sessions that ended until then: 7d, 2026-11-30 (that day included)."
TIMES = {"since": Since(), "until": Until()}


def filtered_by(**filters: str) -> Callable[[F], F]:
    """`--repo`, `--agent`, `--since`, `--until`, as many as are named, each with its help. The command gets them, and
    its PATHS if it has some, as one `selection`."""

    def wrap(command: F) -> F:
        @wraps(command)
        def selecting(
            *,
            repo: str | None = None,
            agent: str | None = None,
            since: float | None = None,
            until: float | None = None,
            paths: tuple[Path, ...] = (),
            **options: Any,
        ) -> Any:
            selection = Selection(repo, agent, since, paths, until)
            # what stands at a place that is named is not in the catalogue yet
            is_scanned_first = bool(options.get("places"))
            if (repo or agent) and not is_scanned_first:
                from afterglow import config
                from afterglow.flows.read import check_names

                check_names(config.load(), selection)
            return command(selection=selection, **options)

        for name, text in reversed(filters.items()):
            if name in TIMES:
                option = click.option(f"--{name}", type=TIMES[name], help=text)
            else:
                option = click.option(f"--{name}", metavar="NAME", help=text)
            selecting = option(selecting)
        return cast(F, selecting)

    return wrap


filters = filtered_by(**FILTERS)
report_filters = filtered_by(**FILTERS, until=UNTIL)

output_file = click.option(
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write to a file instead of the screen.",
)
worker_processes = click.option(
    "--jobs",
    type=click.IntRange(1, 256),
    help="Worker processes; as many as there are cores if not said.",
)
