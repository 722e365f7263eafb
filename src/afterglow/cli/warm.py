"""`afterglow warm ...`: templates of what made sessions good, to start new ones with."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import click

from afterglow import config
from afterglow.cli.options import FILTERS, Finite, filtered_by
from afterglow.cli.output import print_json
from afterglow.cli.show import templates as shown
from afterglow.errors import UsageError
from afterglow.flows import warm as flow
from afterglow.records.model import Model
from afterglow.records.selection import Selection
from afterglow.records.tools import TaskType
from afterglow.text.clip import printable
from afterglow.text.numbers import count, number

F = TypeVar("F", bound=Callable[..., Any])

FORMATS = ("openai", "anthropic", "hermes")
STRATEGIES = (
    "examples-only",
    "clipped-results",
    "merged-duplicates",
    "knapsack",
    "model",
)


class Contents(click.Group):
    """The commands in the order they are written here."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.commands)


@click.group(cls=Contents)
def warm() -> None:
    """Templates of what made sessions good, to start new ones with.

    `extract` makes one from a session, `auto` from many; `test` shows exactly what a new session would start with.
    """


def kind(help: str) -> Callable[[F], F]:
    choices = click.Choice([one.value for one in TaskType])
    return click.option("--type", "task_type", type=choices, callback=_type, help=help)


def _type(
    ctx: click.Context, param: click.Parameter, value: str | None
) -> TaskType | None:
    return None if value is None else TaskType(value)


def tagged(help: str) -> Callable[[F], F]:
    return click.option("--tags", "--tag", multiple=True, metavar="A,B", help=help)


def asking(when: str) -> Callable[[F], F]:
    """The options that name a model and cap what it may cost."""
    options = (
        click.option("--model", metavar="NAME", is_flag=False, flag_value="",
                     help=f"{when}: this model; that of config.toml if not said."),
        click.option("--base-url", metavar="URL", default="", help="Where it answers, as OpenAI's API does."),
        click.option("--max-tokens", type=click.IntRange(0), help="The most tokens to use, in and out."),
        click.option("--max-cost", type=Finite(0), help="The most money to spend."),
    )  # fmt: skip

    def wrap(command: F) -> F:
        for option in reversed(options):
            command = option(command)
        return command

    return wrap


as_json = click.option("--json", "json", is_flag=True, help="Print it as JSON.")


@warm.command()
@click.argument("session")
@click.option(
    "--name", default="", help="What to call it; the session's title if not said."
)
@click.option("--description", default="", help="What it is good for, in a sentence.")
@kind("What the work is; by its tools if not said.")
@tagged("Words to find it by.")
@click.option(
    "--max-examples",
    type=click.IntRange(1, 50),
    default=flow.EXAMPLES,
    show_default=True,
)
@as_json
def extract(
    session: str, name: str, description: str, task_type: TaskType | None, tags: tuple[str, ...], max_examples: int,
    json: bool,
) -> None:  # fmt: skip
    """Make a template of what made a session good. SESSION may be shortened."""
    made = flow.extract(
        config.load(), session, name=name, description=description, task_type=task_type, tags=tags,
        max_examples=max_examples,
    )  # fmt: skip
    if json:
        print_json(made)
        return
    examples = count(len(made.seed.tool_examples), "example")
    recoveries = count(len(made.seed.recovery_patterns), "recovery", "recoveries")
    click.echo(f"{click.style(made.id, bold=True)}  {printable(made.name)}: {made.task_type.value}, {examples}, "
               f"{recoveries}.")  # fmt: skip
    if "failure" in made.notes.get("outcome", ""):
        click.echo(
            f"note: this session ended in {made.notes['outcome']}; a better one may be worth more",
            err=True,
        )
    click.echo(
        f'See what a session would start with: afterglow warm test {made.id} "your message"'
    )


@warm.command("list")
@kind("Only this type.")
@tagged("Only templates with all of these.")
@as_json
def list_(task_type: TaskType | None, tags: tuple[str, ...], json: bool) -> None:
    """Templates in the order they were made, with how often they were used and what came of it."""
    found = flow.list_templates(config.load(), task_type=task_type, tags=tags)
    print_json(found) if json else click.echo(shown.listing(found))


