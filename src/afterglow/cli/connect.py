"""`afterglow connect` and `afterglow disconnect`"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import click

from afterglow import config
from afterglow.config import Config
from afterglow.errors import NotFound, UsageError
from afterglow.flows.connect import (
    NOBODY,
    ConnectResult,
    WriterOffer,
    checked_writer,
    present,
    set_writer,
    writer_offer,
)
from afterglow.flows.connect import connect as run_connect
from afterglow.flows.connect import disconnect as run_disconnect
from afterglow.flows.session import root_of
from afterglow.text.numbers import count


@click.command()
@click.argument("agents", nargs=-1, metavar="[AGENT]...")
@click.option(
    "--dry-run",
    is_flag=True,
    help="Show every file that would be touched, and how; change nothing.",
)
@click.option(
    "--project",
    is_flag=True,
    help="Only sessions in this checkout, not all of this user.",
)
@click.option(
    "--hints",
    is_flag=True,
    help="Also a hint before a call that is known to fail (one hook a call).",
)
@click.option(
    "--profile",
    default="",
    metavar="NAME",
    help="A profile of Hermes; its default home if not said.",
)
@click.option(
    "--write-with",
    metavar="AGENT",
    default="",
    help="Who writes lessons in the background (claude, codex, gemini, hermes; auto; nobody), without being asked.",
)
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
def connect(
    agents: tuple[str, ...],
    dry_run: bool,
    project: bool,
    hints: bool,
    profile: str,
    write_with: str,
    as_json: bool,
) -> None:
    """Have agents start with what was learned, and learn from their sessions as they end: claude-code, codex, hermes.

    Without a name, the agents found on this machine. Each file is copied first and changed whole or not at all;
    `afterglow disconnect` puts it back. The first time you are also asked whether your own agent may write lessons about
    problems that come back; nothing of that is on until you say yes.
    """
    settings = config.load()
    writer = checked_writer(settings, write_with)
    chosen = agents or _choose(settings, ask=not dry_run and not as_json)
    results = run_connect(
        settings,
        chosen,
        project=root_of(Path.cwd()) if project else None,
        hints=hints,
        profile=profile,
        dry_run=dry_run,
    )
    if not settings.knowledge.exists():
        click.echo(
            "nothing is known yet; begin with: afterglow scan && afterglow harvest",
            err=True,
        )
    if not dry_run:
        _settle_writer(settings, writer, chosen, ask=not as_json)
    elif writer:
        click.echo(f"would be kept: {_who_writes(writer)}", err=True)
    _show(results, as_json, "connected already", dry_run)


@click.command()
@click.argument("agents", nargs=-1, metavar="[AGENT]...")
@click.option(
    "--dry-run",
    is_flag=True,
    help="Show every file that would be touched, and how; change nothing.",
)
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
def disconnect(agents: tuple[str, ...], dry_run: bool, as_json: bool) -> None:
    """Put agents' files back as they were before `afterglow connect`.

    Byte for byte where a file is as we left it. Where it was changed since, only our parts are taken out. Without a
    name, every agent that is connected.
    """
    results = run_disconnect(config.load(), agents, dry_run=dry_run)
    if not results and not as_json:
        click.echo("nothing is connected")
    else:
        _show(results, as_json, "nothing to do", dry_run)


def _choose(settings: Config, *, ask: bool) -> list[str]:
    """Every agent that is here; on a terminal a person says which."""
    names = present(settings)
    if not names:
        raise NotFound(
            "no agent that can be connected was found here; name one: afterglow connect claude-code"
        )
    if ask and _at_terminal():
        names = [
            name for name in names if click.confirm(f"connect {name}?", default=True)
        ]
        if not names:
            raise UsageError("no agent was chosen; nothing was changed")
    return names


def _settle_writer(
    settings: Config, writer: str, agents: Sequence[str], *, ask: bool
) -> None:
    """Keeps who writes lessons, as said or, once and on a terminal, as answered."""
    if writer:
        path = set_writer(settings, writer)
        click.echo(f"{_who_writes(writer)} ({path})", err=True)
        return
    offer = writer_offer(settings, agents) if ask else None
    if offer is None:
        return
    if not _at_terminal():
        click.echo(
            f"nobody writes lessons yet; afterglow connect --write-with {offer.writer} has {offer.writer} do it "
            f"(about {_tokens(offer.estimate.tokens_weekly)} a week)",
            err=True,
        )
        return
    click.echo(_in_plain_words(offer))
    agreed = click.confirm(f"Have {offer.writer} write lessons?", default=False)
    writer = offer.writer if agreed else NOBODY
    set_writer(settings, writer)
    click.echo(_who_writes(writer))


def _who_writes(writer: str) -> str:
    if writer == NOBODY:
        return "nobody writes lessons in the background; you are not asked again"
    return f"{writer} writes lessons in the background; afterglow connect --write-with nobody ends that"


def _in_plain_words(offer: WriterOffer) -> str:
    estimate, name = offer.estimate, offer.writer
    return f"""
Problems that keep coming back can be written down as lessons by {name} itself. It is
started in the background with your own login, without tools; it is shown what failed
and what helped, redacted, on at most 400 tokens a problem, and what it answers is
checked against your sessions before any agent is told.
In your history, waiting for a lesson: {count(estimate.waiting, "problem")} (about {_tokens(estimate.tokens_now)}, once).
New in a week: {_weekly(estimate.weekly)} (about {_tokens(estimate.tokens_weekly)}).
Never more than {offer.daily_tokens:,} tokens a day. It is off unless you say yes."""


def _weekly(problems: float) -> str:
    return (
        f"about {count(round(problems), 'problem')}"
        if problems >= 1
        else "less than one"
    )


def _tokens(tokens: int) -> str:
    """Two digits are as much as is known."""
    digits = max(len(str(tokens)) - 2, 0)
    return f"{round(tokens, -digits):,} tokens"


def _at_terminal() -> bool:
    return sys.stdin.isatty() and sys.stdout.isatty()


def _show(
    results: tuple[ConnectResult, ...], as_json: bool, nothing: str, dry_run: bool
) -> None:
    if as_json:
        from afterglow.cli.output import print_json

        print_json(results)
    else:
        for result in results:
            _tell(result, nothing, dry_run)
    if any(result.refused for result in results):
        click.get_current_context().exit(1)


def _tell(result: ConnectResult, nothing: str, dry_run: bool) -> None:
    if result.refused:
        click.echo(f"{result.agent}: {result.refused}", err=True)
        return
    if not result.changes:
        click.echo(f"{result.agent}: {nothing}")
    would = "would be " if dry_run else ""
    for change in result.changes:
        click.echo(f"{result.agent}: {change.path} {would}{change.what}")
        if change.diff:
            click.echo(change.diff)
    for note in result.notes:
        click.echo(f"  {note}")
