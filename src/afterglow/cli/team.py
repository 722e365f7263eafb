"""`afterglow join`, `afterglow sync`, `afterglow leave`: this machine and its team's hub."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import BinaryIO, cast

import click
import msgspec

from afterglow import config
from afterglow.cli.options import output
from afterglow.cli.output import print_json
from afterglow.cli.progress import progress_bar
from afterglow.errors import UsageError
from afterglow.flows.hub import join as run_join
from afterglow.flows.hub import joined_hub, sync_machine
from afterglow.flows.hub import leave as run_leave
from afterglow.records.contributions import Contribution
from afterglow.records.settings import SHARING, Sharing
from afterglow.records.team import HubMember, JoinedHub, LeaveReport, SyncReport
from afterglow.text.clip import printable
from afterglow.text.numbers import count

SHARED = {
    "nothing": "nothing of your sessions is shared",
    "lessons": "lessons of your sessions are shared, without quotes",
    "quotes": "lessons of your sessions are shared, with the words they rest on",
}
# What a row of a kind is called.
KINDS = {
    "session": "session",
    "lesson": "lesson",
    "decision": "decision",
    "delivery": "delivery",
    "plan": "experiment",
    "assignment": "assignment",
    "trial": "trial",
}
PLURALS = {"delivery": "deliveries"}
MAX_REASONS = 5  # of what the hub did not take: more are the same ones


@click.command()
@click.argument("url")
@click.option(
    "--token", help="What an admin of the hub gave you. Asked for if it is not said."
)
@click.option(
    "--token-file",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="A file that holds the token and nothing else.",
)
@click.option(
    "--share",
    type=click.Choice(SHARING),
    help="What the hub gets of your sessions; lessons without quotes unless said.",
)
@output("table", "json")
def join(
    url: str,
    token: str | None,
    token_file: Path | None,
    share: str | None,
    format: str,
) -> None:
    """Join your team's hub at URL: what your sessions teach goes there, and what the team knows comes back.

    Nothing is sent yet: `afterglow sync --dry-run` shows what would be. From then on it happens by itself after each
    harvest. Your own knowledge stays as it is, and works without the hub.
    """
    settings = config.load()
    hub, member = run_join(
        settings,
        url,
        _token(token, token_file),
        share=cast(Sharing | None, share),
    )
    if format == "json":
        print_json({"hub": hub, "member": member})
        return
    sharing = share or settings.sharing.share
    for line in _joined(hub, member, sharing):
        click.echo(line)


def _token(token: str | None, file: Path | None) -> str:
    if token and file:
        raise UsageError("say --token or --token-file, not both")
    if file is not None:
        return file.read_text(encoding="utf-8", errors="replace").strip()
    if token:
        return token
    if not sys.stdin.isatty():
        raise UsageError("say the token: --token, or --token-file FILE")
    token = click.prompt("Token", hide_input=True, err=True)
    return str(token)


def _joined(hub: JoinedHub, member: HubMember, sharing: str) -> Iterator[str]:
    yield f"joined {hub.url} as {printable(member.person)} of {printable(member.org)}"
    for right in ("review", "contribute", "read"):
        patterns = [pattern for pattern, has in member.rights if has == right]
        if patterns:
            yield f"  {right}: {printable(', '.join(patterns))}"
    if not member.rights:
        yield "  you may not read any repository there yet: ask an admin of the hub"
    yield f"{SHARED[sharing]}; `afterglow config set hub.share nothing|lessons|quotes` changes that"
    yield "`afterglow sync` sends and gets now; after each harvest it happens by itself"


@click.command()
@click.option("--dry-run", is_flag=True, help="Only say what would be sent.")
@click.option(
    "--rows",
    type=click.File("wb", lazy=True),
    metavar="FILE",
    help="With --dry-run: write every row that would be sent, as it would be, one a line.",
)
@output("table", "json")
def sync(dry_run: bool, rows: BinaryIO | None, format: str) -> None:
    """Send what is new to the hub this machine joined, and get what the team knows.

    What the hub has is not sent again; what it could not acknowledge is. A session that was forgotten, or that you do not
    share any more, is taken back.
    """
    if rows is not None and not dry_run:
        raise UsageError("--rows shows what would be sent: say --dry-run, too")
    settings = config.load()
    joined_hub(settings)

    def show(row: Contribution) -> None:
        if rows is not None:
            rows.write(msgspec.json.encode(row) + b"\n")

    with progress_bar("talking to the hub", ticking=True):
        report = sync_machine(settings, dry_run=dry_run, show=show)
    if format == "json":
        print_json(report)
        return
    for line in _synced(report):
        click.echo(line)


def _synced(report: SyncReport) -> Iterator[str]:
    verb = "would be sent" if report.dry else "sent"
    news = f"{_rows(report.sent)} {verb}" if report.sent else "nothing new to send"
    yield f"{report.url}: {news}"
    if report.withdrawn:
        yield f"taken back: {_rows(report.withdrawn)}"
    reasons = dict.fromkeys(row.why for row in report.refused)
    if reasons:
        yield f"not taken: {count(len(report.refused), 'row')}"
        yield from (f"  {printable(why)}" for why in list(reasons)[:MAX_REASONS])
    if not report.dry:
        changes = f"{count(report.received, 'item')} came or changed"
        losses = f", {report.dropped} gone" if report.dropped else ""
        yield f"{changes}{losses}; {count(report.team, 'item')} of the team here"
    if report.unread:
        yield f"{count(report.unread, 'item')} of a newer hub not understood: upgrade afterglow to get them"


def _rows(counts: Mapping[str, int]) -> str:
    words = [
        count(number, KINDS.get(kind, kind), PLURALS.get(kind, ""))
        for kind, number in counts.items()
    ]
    return ", ".join(words)


@click.command()
@click.option(
    "--take-back",
    is_flag=True,
    help="Also take back everything this machine contributed; the hub must be reachable for that.",
)
@output("table", "json")
def leave(take_back: bool, format: str) -> None:
    """Leave the hub: the team's items go, your own knowledge is as if you had never joined.

    What you decided about items of the team stays. What you contributed stays with the team unless you take it back.
    """
    report = run_leave(config.load(), take_back=take_back)
    if format == "json":
        print_json(report)
        return
    click.echo(_left(report))
    if report.trouble:
        click.echo(f"the hub was not told: {printable(report.trouble)}", err=True)


def _left(report: LeaveReport) -> str:
    dropped = f"{count(report.items, 'item')} of the team gone from this machine"
    if report.taken_back > 0:
        rows = count(report.taken_back, "contribution")
        return f"left {report.url}: {dropped}, {rows} taken back"
    return f"left {report.url}: {dropped}"