@warm.command()
@click.argument("id")
@click.option("--version", type=click.IntRange(1), help="As it was then.")
@as_json
def show(id: str, version: int | None, json: bool) -> None:
    """A whole template: where it comes from and all it holds. ID may be shortened, or be its name."""
    found, versions, record = flow.show(config.load(), id, version=version)
    print_json(found) if json else click.echo(shown.template(found, versions, record))


@warm.command()
@click.argument("id")
@click.option(
    "--from",
    "before",
    type=click.IntRange(1),
    help="The older version; the last but one if not said.",
)
@click.option(
    "--to",
    "after",
    type=click.IntRange(1),
    help="The newer version; the last if not said.",
)
def diff(id: str, before: int | None, after: int | None) -> None:
    """What changed between two versions."""
    found = flow.diff(config.load(), id, before=before, after=after)
    click.echo("\n".join(map(printable, found.splitlines())) or "The two are the same.")


@warm.command()
@click.argument("id")
@click.argument("message")
@click.option(
    "--format",
    type=click.Choice(FORMATS),
    default="openai",
    show_default=True,
    help="For which API.",
)
@click.option(
    "--budget",
    type=click.IntRange(1, 1_000_000),
    default=flow.BUDGET,
    show_default=True,
    help="Tokens, at most.",
)
@click.option(
    "--tools",
    metavar="A,B",
    help="The tools the session will have; examples of others are left out.",
)
@click.option(
    "--root",
    default="",
    metavar="FOLDER",
    help="Where the session will work; <repo> in examples if not said.",
)
@as_json
def test(
    id: str,
    message: str,
    format: str,
    budget: int,
    tools: str | None,
    root: str,
    json: bool,
) -> None:
    """Show exactly what a new session would start with. It does not count as a use.

    With --json, the messages as they would be sent; notes go to stderr.
    """
    of, made = flow.try_out(
        config.load(),
        id,
        message,
        format=format,
        budget=budget,
        tools=_split(tools),
        root=root,
    )
    if not json:
        click.echo(shown.warmed(of, made))
        return
    body: object = made.messages
    if format == "anthropic":
        body = {"system": made.system, "messages": made.messages}
    elif made.session is not None:
        body = made.session
    print_json(body)
    for note in made.notes:
        click.echo(f"note: {printable(note)}", err=True)


@warm.command()
@click.argument("task")
@kind("Only templates for this type, or for mixed work.")
@tagged("Only templates with one of these.")
@click.option(
    "--repo",
    metavar="NAME",
    default="",
    help="The repository the session will work in.",
)
@click.option(
    "--agent",
    metavar="NAME",
    default="",
    help="The agent: claude-code, hermes, codex, ...",
)
@click.option("--tools", metavar="A,B", help="The tools the session will have.")
@as_json
def select(
    task: str,
    task_type: TaskType | None,
    tags: tuple[str, ...],
    repo: str,
    agent: str,
    tools: str | None,
    json: bool,
) -> None:
    """The best template for TASK, and why; `none` when nothing fits."""
    found, skipped = flow.select(
        config.load(),
        task,
        task_type=task_type,
        tags=tags,
        repo=repo,
        agent=agent,
        tools=_split(tools),
    )
    print_json(found) if json else click.echo(shown.choice(found, skipped))


@warm.command()
@as_json
def stats(json: bool) -> None:
    """Totals by type: templates, examples, uses, success."""
    found = flow.stats(config.load())
    print_json(found) if json else click.echo(shown.stats(found))


@warm.command()
@click.argument("ids", nargs=-1, required=True, metavar="ID...")
@as_json
def approve(ids: tuple[str, ...], json: bool) -> None:
    """You have read them: sessions may start from these templates."""
    done = flow.approve(config.load(), ids)
    print_json(done) if json else click.echo(
        "\n".join(f"{one.id}  {printable(one.name)}: approved" for one in done)
    )


