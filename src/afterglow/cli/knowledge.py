"""`afterglow knowledge ...`: read, search, trace and review what sessions taught."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any, TypeVar

import click

from afterglow import config
from afterglow.cli.options import FILTERS, Finite, filtered_by, output
from afterglow.cli.output import print_json
from afterglow.cli.show import items as shown
from afterglow.errors import UsageError
from afterglow.flows import knowledge as flow
from afterglow.records.knowledge import CATEGORIES, STATUSES, Category, Status
from afterglow.records.selection import Selection

F = TypeVar("F", bound=Callable[..., Any])

# Commands with modules of their own, loaded on use: name -> module, function in it, and its line of help.
ELSEWHERE = {
    "review": ("knowledge_review", "review", "Go through what waits, key by key."),
    "add": ("knowledge_review", "add", "Write a lesson of your own."),
    "edit": ("knowledge_review", "edit", "Say it in other words."),
    "scope": ("knowledge_review", "scope", "Say where items hold."),
    "undo": ("knowledge_review", "undo", "Take decisions back."),
    "decisions": ("knowledge_review", "decisions", "What was decided, by whom."),
    "export": (
        "knowledge_folder",
        "export_",
        "Write the folder people and git can read.",
    ),
    "import": (
        "knowledge_folder",
        "import_",
        "Take in items from a folder or an index.json.",
    ),
    "sync": (
        "knowledge_folder",
        "sync",
        "Bring edits people made in the folder back into the store.",
    ),
    "lint": (
        "knowledge_folder",
        "lint",
        "Check the store or a folder: fields, ids, links, anything secret.",
    ),
}


class Contents(click.Group):
    """The commands in the order they are written here, then those of other modules."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [*self.commands, *ELSEWHERE]

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in ELSEWHERE:
            return super().get_command(ctx, name)
        module, function, _ = ELSEWHERE[name]
        command: click.Command = getattr(
            import_module(f"afterglow.cli.{module}"), function
        )
        return command

    def format_commands(
        self, ctx: click.Context, formatter: click.HelpFormatter
    ) -> None:
        listed = [
            (name, command.get_short_help_str(80))
            for name, command in self.commands.items()
        ]
        listed += [(name, line) for name, (_, _, line) in ELSEWHERE.items()]
        with formatter.section("Commands"):
            formatter.write_dl(listed)


@click.group(cls=Contents)
def knowledge() -> None:
    """Read, search, trace, review and share what sessions taught. `afterglow harvest` fills it."""


def narrowed(command: F) -> F:
    """Which items: `--repo`, `--agent`, `--category`, `--status`, `--all`, and how many."""
    select = filtered_by(repo=FILTERS["repo"], agent="Only what holds for this agent.")
    for option in (
        click.option(
            "--limit",
            type=click.IntRange(1, 10**6),
            default=20,
            show_default=True,
            help="How many at most.",
        ),
        click.option(
            "--all", "everything", is_flag=True, help="Whatever their status."
        ),
        click.option(
            "--status",
            type=click.Choice(STATUSES),
            multiple=True,
            help="Items of this status instead of active ones; candidate is the review queue.",
        ),
        click.option(
            "--category", type=click.Choice(CATEGORIES), help="Only this category."
        ),
        select,
    ):
        command = option(command)
    return command


@knowledge.command("list")
@narrowed
@click.option("--tag", metavar="WORD", help="Only items with this tag.")
@click.option(
    "--min-confidence", type=Finite(0, 1), help="Only items at least this sure."
)
@output("table", "json")
def list_(
    selection: Selection,
    category: Category | None,
    status: tuple[Status, ...],
    everything: bool,
    limit: int,
    tag: str | None,
    min_confidence: float | None,
    format: str,
) -> None:
    """Items, the strongest first; in a checkout those of its repository before all others.

    `--status candidate` is the review queue.
    """
    statuses = None if everything else status or ("active",)
    items = flow.list_items(
        config.load(),
        selection,
        status=statuses,
        category=category,
        tag=tag,
        min_confidence=min_confidence,
        limit=limit,
        cwd=Path.cwd(),
    )
    print_json(items) if format == "json" else click.echo(
        shown.listing(items, statuses)
    )


