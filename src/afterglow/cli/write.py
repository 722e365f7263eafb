"""`afterglow write`: lessons that only a model can read out of sessions, within a cap."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from threading import current_thread, main_thread
from typing import Any

import click
from msgspec.structs import replace

from afterglow import config
from afterglow.cli.options import Finite, filters, output
from afterglow.cli.output import print_json
from afterglow.cli.scan import progress_bar
from afterglow.cli.show import model_harvest as show
from afterglow.config import Config
from afterglow.errors import UsageError
from afterglow.flows import harvest as flow
from afterglow.flows.model_client import endpoint_of, model_of
from afterglow.flows.read import scan
from afterglow.harvest.lessons.prompts import prompt
from afterglow.records.model import Price
from afterglow.records.model_harvest import ModelReport
from afterglow.records.selection import Selection

NOTHING_ANSWERED = 7  # exit code


@click.command()
@click.option(
    "--with",
    "--model",
    "writer",
    metavar="NAME",
    default="",
    help="The model that writes; that of config.toml if not said.",
)
@click.option(
    "--base-url",
    metavar="URL",
    default="",
    help="Where it answers, as OpenAI's API does.",
)
@click.option(
    "--max-tokens",
    type=click.IntRange(0),
    help="The most tokens to use, in and out.",
)
@click.option("--max-cost", type=Finite(0), help="The most money to spend.")
@click.option(
    "--dry-run",
    is_flag=True,
    help="Show what would be sent and the most it can cost; send nothing.",
)
@click.option(
    "--full", is_flag=True, help="With --dry-run: every word that would be sent."
)
@click.option(
    "--compare",
    is_flag=True,
    help="Rules, model and both on the same sessions; keeps nothing.",
)
@click.option(
    "--in",
    "places",
    metavar="PATH",
    multiple=True,
    type=click.Path(path_type=Path),
    help="Only what is found in this file or folder; scanned first.",
)
@filters
@click.option("--session", metavar="ID", help="Of this session only.")
@click.option(
    "--limit",
    type=click.IntRange(1, 1000),
    help="How many windows to read, at most.  [default: 20]",
)
@click.option(
    "--tokens",
    type=click.IntRange(300),
    help="Of the windows in one ask, at most.  [default: 3000]",
)
@click.option("--prompt-file", type=click.Path(path_type=Path), help="Your own prompt.")
@click.option("--again", is_flag=True, help="Mine sessions anew that have not changed.")
@click.option(
    "--jobs",
    type=click.IntRange(1, 256),
    help="Worker processes; as many as there are cores if not said.",
)
@output("table", "json")
def write(
    selection: Selection,
    writer: str,
    base_url: str,
    max_tokens: int | None,
    max_cost: float | None,
    dry_run: bool,
    full: bool,
    compare: bool,
    places: tuple[Path, ...],
    session: str | None,
    limit: int | None,
    tokens: int | None,
    prompt_file: Path | None,
    again: bool,
    jobs: int | None,
    format: str,
) -> None:
    """Have a model write the lessons that rules cannot read.

    Harvests by rules first, which costs nothing. Then the windows that hold most of what rules cannot tell are sent to
    the model, redacted, within the cap (--max-tokens or --max-cost; without one nothing is asked). What comes back is
    checked against the transcript and waits as a candidate.
    """
    if compare:
        refused = {"--dry-run": dry_run, "--again": again, "--session": session}
        _refuse(refused, "with --compare")
    if not dry_run:
        _refuse({"--full": full}, "without --dry-run")
    settings = config.load()
    selection = replace(selection, paths=places)
    windows = _chosen(session=session, limit=limit, tokens=tokens)
    if prompt_file is not None:
        windows["text"] = prompt(prompt_file)
    if dry_run:
        return _show_plan(
            settings, selection, windows, writer, base_url, format, full=full
        )
    model = {
        "name": writer,
        "base_url": base_url,
        "max_cost": max_cost,
        "max_tokens": max_tokens,
    }
    windows["jobs"] = jobs or settings.cores
    if compare:
        return _compare(settings, selection, windows, model, format)
    windows["again"] = again
    return _write(settings, selection, windows, model, format)


def _refuse(options: Mapping[str, object], why: str) -> None:
    wrong = [name for name, value in options.items() if value]
    if wrong:
        raise UsageError(f"{', '.join(wrong)} cannot go {why}")


def _chosen(**options: Any) -> dict[str, Any]:
    """Those that were said: the flow knows what the others are."""
    return {name: value for name, value in options.items() if value is not None}


def _show_plan(
    settings: Config,
    selection: Selection,
    windows: dict[str, Any],
    name: str,
    base_url: str,
    format: str,
    *,
    full: bool,
) -> None:
    """What would be sent, and the most it can cost."""
    if selection.paths:
        scan(settings, selection.paths)
    price = Price()
    if base_url or settings.model.base_url:
        endpoint = endpoint_of(settings, name=name, base_url=base_url, key=False)
        name, price = endpoint.model, endpoint.price
    plan = flow.plan(settings, selection, **windows)
    outline = flow.outline(plan, name or settings.model.model or "a model", price)
    if format == "json":
        print_json(outline)
    else:
        click.echo(show.every_word(outline) if full else show.summary(outline))


def _write(
    settings: Config,
    selection: Selection,
    windows: dict[str, Any],
    endpoint: dict[str, Any],
    format: str,
) -> None:
    with (
        breaking_off(),
        model_of(settings, **endpoint) as model,
        ExitStack() as reading,
    ):
        progress = reading.enter_context(progress_bar())

        def show_asks(answered: int, total: int) -> None:
            reading.close()  # mining is over, and its bar with it
            if sys.stderr.isatty():
                click.echo(
                    f"\r{model.name}: {answered} of {total} asks",
                    err=True,
                    nl=answered == total,
                )

        learned = flow.learn(
            settings, model, selection, progress=progress, on_ask=show_asks, **windows
        )
    print_json(learned) if format == "json" else click.echo(show.learned(learned))
    if learned.model.interrupted:
        sys.exit(130)
    sys.exit(_exit_code([learned.model]))


def _compare(
    settings: Config,
    selection: Selection,
    windows: dict[str, Any],
    endpoint: dict[str, Any],
    format: str,
) -> None:
    with model_of(settings, **endpoint) as model:
        report = flow.compare(settings, model, selection, **windows)
    print_json(report) if format == "json" else click.echo(show.comparison(report))
    sys.exit(_exit_code([way.telling for way in report.ways if way.telling]))


def _exit_code(reports: Sequence[ModelReport]) -> int:
    """Not 0 where the model was to be asked and nothing was answered."""
    if any(report.answered for report in reports):
        return 0
    failed = any(report.stopped or report.failures for report in reports)
    return NOTHING_ANSWERED if failed else 0


@contextmanager
def breaking_off() -> Iterator[None]:
    """The first Ctrl-C waits for the answers under way, because they are paid for; a second one leaves at once."""
    if current_thread() is not main_thread():
        yield
        return

    def leave(*_: object) -> None:
        os._exit(130)

    def stop(*_: object) -> None:
        signal.signal(signal.SIGINT, leave)
        click.echo(
            "\nwaiting for the answers under way, they are paid for; Ctrl-C again leaves at once",
            err=True,
        )
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGINT, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