@warm.command()
@click.argument("ids", nargs=-1, required=True, metavar="ID...")
@click.option("--yes", is_flag=True, help="Do not ask.")
@as_json
def delete(ids: tuple[str, ...], yes: bool, json: bool) -> None:
    """Move templates and their versions to the trash folder. Nothing is ever deleted from there by us."""
    settings = config.load()
    if not yes:
        if not sys.stdin.isatty():
            raise UsageError(
                "delete asks before it deletes, and nobody is there to answer; --yes deletes at once"
            )
        for line in flow.titles(settings, ids):
            click.echo(printable(line), err=True)
        click.confirm("Move to the trash?", abort=True, err=True)
    done = flow.delete(settings, ids)
    print_json(done) if json else click.echo(
        "\n".join(f"moved to {path}" for path in done)
    )


@warm.command("export")
@click.argument("ids", nargs=-1, required=True, metavar="ID...")
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
    from afterglow.flows.warm import export

    done = export(config.load(), ids, file)
    if json:
        print_json(done)
        return
    click.echo(
        f"{count(len(done.templates), 'template')} written to {done.file}, {number(done.bytes)} bytes."
    )
    _tell_redacted(done.redacted)
    for what in done.held:
        click.echo(f"left out: {printable(what)}")


@warm.command("import")
@click.argument("source", type=click.Path(path_type=Path))
@as_json
def import_(source: Path, json: bool) -> None:
    """Take in templates from a file or a folder: ours, or those of older tools.

    They are redacted and screened again, and no session gets them until you `approve` them. Ends with 1 when something
    could not be read; the rest came in.
    """
    from afterglow.flows.warm import import_ as run

    done = run(config.load(), source)
    if json:
        print_json(done)
    else:
        for one in done.taken:
            was = f" (was {one.renamed_from})" if one.renamed_from else ""
            click.echo(
                printable(
                    f"{one.id}  {one.name}: {count(one.examples, 'example')}, not approved{was}"
                )
            )
            for what in one.held:
                click.echo(printable(f"    left behind: {what}"))
        if done.known:
            click.echo(
                f"{count(len(done.known), 'template')} already here: {', '.join(done.known[:5])}"
            )
        _tell_redacted(done.redacted)
        for trouble in done.troubles:
            click.echo(
                printable(f"cannot be read: {trouble.file}: {trouble.why}"), err=True
            )
        if done.taken:
            click.echo(
                "`afterglow warm show ID` to read them, `afterglow warm approve ID` to use them."
            )
    sys.exit(1 if done.troubles else 0)


@warm.command()
@kind("Only this type of work.")
@filtered_by(repo=FILTERS["repo"], agent="Only this agent.")
@click.option(
    "--min-sessions",
    type=click.IntRange(2, 1000),
    default=10,
    show_default=True,
    help="Of a kind, at least.",
)
@click.option(
    "--max-examples",
    type=click.IntRange(1, 50),
    default=flow.EXAMPLES,
    show_default=True,
)
@as_json
def auto(
    selection: Selection,
    task_type: TaskType | None,
    min_sessions: int,
    max_examples: int,
    json: bool,
) -> None:
    """Distil templates from many sessions, one for each kind of work: repository, agent, type.

    What recurs and works in sessions that ended well. A template that is there already gets a new version where the
    sessions of now make a better one.
    """
    from afterglow.cli.scan import progress_bar
    from afterglow.flows.warm import auto as run

    with progress_bar() as progress:
        found = run(
            config.load(), selection, task_type=task_type, min_sessions=min_sessions,
            max_examples=max_examples, progress=progress,
        )  # fmt: skip
    print_json(found) if json else click.echo(shown.made(found))


