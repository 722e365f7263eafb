"""`afterglow write --windows`: a model reads stretches of sessions, and the comparison of rules, a model and both."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from typing import Any

import click

from afterglow.cli.breaking_off import breaking_off, exit_code
from afterglow.cli.output import print_json
from afterglow.cli.progress import Advance, progress_bar
from afterglow.cli.show import model_harvest as show
from afterglow.config import Config
from afterglow.flows import harvest as flow
from afterglow.flows.model_client import endpoint_of, model_of
from afterglow.flows.read import scan
from afterglow.records.model import Price
from afterglow.records.selection import Selection


def show_plan(
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


def write_windows(
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
        progress = reading.enter_context(progress_bar("harvesting sessions"))
        asking: list[Advance] = []

        def on_ask(answered: int, total: int) -> None:
            if not asking:  # mining is over, and its bar with it
                reading.close()
                bar = progress_bar(f"asking {model.name}", ticking=True)
                asking.append(reading.enter_context(bar))
            asking[0](answered, total)

        learned = flow.learn(
            settings, model, selection, progress=progress, on_ask=on_ask, **windows
        )
    print_json(learned) if format == "json" else click.echo(show.learned(learned))
    sys.exit(exit_code(learned.model))


def compare_ways(
    settings: Config,
    selection: Selection,
    windows: dict[str, Any],
    endpoint: dict[str, Any],
    format: str,
) -> None:
    with model_of(settings, **endpoint) as model:
        report = flow.compare(settings, model, selection, **windows)
    print_json(report) if format == "json" else click.echo(show.comparison(report))
    sys.exit(exit_code(*(way.telling for way in report.ways if way.telling)))
