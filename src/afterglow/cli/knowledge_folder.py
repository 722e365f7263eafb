"""`afterglow knowledge export|import|sync|lint`: the folder that people and git read."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from afterglow import config
from afterglow.cli.options import output
from afterglow.cli.output import print_json
from afterglow.flows import knowledge as flow
from afterglow.records.knowledge import STATUSES, Status
from afterglow.show.tables import paragraph
from afterglow.store.folder.plan import Deleted, Deletions, Proposal, Take
from afterglow.text.clip import clip, printable
from afterglow.text.numbers import count, number

FOLDER = click.Path(path_type=Path, file_okay=False)
MAX_LINES_OF_A_KIND = 10  # so that what happened fits on one screen


@click.command("export")
@click.argument("folder", type=FOLDER, required=False)
@click.option(
    "--status",
    "statuses",
    type=click.Choice([*STATUSES, "all"]),
    multiple=True,
    default=["active"],
    help="Items of this status instead of active ones only; may be repeated.",
)
@click.option(
    "--force", is_flag=True, help="Overwrite edits that are not in the store yet."
)
@output("table", "json")
def export_(
    folder: Path | None, statuses: tuple[str, ...], force: bool, format: str
) -> None:
    """Write the folder people and git can read: index.json and Markdown, one bullet an item.

    FOLDER is `knowledge` below AFTERGLOW_HOME unless given; inside a repository it can be reviewed like code. The same
    items give the same bytes. Edits that are not in the store yet are never overwritten without --force.
    """
    chosen: Sequence[Status] = [
        status for status in STATUSES if status in statuses or "all" in statuses
    ]
    report = flow.export(config.load(), folder, statuses=chosen, force=force)
    if format == "json":
        print_json(report)
        return
    changed = ", ".join(_changes(report.written, report.removed)) or "nothing to change"
    click.echo(f"{count(report.items, 'item')} in {report.folder}: {changed}.")
    if report.untouched:
        click.echo(
            f"{number(report.untouched)} of them are not active in your store and stay as they stand."
        )
    _say(report.notes)


@click.command("import")
@click.argument("source", type=click.Path(path_type=Path))
@click.option(
    "--trust",
    "trusted",
    is_flag=True,
    help="Take status, words and evidence as they are told.",
)
@click.option("--dry-run", is_flag=True, help="Say what would come in; change nothing.")
@output("table", "json")
def import_(source: Path, trusted: bool, dry_run: bool, format: str) -> None:
    """Take in items from an index.json or a folder that has one.

    New items are candidates of the lowest trust until you approve them, unless you --trust the source. Your own words
    and decisions stay, and what you deleted does not come back. All of it comes in, or nothing.
    """
    report = flow.import_(config.load(), source, trusted=trusted, dry_run=dry_run)
    if format == "json":
        print_json(report)
        return
    parts = [
        f"{number(len(ids))} {what}"
        for what, ids in (("new", report.created), ("merged", report.merged))
        if ids
    ]
    click.echo(
        f"{_would(dry_run)}{', '.join(parts) or 'Nothing new'} from {report.source}."
    )
    for why, n in Counter(skipped.why for skipped in report.skipped).most_common():
        click.echo(f"{number(n)} left out: {why}")
    for line in _some(
        [f"{new.id}  {new.where}: {clip(new.after, 200)}" for new in report.proposals]
    ):
        click.echo(line)
    if report.quarantined:
        click.echo(
            f"{number(len(report.quarantined))} quarantined, they read like orders to an agent: "
            f"{', '.join(report.quarantined[:MAX_LINES_OF_A_KIND])}"
        )
    if report.redacted:
        rules = ", ".join(
            f"{rule} {number(n)}" for rule, n in sorted(report.redacted.items())
        )
        click.echo(f"taken out of the texts: {rules}")
    if len(report.created) > len(report.quarantined) and not trusted:
        click.echo(
            "`afterglow knowledge list --status candidate` shows them, `approve` makes them active."
        )


@click.command()
@click.argument("folder", type=FOLDER, required=False)
@click.option(
    "--take",
    type=click.Choice(["folder", "store"]),
    help="Whose side to take in conflicts.",
)
@click.option(
    "--deletions",
    type=click.Choice(["report", "retire", "restore"]),
    default="report",
    show_default=True,
    help="What to do about items whose bullet was deleted.",
)
@click.option(
    "--mine",
    is_flag=True,
    help="You wrote what is new in the folder; what others committed still waits.",
)
@click.option(
    "--trust",
    "trusted",
    is_flag=True,
    help="Also take words that read like orders to an agent.",
)
@click.option("--dry-run", is_flag=True, help="Say what would happen; change nothing.")
@output("table", "json")
def sync(
    folder: Path | None,
    take: Take | None,
    deletions: Deletions,
    mine: bool,
    trusted: bool,
    dry_run: bool,
    format: str,
) -> None:
    """Bring edits people made in the folder into the store, and what the store learned into the folder.

    A change counts as yours if you say so (on a terminal you are asked, else --mine) or if one of [people] signers
    signed its commit; any other becomes a candidate that `knowledge approve` decides about.

    Exit code 1 when something waits for you: a proposal, a conflict (both texts are shown, nothing is touched until you
    --take a side), a deleted bullet, a file that cannot be read (it is left alone).
    """
    settings = config.load()

    def synced(mine: bool, dry_run: bool) -> flow.Synced:
        return flow.sync(
            settings,
            folder,
            take=take or "",
            deletions=deletions,
            mine=mine,
            trusted=trusted,
            dry_run=dry_run,
        )

    can_ask = format == "table" and sys.stdin.isatty() and sys.stdout.isatty()
    if can_ask and not mine and not dry_run:
        mine = _wrote_them(synced(mine=False, dry_run=True))
    report = synced(mine, dry_run)
    if format == "json":
        print_json(report)
    else:
        click.echo("\n".join(_synced(report)))
        _say(report.notes)
    sys.exit(1 if report.open else 0)


@click.command()
@click.argument("folder", type=FOLDER, required=False)
@output("table", "json")
def lint(folder: Path | None, format: str) -> None:
    """Check the store, or a FOLDER: words, secrets, evidence, links, duplicates, and whether its files agree.

    Exit code 1 when there are errors; warnings do not fail.
    """
    report = flow.lint(config.load(), folder)
    if format == "json":
        print_json(report)
    else:
        for flaw in report.flaws:
            click.echo(
                printable(f"{flaw.level}: {flaw.where}: {flaw.what} ({flaw.rule})")
            )
        warnings = len(report.flaws) - report.errors
        click.echo(
            f"{count(report.items, 'item')} of {report.what}: {count(report.errors, 'error')}, "
            f"{count(warnings, 'warning')}."
        )
    sys.exit(1 if report.errors else 0)


def _synced(report: flow.Synced) -> Iterator[str]:
    taken = [
        f"{number(len(ids))} {what}"
        for what, ids in (
            ("new", report.created),
            ("edited", report.edited),
            ("retired", report.retired),
        )
        if ids
    ]
    moved = [f"{', '.join(taken)} into the store"] if taken else []
    moved += (
        [f"{', '.join(_changes(report.written, report.removed))} in the folder"]
        if report.written + report.removed
        else []
    )
    what = "; ".join(moved) or "Nothing to bring over"
    yield f"{_would(report.dry_run)}{what}. {count(report.items, 'item')} in {report.folder}."
    if report.proposals:
        proposals = count(len(report.proposals), "change")
        yield f"{proposals} in the folder not known to be yours, kept as candidates:"
        yield from _proposed(report.proposals)
        yield "  `afterglow knowledge approve ID` or `reject ID` decides; --mine takes what you wrote yourself."
    for conflict in report.conflicts:
        yield f"conflict in {conflict.where} [{conflict.id}], {conflict.what} changed on both sides:"
        yield paragraph(printable(conflict.folder), "  folder: ")
        yield paragraph(printable(conflict.store), "  store:  ")
    if report.conflicts:
        yield "  --take folder or --take store decides; until then both stay as they are."
    yield from _deleted(report.deleted)
    if report.troubles:
        yield "left alone:"
        yield from _some(
            [f"{trouble.where}: {trouble.what}" for trouble in report.troubles]
        )
    if report.unknown:
        bullets = count(len(report.unknown), "bullet")
        yield f"{bullets} not in your store: `afterglow knowledge import {report.folder}` takes them."
    if report.waiting:
        yield f"{count(len(report.waiting), 'bullet')} not active in your store: `afterglow knowledge approve` decides."


def _deleted(deleted: Sequence[Deleted]) -> Iterator[str]:
    if not deleted:
        return
    yield f"{count(len(deleted), 'bullet')} deleted, the items still hold:"
    yield from _some(
        [f"{bullet.id}  {clip(bullet.fact, 100)}{_by(bullet.by)}" for bullet in deleted]
    )
    yield "  --deletions retire gives them up, --deletions restore writes them again."
    if any(bullet.by for bullet in deleted):
        yield "  What others deleted only `afterglow knowledge retire ID` gives up."


def _wrote_them(report: flow.Synced) -> bool:
    """Asks the person at the terminal about the changes that nobody else is shown to have made."""
    untold = [change for change in report.proposals if change.sign == "untold"]
    if not untold:
        return False
    click.echo(f"{count(len(untold), 'change')} in {report.folder}:")
    for line in _proposed(untold):
        click.echo(line)
    return click.confirm("Did you write all of this yourself?", default=False)


def _proposed(proposals: Sequence[Proposal]) -> Iterator[str]:
    """Each as a small diff, with its place and author."""
    for change in proposals[:MAX_LINES_OF_A_KIND]:
        yield printable(f"  [{change.id}] {change.where}: {change.by}")
        if change.before:
            yield paragraph(printable(change.before), "    - ")
        yield paragraph(printable(change.after), "    + ")
    if len(proposals) > MAX_LINES_OF_A_KIND:
        more = number(len(proposals) - MAX_LINES_OF_A_KIND)
        yield f"  … and {more} more: --json names them"


def _by(author: str) -> str:
    return f" (by {author})" if author else ""


def _changes(written: Sequence[str], removed: Sequence[str]) -> list[str]:
    parts = [f"{count(len(written), 'file')} written"] if written else []
    return parts + ([f"{number(len(removed))} removed"] if removed else [])


def _would(dry_run: bool) -> str:
    return "Dry run, nothing is changed: " if dry_run else ""


def _say(notes: Sequence[str]) -> None:
    for line in _some([f"note: {note}" for note in notes]):
        click.echo(line)


def _some(lines: Sequence[str]) -> list[str]:
    more = (
        [f"  … and {number(len(lines) - MAX_LINES_OF_A_KIND)} more: --json names them"]
        if len(lines) > MAX_LINES_OF_A_KIND
        else []
    )
    return [f"  {printable(line)}" for line in lines[:MAX_LINES_OF_A_KIND]] + more