@warm.command()
@click.argument("id")
@click.option(
    "--strategy",
    metavar="NAME",
    default="knapsack",
    show_default=True,
    help=f"One of {', '.join(STRATEGIES)}.",
)
@click.option(
    "--budget",
    type=click.IntRange(1, 1_000_000),
    default=1000,
    show_default=True,
    help="Tokens, at most.",
)
@asking("With --strategy model")
@as_json
def compress(
    id: str, strategy: str, budget: int, model: str | None, base_url: str, max_tokens: int | None,
    max_cost: float | None, json: bool,
) -> None:  # fmt: skip
    """Make a smaller template beside this one; `compare` tells what it keeps.

    The strategy `model` sends what the template says about the work, redacted, to the model you name, within the cap;
    the others ask nobody.
    """
    from afterglow.flows.warm import compress as run
    from afterglow.warm.compress import tokens

    settings = config.load()
    if strategy != "model" and (
        model is not None or base_url or max_tokens is not None or max_cost is not None
    ):
        raise UsageError(f"--strategy {strategy} asks no model; --strategy model does")
    with _model(
        settings, strategy == "model", model, base_url, max_tokens, max_cost
    ) as asked:
        whole, small = run(settings, id, strategy, budget=budget, model=asked)
    if json:
        print_json(small)
        return
    click.echo(f"{click.style(small.id, bold=True)}  {printable(small.name)}: {number(tokens(small))} of "
               f"{number(tokens(whole))} tokens, {len(small.seed.tool_examples)} of "
               f"{count(len(whole.seed.tool_examples), 'example')}.")  # fmt: skip
    click.echo(f"What it keeps: afterglow warm compare {whole.id} {small.id}")


@warm.command()
@click.argument("ids", nargs=-1, required=True, metavar="ID...")
@click.option(
    "--strategies",
    is_flag=True,
    help="Also what each way to compress would make of the first.",
)
@click.option(
    "--budget",
    type=click.IntRange(1, 1_000_000),
    default=1000,
    show_default=True,
    help="With --strategies.",
)
@asking("With --strategies")
@as_json
def compare(
    ids: tuple[str, ...], strategies: bool, budget: int, model: str | None, base_url: str, max_tokens: int | None,
    max_cost: float | None, json: bool,
) -> None:  # fmt: skip
    """What templates show of what later sessions did with success.

    Against sessions of the first one's kind that began after those it was made of. The first is what the others are
    measured by; a curve over its examples names the smallest set that keeps 95 %. A model is only asked if you name it.
    """
    from afterglow.cli.scan import progress_bar
    from afterglow.flows.warm import compare as run

    settings = config.load()
    if model is not None and not strategies:
        raise UsageError(
            "--model goes with --strategies; templates that are there are compared without one"
        )
    with (
        _model(
            settings, model is not None, model, base_url, max_tokens, max_cost
        ) as asked,
        progress_bar() as progress,
    ):
        found = run(
            settings,
            ids,
            strategies=strategies,
            budget=budget,
            model=asked,
            progress=progress,
        )
    print_json(found) if json else click.echo(shown.comparison(found))


@contextmanager
def _model(
    settings: config.Config, wanted: bool, name: str | None, base_url: str, max_tokens: int | None,
    max_cost: float | None,
) -> Iterator[Model | None]:  # fmt: skip
    """The model that is to be asked, or none. What it took is said on stderr."""
    if not wanted:
        yield None
        return
    from afterglow.flows.model_client import model_of

    with model_of(
        settings,
        name=name or "",
        base_url=base_url,
        max_tokens=max_tokens,
        max_cost=max_cost,
    ) as model:
        yield model
        used = model.spent.usage
        price = f", {model.spent.cost:.4g}" if model.spent.cost else ""
        click.echo(
            f"asked {model.name}: {number(used.input)} tokens in, {number(used.output)} out{price}",
            err=True,
        )


def _split(tools: str | None) -> list[str] | None:
    return (
        None
        if tools is None
        else [tool.strip() for tool in tools.split(",") if tool.strip()]
    )


def _tell_redacted(redacted: dict[str, int]) -> None:
    if redacted:
        rules = ", ".join(f"{rule} {number(n)}" for rule, n in sorted(redacted.items()))
        click.echo(f"taken out of the texts: {rules}")
