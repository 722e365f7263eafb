"""`afterglow experiment` start and stop: a standing experiment on daily sessions."""

from __future__ import annotations

import click

from afterglow import config
from afterglow.cli.experiment_results import in_json
from afterglow.cli.output import print_json
from afterglow.flows import experiment as flow


@click.command()
@click.argument("name")
@in_json
def start(name: str, json: bool) -> None:
    """From now on each new session of a connected agent gets an arm of NAME: [experiment] in config.toml.

    There is one such experiment at a time.
    """
    plan = flow.start(config.load(), name)
    if json:
        print_json({"started": name, "arms": plan.arms})
    else:
        click.echo(
            f"{name} is under way: each new session gets one of {', '.join(plan.arms)}. "
            f"`afterglow experiment status {name}` says how far it is."
        )


@click.command()
@click.argument("name")
@in_json
def stop(name: str, json: bool) -> None:
    """From now on no session gets an arm of NAME. What was assigned and recorded stays, and may be read."""
    flow.stop(config.load(), name)
    if json:
        print_json({"stopped": name})
    else:
        click.echo(f"{name} is stopped: new sessions are told everything again.")
