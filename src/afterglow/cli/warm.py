"""`afterglow warm ...`: templates of what made sessions good, to start new ones with."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from afterglow import config
from afterglow.cli.output import print_json
from afterglow.cli.show import templates as show_templates
from afterglow.cli.warm_making import (
    auto,
    compare,
    compress,
    export_,
    extract,
    import_,
)
from afterglow.cli.warm_options import (
    as_json,
    budget,
    one_or_more,
    tags,
    task_type,
    tools,
)
from afterglow.errors import UsageError
from afterglow.flows import warm as flow
from afterglow.flows.session import repo_of
from afterglow.records.template import PARTS, TemplatePart
from afterglow.records.tools import TaskType
from afterglow.text.clip import printable

FORMATS = ("openai", "anthropic", "hermes", "text")


class Contents(click.Group):
    """The commands in the order they are added below."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.commands)


@click.group(cls=Contents)
def warm() -> None:
    """Templates of what made sessions good, to start new ones with.

    `extract` makes one from a session, `auto` from many; `test` shows exactly what a new session would start with.
    """


@click.command("list")
@task_type("Only this type.")
@tags("Only templates with one of these; given twice, with one of each.")
@as_json
def list_(task_type: TaskType | None, tags: tuple[str, ...], json: bool) -> None:
    """Templates in the order they were made, with how often they were used and what came of it."""
    listing = flow.list_templates(config.load(), task_type=task_type, tags=tags)
    print_json(listing) if json else click.echo(show_templates.listing(listing))


@click.command()
@click.argument("id")
@click.option("--version", type=click.IntRange(1), help="As it was then.")
@as_json
def show(id: str, version: int | None, json: bool) -> None:
    """A whole template: where it comes from and all it holds. ID may be shortened, or be its name."""
    template, versions, record = flow.show(config.load(), id, version=version)
    if json:
        print_json(template)
    else:
        click.echo(show_templates.template(template, versions, record))


@click.command()
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
@click.option(
    "--with",
    "other_id",
    metavar="ID",
    help="Another template, in the place of an older version.",
)
@click.option("--words", is_flag=True, help="As `warm show` words it, not the file.")
def diff(
    id: str, before: int | None, after: int | None, other_id: str | None, words: bool
) -> None:
    """What changed between two versions, or is different between two templates."""
    settings = config.load()
    if words or other_id:
        older = flow.TemplateVersion(other_id or id, before)
        if other_id is None and before is None:
            older = flow.version_before(settings, id, after)
        newer = flow.TemplateVersion(id, after)
        changes = flow.difference(settings, older, newer)
    else:
        changes = flow.diff(settings, id, before=before, after=after)
    lines = map(printable, changes.splitlines())
    click.echo("\n".join(lines) or "The two are the same.")


@click.command()
@click.argument("id")
@click.argument("message")
@click.option(
    "--format",
    type=click.Choice(FORMATS),
    default="openai",
    show_default=True,
    help="For which API; text is what hooks give to agents.",
)
@budget(flow.BUDGET, "Tokens, at most.")
@tools("The tools the session will have; examples of others are left out.")
@click.option(
    "--root",
    default="",
    metavar="FOLDER",
    help="Where the session will work; <repo> in examples if not said.",
)
@click.option(
    "--part",
    type=click.Choice(tuple(PARTS)),
    default=None,
    help="Only that part of it, as an experiment's arm template:PART gives it.",
)
@click.option(
    "--unapproved",
    is_flag=True,
    help="What it would be once you approve it; no session gets that.",
)
@as_json
def test(
    id: str,
    message: str,
    format: str,
    budget: int,
    tools: list[str] | None,
    root: str,
    part: TemplatePart | None,
    unapproved: bool,
    json: bool,
) -> None:
    """Show exactly what a new session would start with. It does not count as a use.

    With --json, the messages as they would be sent; notes go to stderr.
    """
    target = flow.Target(
        format=format, budget=budget, tools=tools, root=root, part=part or ""
    )
    template, start = flow.try_out(
        config.load(), id, message, target, even_unapproved=unapproved
    )
    if not json:
        click.echo(show_templates.warmed(template, start))
        return
    body: object = start.messages
    if format == "anthropic":
        body = {"system": start.system, "messages": start.messages}
    elif start.session is not None:
        body = start.session
    print_json(body)
    for note in start.notes:
        click.echo(f"note: {printable(note)}", err=True)


@click.command()
@click.argument("task")
@task_type("Only templates for this type, or for mixed work.")
@tags("Only templates with one of these.")
@click.option(
    "--repo",
    metavar="NAME",
    help="The repository the session will work in; that of the folder you are in if not said.",
)
@click.option(
    "--agent",
    metavar="NAME",
    default="",
    help="The agent: claude-code, hermes, codex, ...",
)
@tools("The tools the session will have.")
@as_json
def select(
    task: str,
    task_type: TaskType | None,
    tags: tuple[str, ...],
    repo: str | None,
    agent: str,
    tools: list[str] | None,
    json: bool,
) -> None:
    """The best template for TASK, and why; `none` when nothing fits."""
    settings = config.load()
    place = repo_of(Path.cwd(), settings) if repo is None else repo
    target = flow.Target(repo=place, agent=agent, tools=tools)
    choice, skipped = flow.select(
        settings, task, target, task_type=task_type, tags=tags
    )
    print_json(choice) if json else click.echo(show_templates.choice(choice, skipped))


@click.command()
@as_json
def stats(json: bool) -> None:
    """Totals by type: templates, examples, uses, success."""
    totals = flow.stats(config.load())
    print_json(totals) if json else click.echo(show_templates.stats(totals))


@click.command()
@one_or_more
@as_json
def approve(ids: tuple[str, ...], json: bool) -> None:
    """You have read them: sessions may start from these templates."""
    templates = flow.approve(config.load(), ids)
    if json:
        print_json(templates)
        return
    for template in templates:
        click.echo(f"{template.id}  {printable(template.name)}: approved")


@click.command()
@one_or_more
@as_json
def reject(ids: tuple[str, ...], json: bool) -> None:
    """You have read them and do not want them: sessions start from the last version you approved, if there is one."""
    templates = flow.reject(config.load(), ids)
    if json:
        print_json(templates)
        return
    for template in templates:
        click.echo(f"{template.id}  {printable(template.name)}: rejected")


@click.command()
@one_or_more
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
    moved = flow.delete(settings, ids)
    if json:
        print_json(moved)
        return
    for path in moved:
        click.echo(f"moved to {path}")


for command in (
    extract,
    list_,
    show,
    diff,
    test,
    select,
    stats,
    approve,
    reject,
    delete,
    export_,
    import_,
    auto,
    compress,
    compare,
):
    warm.add_command(command)
