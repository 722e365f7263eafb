"""`afterglow warm extract`, `auto`, `compress`, `compare`, `export`, `import`: where templates come from and go to."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from pathlib import Path

import click

from afterglow import config
from afterglow.cli.options import FILTERS, filtered_by
from afterglow.cli.output import print_json
from afterglow.cli.show import templates as show_templates
from afterglow.cli.warm_options import (
    ModelOptions,
    as_json,
    budget,
    max_examples,
    model_options,
    one_or_more,
    tags,
    task_type,
)
from afterglow.errors import UsageError
from afterglow.flows import warm as flow
from afterglow.records.selection import Selection
from afterglow.records.tools import TaskType
from afterglow.text.clip import printable
from afterglow.text.numbers import count, number

STRATEGIES = (
    "examples-only",
    "clipped-results",
    "merged-duplicates",
    "knapsack",
    "model",
)
SMALL_BUDGET = 1000  # tokens of a template made smaller
MIN_SESSIONS = 10  # of a kind of work
MIN_CALLS = 5  # of a session: one with fewer teaches nothing about a kind of work
MAX_NAMED = 5  # templates that are here already: the rest are counted


@click.command()
@click.argument("session")
@click.option(
    "--name", default="", help="What to call it; the session's title if not said."
)
@click.option("--description", default="", help="What it is good for, in a sentence.")
@task_type("What the work is; by its tools if not said.")
@tags("Words to find it by.")
@max_examples
@as_json
def extract(
    session: str,
    name: str,
    description: str,
    task_type: TaskType | None,
    tags: tuple[str, ...],
    max_examples: int,
    json: bool,
) -> None:
    """Make a template of what made a session good. SESSION may be shortened."""
    label = flow.Label(
        name=name, description=description, task_type=task_type, tags=tags
    )
    template = flow.extract(config.load(), session, label, max_examples=max_examples)
    if json:
        print_json(template)
        return
    examples = count(len(template.seed.tool_examples), "example")
    recoveries = count(len(template.seed.recovery_patterns), "recovery", "recoveries")
    click.echo(
        f"{click.style(template.id, bold=True)}  {printable(template.name)}: {template.task_type.value}, {examples}, "
        f"{recoveries}."
    )
    outcome = template.notes.get("outcome", "")
    if "failure" in outcome:
        click.echo(
            f"note: this session ended in {outcome}; a better one may be worth more",
            err=True,
        )
    click.echo(
        f"Read it with afterglow warm show {template.id}; afterglow warm approve {template.id} gives it to sessions."
    )


@click.command()
@task_type("Only this type of work.")
@filtered_by(repo=FILTERS["repo"], agent="Only this agent.")
@click.option(
    "--min-sessions",
    type=click.IntRange(2, 1000),
    default=MIN_SESSIONS,
    show_default=True,
    help="Of a kind, at least.",
)
@click.option(
    "--min-calls",
    type=click.IntRange(1, 1000),
    default=MIN_CALLS,
    show_default=True,
    help="Of a session, at least: shorter ones are left out.",
)
@max_examples
@as_json
def auto(
    selection: Selection,
    task_type: TaskType | None,
    min_sessions: int,
    min_calls: int,
    max_examples: int,
    json: bool,
) -> None:
    """Distil templates from many sessions, one for each kind of work: repository, agent, type.

    What recurs and works in sessions that ended well. A template that is there already gets a new version where the
    sessions of now make a better one. No session starts from a version before you `approve` it.
    """
    from afterglow.cli.progress import progress_bar

    with progress_bar("reading sessions") as progress:
        result = flow.auto(
            config.load(),
            selection,
            task_type=task_type,
            min_sessions=min_sessions,
            min_calls=min_calls,
            max_examples=max_examples,
            progress=progress,
        )
    print_json(result) if json else click.echo(show_templates.distilled(result))


@click.command()
@click.argument("id")
@click.option(
    "--strategy",
    metavar="NAME",
    default="knapsack",
    show_default=True,
    help=f"One of {', '.join(STRATEGIES)}.",
)
@budget(SMALL_BUDGET, "Tokens, at most.")
@model_options("With --strategy model")
@as_json
def compress(
    id: str, strategy: str, budget: int, asked_model: ModelOptions, json: bool
) -> None:
    """Make a smaller template beside this one; `compare` tells what it keeps.

    The strategy `model` sends what the template says about the work, redacted, to the model you name, within the cap;
    the others ask nobody.
    """
    from afterglow.warm.compress import tokens

    settings = config.load()
    asks_model = strategy == "model"
    if not asks_model and asked_model != ModelOptions():
        raise UsageError(f"--strategy {strategy} asks no model; --strategy model does")
    with asked_model.opened(settings) if asks_model else nullcontext() as model:
        whole, small = flow.compress(settings, id, strategy, budget=budget, model=model)
    if json:
        print_json(small)
        return
    click.echo(
        f"{click.style(small.id, bold=True)}  {printable(small.name)}: {number(tokens(small))} of "
        f"{number(tokens(whole))} tokens, {len(small.seed.tool_examples)} of "
        f"{count(len(whole.seed.tool_examples), 'example')}."
    )
    click.echo(f"What it keeps: afterglow warm compare {whole.id} {small.id}")


@click.command()
@one_or_more
@click.option(
    "--strategies",
    is_flag=True,
    help="Also what each way to compress would make of the first.",
)
@budget(SMALL_BUDGET, "With --strategies.")
@model_options("With --strategies")
@as_json
def compare(
    ids: tuple[str, ...],
    strategies: bool,
    budget: int,
    asked_model: ModelOptions,
    json: bool,
) -> None:
    """What templates show of what later sessions did with success.

    Against sessions of the first one's kind that began after those it was made of. The first is what the others are
    measured by; a curve over its examples names the smallest set that keeps 95 %. A model is only asked if you name it.
    """
    from afterglow.cli.progress import progress_bar

    settings = config.load()
    asks_model = asked_model.name is not None
    if asks_model and not strategies:
        raise UsageError(
            "--model goes with --strategies; templates that are there are compared without one"
        )
    with (
        asked_model.opened(settings) if asks_model else nullcontext() as model,
        progress_bar("reading later sessions") as progress,
    ):
        result = flow.compare(
            settings,
            ids,
            strategies=strategies,
            budget=budget,
            model=model,
            progress=progress,
        )
    print_json(result) if json else click.echo(show_templates.comparison(result))


@click.command("export")
@one_or_more
@click.option(
    "--output",
    "-o",
    "file",
    type=click.Path(path_type=Path, dir_okay=False),
    required=True,
)
@as_json
def export_(ids: tuple[str, ...], file: Path, json: bool) -> None:
    """Write templates into one file for others, redacted again, with a checksum."""
    result = flow.export(config.load(), ids, file)
    if json:
        print_json(result)
        return
    click.echo(
        f"{count(len(result.templates), 'template')} written to {result.file}, {number(result.bytes)} bytes."
    )
    _echo_redacted(result.redacted)
    for piece in result.held:
        click.echo(f"left out: {printable(piece)}")


@click.command("import")
@click.argument("source", type=click.Path(path_type=Path))
@as_json
def import_(source: Path, json: bool) -> None:
    """Take in templates from a file or a folder: ours, or those of older tools.

    They are redacted and screened again, and no session gets them until you `approve` them. Ends with 1 when something
    could not be read; the rest came in.
    """
    result = flow.import_(config.load(), source)
    if json:
        print_json(result)
        sys.exit(1 if result.troubles else 0)
    for template in result.taken:
        was = f" (was {template.renamed_from})" if template.renamed_from else ""
        examples = count(template.examples, "example")
        click.echo(
            printable(f"{template.id}  {template.name}: {examples}, not approved{was}")
        )
        for piece in template.held:
            click.echo(printable(f"    left behind: {piece}"))
    if result.already_here:
        templates = count(len(result.already_here), "template")
        names = ", ".join(result.already_here[:MAX_NAMED])
        click.echo(f"{templates} already here: {names}")
    _echo_redacted(result.redacted)
    for trouble in result.troubles:
        click.echo(
            printable(f"cannot be read: {trouble.file}: {trouble.why}"), err=True
        )
    if result.taken:
        click.echo(
            "`afterglow warm show ID` to read them, `afterglow warm approve ID` to use them."
        )
    sys.exit(1 if result.troubles else 0)


def _echo_redacted(redacted: dict[str, int]) -> None:
    if redacted:
        rules = ", ".join(f"{rule} {number(n)}" for rule, n in sorted(redacted.items()))
        click.echo(f"taken out of the texts: {rules}")
