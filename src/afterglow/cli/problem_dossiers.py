"""`afterglow problems show ID` and `afterglow problems to-write`"""

from __future__ import annotations

import click

from afterglow import config
from afterglow.cli.options import filters, output
from afterglow.cli.output import print_json
from afterglow.cli.problems import times_told
from afterglow.cli.progress import progress_bar
from afterglow.cli.show.episodes import side_by_side
from afterglow.cli.show.problem_answers import next_step
from afterglow.flows.harvest import (
    EPISODE_LIMIT,
    PROBLEMS_AT_ONCE,
    WAITING_TOKENS,
    answer_words,
    problem_episodes,
    problems_to_write,
)
from afterglow.flows.harvest import problem as find_problem
from afterglow.records.problems import MAX_DOSSIER_TOKENS
from afterglow.records.selection import Selection
from afterglow.show.screen import columns
from afterglow.text.clip import clip, printable
from afterglow.text.numbers import day, short_id

MAX_FACT_CHARACTERS = (
    200  # of a lesson behind a dossier: `knowledge show` has all of it
)
MAX_PLACES = 12  # sessions and lines that are named behind a dossier


@click.command("to-write")
@filters
@click.option(
    "--limit",
    type=click.IntRange(1, 1000),
    default=PROBLEMS_AT_ONCE,
    show_default=True,
    help="How many at most, the dearest first.",
)
@click.option(
    "--tokens",
    type=click.IntRange(MAX_DOSSIER_TOKENS),
    default=WAITING_TOKENS,
    show_default=True,
    help="Of all of them, at most.",
)
@click.option("--again", is_flag=True, help="Also those that have been answered.")
@output("table", "json")
def to_write(
    selection: Selection, limit: int, tokens: int, again: bool, format: str
) -> None:
    """The dossiers that nobody has answered, for an agent that writes lessons itself.

    Redacted, the dearest first. What it answers goes to `afterglow write --answers`, which checks it.
    """
    waiting = problems_to_write(
        config.load(), selection, again=again, limit=limit, tokens=tokens
    )
    if format == "json":
        print_json(waiting)
        return
    texts = [each.text for each in waiting.problems]
    rest = f"{waiting.remaining} more wait." if waiting.remaining else ""
    none = "" if texts else f"None: {waiting.reason}."
    note = waiting.note if texts else ""
    click.echo("\n\n".join(filter(None, (note, *texts, rest, none))))


@click.command()
@click.argument("id")
@click.option(
    "--episodes",
    is_flag=True,
    help="How the last sessions that met it went about it, side by side.",
)
@click.option(
    "--limit",
    type=click.IntRange(1, 1000),
    default=EPISODE_LIMIT,
    show_default=True,
    help="With --episodes: how many sessions.",
)
@output("table", "json")
def show(id: str, episodes: bool, limit: int, format: str) -> None:
    """One problem as a dossier: when, what failed, what was tried, what worked, who said what. ID may be shortened."""
    settings = config.load()
    with progress_bar("reading problems", ticking=True):
        report = find_problem(settings, id)
    if episodes:
        met = problem_episodes(settings, report.problem, limit=limit)
        if format == "json":
            print_json(met)
        else:
            click.echo(side_by_side(met, columns()))
        return
    if format == "json":
        print_json(report)
        return
    click.echo(report.dossier.text)
    click.echo()
    click.echo("Where it stands (session:line):")
    places = [
        f"{short_id(event.session)}:{event.line}"
        for event in reversed(report.problem.events)
    ]
    more = len(places) - MAX_PLACES
    click.echo(
        "  "
        + "  ".join(places[:MAX_PLACES])
        + (f"  and {more} more" if more > 0 else "")
    )
    for lesson in report.problem.lessons:
        fact = clip(lesson.fact, MAX_FACT_CHARACTERS)
        click.echo(f"{lesson.status} lesson {lesson.item}{times_told(lesson)}: {fact}")
    for answer in report.problem.answers:
        words = printable(answer_words(answer))
        click.echo(f"Answered by {answer.by} on {day(answer.time)}: {words}")
    if not report.problem.lessons and not report.problem.answers:
        click.echo("Nobody has written down what to do.")
    if step := next_step(report):
        click.echo(f"Next: {step}")