@knowledge.command()
@click.argument("words", nargs=-1, required=True)
@narrowed
@output("table", "json")
def search(
    selection: Selection,
    words: tuple[str, ...],
    category: Category | None,
    status: tuple[Status, ...],
    everything: bool,
    limit: int,
    format: str,
) -> None:
    """Items about WORDS, the most relevant first.

    Words of a task, or an error message as it stands.
    """
    statuses = None if everything else status or ("active",)
    hits = flow.search(
        config.load(),
        " ".join(words),
        selection,
        status=statuses,
        category=category,
        limit=limit,
    )
    if format == "json":
        print_json(hits)
    else:
        empty = (
            not hits and not flow.list_items(config.load(), status=None, limit=1).items
        )
        click.echo(shown.nothing({}, None) if empty else shown.hits(hits, statuses))


@knowledge.command()
@click.argument("ids", nargs=-1, required=True, metavar="ID...")
@output("table", "json")
def show(ids: tuple[str, ...], format: str) -> None:
    """Whole items: status and why, scope, dates, history, evidence.

    IDs may be shortened.
    """
    items = flow.show(config.load(), ids)
    print_json(items) if format == "json" else click.echo(
        "\n\n".join(map(shown.whole, items))
    )


@knowledge.command()
@click.argument("id")
@click.option(
    "--limit",
    type=click.IntRange(1),
    default=10,
    show_default=True,
    help="How many places at most.",
)
@output("table", "json")
def explain(id: str, limit: int, format: str) -> None:
    """An item and the transcript lines it stands on.

    The lines are read again from their source, and redacted.
    """
    from afterglow.cli.show.evidence import explanation
    from afterglow.flows.knowledge import explain as run

    explained = run(config.load(), id, limit=limit)
    print_json(explained) if format == "json" else click.echo(explanation(explained))


@knowledge.command()
@click.argument("ids", nargs=-1, metavar="[ID...|all]")
@click.option("--repo", metavar="NAME", help="Only items of this repository.")
@output("table", "json")
def verify(ids: tuple[str, ...], repo: str | None, format: str) -> None:
    """Re-open every piece of evidence: is it still there, word for word?

    Of the items named, or of all. Ends with 1 when something changed, vanished, or could not be read.
    """
    from afterglow.cli.progress import progress_bar
    from afterglow.cli.show.evidence import verification
    from afterglow.flows.knowledge import verify as run

    with progress_bar("reading transcripts") as progress:
        report = run(
            config.load(), () if ids == ("all",) else ids, repo=repo, progress=progress
        )
    print_json(report) if format == "json" else click.echo(verification(report))
    sys.exit(1 if report.broken else 0)


@knowledge.command()
@click.argument("ids", nargs=-1, required=True, metavar="ID...")
@click.option("--note", default="", help="Why, for the history.")
@click.option("--even-quarantined", is_flag=True, help="Also what a screen held back.")
@click.option("--risky", is_flag=True, help="Also what is risky, in these very words.")
@output("table", "json")
def approve(
    ids: tuple[str, ...], note: str, even_quarantined: bool, risky: bool, format: str
) -> None:
    """Make items active, for good.

    All of them or, if one cannot be, none. A person's word counts: harvest does not undo it. What is risky is
    shown and asked about, or needs --risky; when its words change, it has to be approved again.
    """
    settings = config.load()
    if not risky and sys.stdin.isatty():
        risky = _confirm_risky(settings, ids)
    decisions = flow.approve(
        settings, ids, note=note, even_quarantined=even_quarantined, risky=risky
    )
    tell(decisions, format)


