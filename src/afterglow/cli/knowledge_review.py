"""`afterglow knowledge review | add | edit | scope | undo | decisions`: what a person says about items."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from afterglow import config
from afterglow.cli.knowledge import tell
from afterglow.cli.options import filtered_by, output
from afterglow.cli.output import print_json
from afterglow.cli.show import review as shown
from afterglow.flows import knowledge as flow
from afterglow.flows.session import repo_of
from afterglow.records.knowledge import CATEGORIES, Category
from afterglow.records.selection import Selection


@click.command()
@filtered_by(repo="Only this repository.", agent="Only what holds for this agent.")
@click.option("--miner", default="", metavar="NAME", help="Only what this one found.")
@click.option("--session", default="", metavar="ID", help="Only what it taught.")
@click.option("--held-back", is_flag=True, help="What a screen held back instead.")
@click.option(
    "--limit",
    type=click.IntRange(1, 10**4),
    default=50,
    show_default=True,
    help="How many at most.",
)
@output("table", "json")
def review(
    selection: Selection,
    miner: str,
    session: str,
    held_back: bool,
    limit: int,
    format: str,
) -> None:
    """What waits for you, worth most first.

    On a terminal one by one, decided with a key each; ? shows the keys. Elsewhere the queue is printed.
    """
    settings = config.load()
    queue = flow.review_queue(
        settings,
        selection,
        miner=miner,
        session=session,
        held_back=held_back,
        limit=limit,
    )
    on_terminal = sys.stdin.isatty() and sys.stdout.isatty()
    if format == "json":
        print_json(queue)
    elif on_terminal and queue.groups:
        from afterglow.cli.review_keys import go_through

        go_through(settings, queue)
    else:
        click.echo(shown.queue(queue, held_back=held_back))


@click.command()
@click.argument("fact", default="")
@click.option("--repo", metavar="NAME", help="Where it holds; this repository else.")
@click.option("--everywhere", is_flag=True, help="It holds in every repository.")
@click.option(
    "--category",
    type=click.Choice(CATEGORIES),
    default="pattern",
    show_default=True,
    help="What it is.",
)
@click.option("--situation", default="", help="What is met, in place of a sentence.")
@click.option("--remedy", default="", help="What to do then.")
@click.option("--risky", is_flag=True, help="Also if it is risky, in these words.")
@output("table", "json")
def add(
    fact: str,
    repo: str | None,
    everywhere: bool,
    category: Category,
    situation: str,
    remedy: str,
    risky: bool,
    format: str,
) -> None:
    """Write a lesson of your own: FACT, one sentence.

    It is yours, so sessions are told it at once. What is risky needs --risky.
    """
    settings = config.load()
    place = "" if everywhere else repo or repo_of(Path.cwd(), settings)
    added = flow.add(
        settings,
        fact,
        repo=place,
        category=category,
        situation=situation,
        remedy=remedy,
        risky=risky,
    )
    print_json(added) if format == "json" else click.echo(shown.added(added))


@click.command()
@click.argument("id")
@click.option("--fact", help="The sentence.")
@click.option("--situation", help="What is met.")
@click.option("--remedy", help="What to do then.")
@click.option("--risky", is_flag=True, help="Also if it is risky, in these words.")
@output("table", "json")
def edit(
    id: str,
    fact: str | None,
    situation: str | None,
    remedy: str | None,
    risky: bool,
    format: str,
) -> None:
    """Say it in other words.

    Harvest leaves them alone then. A new --fact stands for itself; --situation and --remedy make up the sentence.
    """
    decisions = flow.edit(
        config.load(), id, fact=fact, situation=situation, remedy=remedy, risky=risky
    )
    tell(decisions, format)


@click.command()
@click.argument("ids", nargs=-1, required=True, metavar="ID...")
@click.option("--repo", default="", metavar="NAME", help="In this repository.")
@click.option("--agent", default="", metavar="NAME", help="For this agent, anywhere.")
@click.option("--everywhere", is_flag=True, help="In every repository.")
@output("table", "json")
def scope(
    ids: tuple[str, ...], repo: str, agent: str, everywhere: bool, format: str
) -> None:
    """Say where items hold: more widely or more narrowly than sessions showed."""
    decisions = flow.rescope(
        config.load(), ids, repo=repo, agent=agent, everywhere=everywhere
    )
    tell(decisions, format)


@click.command()
@click.argument("number", type=int, default=0, metavar="[NUMBER]")
@click.option(
    "--last",
    type=click.IntRange(1, 1000),
    default=1,
    show_default=True,
    help="How many of the latest.",
)
@output("table", "json")
def undo(number: int, last: int, format: str) -> None:
    """Take back the last decision, or the one of that NUMBER.

    `decisions` has the numbers. To undo an undo is to do it again. What has changed since is left alone.
    """
    undone = flow.undo(config.load(), number, last=last)
    print_json(undone) if format == "json" else click.echo(shown.undone(undone))


@click.command()
@click.option(
    "--limit",
    type=click.IntRange(1, 1000),
    default=20,
    show_default=True,
    help="How many at most.",
)
@output("table", "json")
def decisions(limit: int, format: str) -> None:
    """What was decided, by whom and when, the newest first."""
    taken = flow.decisions(config.load(), limit=limit)
    print_json(taken) if format == "json" else click.echo(shown.decisions(taken))