def _confirm_risky(settings: config.Config, ids: tuple[str, ...]) -> bool:
    """Shows what is risky and its exact words, and asks; True where a person said yes to all of it."""
    items = [stored.item for stored in flow.show(settings, ids)]
    risky_items = [item for item in items if flow.needs_risky(item)]
    for item in risky_items:
        click.echo(shown.risky(item), err=True)
        click.confirm("Tell agents exactly this?", abort=True, err=True)
    return bool(risky_items)


@knowledge.command()
@click.argument("ids", nargs=-1, required=True, metavar="ID...")
@click.option("--why", required=True, help="What is wrong with them.")
@output("table", "json")
def reject(ids: tuple[str, ...], why: str, format: str) -> None:
    """Wrong or useless: never offered again by harvest."""
    tell(flow.reject(config.load(), ids, why=why), format)


@knowledge.command()
@click.argument("ids", nargs=-1, required=True, metavar="ID...")
@click.option("--why", required=True, help="What changed.")
@output("table", "json")
def retire(ids: tuple[str, ...], why: str, format: str) -> None:
    """True once, no longer.

    Kept with their history, not given to sessions any more.
    """
    tell(flow.retire(config.load(), ids, why=why), format)


@knowledge.command()
@click.argument("ids", nargs=-1, required=True, metavar="ID...")
@click.option("--why", required=True, help="Kept with the mark that stays.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@output("table", "json")
def delete(ids: tuple[str, ...], why: str, yes: bool, format: str) -> None:
    """Take items out of the store.

    A mark stays, so that they do not come back.
    """
    settings = config.load()
    if not yes:
        if not sys.stdin.isatty():
            raise UsageError(
                "delete asks before it deletes, and nobody is there to answer; --yes deletes at once"
            )
        for item in flow.show(settings, ids):
            click.echo(shown.one_line(item.item), err=True)
        click.confirm("Delete for good?", abort=True, err=True)
    tell(flow.delete(settings, ids, why=why), format)


def tell(decisions: list[flow.Decision], format: str) -> None:
    print_json(decisions) if format == "json" else click.echo(
        shown.decisions(decisions)
    )


@knowledge.command()
@filtered_by(
    repo="Only this repository.",
    since="Only errors of sessions that ended since: 7d, 2w, 2026-11-01.",
)
@click.option(
    "--limit",
    type=click.IntRange(1),
    default=10,
    show_default=True,
    help="How many of each kind at most.",
)
@output("table", "json")
def gaps(selection: Selection, limit: int, format: str) -> None:
    """What keeps costing and has no lesson.

    Errors that came back without an active item about them, open questions, repos and domains little is known of.
    """
    from afterglow.cli.progress import progress_bar
    from afterglow.flows.knowledge import gaps as run

    with progress_bar("looking for gaps", ticking=True):
        report = run(config.load(), selection, limit=limit)
    print_json(report) if format == "json" else click.echo(shown.gaps(report))


@knowledge.command()
@click.option(
    "--days",
    type=Finite(0),
    default=90,
    show_default=True,
    help="Doubt what is older than this.",
)
@click.option("--repo", metavar="NAME", help="Only this repository.")
@click.option(
    "--limit",
    type=click.IntRange(1),
    default=20,
    show_default=True,
    help="How many at most.",
)
@output("table", "json")
def stale(days: float, repo: str | None, limit: int, format: str) -> None:
    """Items that may no longer hold.

    Expired, long unconfirmed, contradicted by a session, or passed by many sessions of their repo.
    """
    from afterglow.flows.knowledge import stale as run

    items = run(config.load(), days=days, repo=repo)
    print_json(items[:limit]) if format == "json" else click.echo(
        shown.stale(items, limit)
    )


@knowledge.command()
@output("table", "json")
def stats(format: str) -> None:
    """What the store holds, and whether it is sound."""
    report = flow.stats(config.load())
    print_json(report) if format == "json" else click.echo(shown.stats(report))
    sys.exit(5 if report.problems else 0)
