"""`afterglow memory ...`: a person's own preferences across sessions, in the backend they chose."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from afterglow import config
from afterglow.cli.options import output
from afterglow.cli.output import print_json
from afterglow.config import Config
from afterglow.errors import NotFound, UsageError
from afterglow.flows import memory as flow
from afterglow.memory.backend import LIMIT
from afterglow.memory.backends import NOTHING_KEPT, keeps_entries
from afterglow.memory.tool import USER
from afterglow.show.tables import paragraph, table
from afterglow.text.clip import clip, printable
from afterglow.text.numbers import local_day, number

F = TypeVar("F", bound=Callable[..., Any])
MAX_SHOWN_CHARACTERS = 60  # of a value, to recognise it by


@click.group()
def memory() -> None:
    """Your own preferences across sessions, kept on this machine unless you choose otherwise.

    AFTERGLOW_MEMORY_BACKEND (or [memory] backend in config.toml) is local, honcho or null. Local is the default, null
    keeps nothing; `evaluate` measures them.
    """


def whose(command: F) -> F:
    """`--user` and `--json`."""
    command = click.option("--json", "json", is_flag=True, help="Print it as JSON.")(
        command
    )
    return click.option(
        "--user",
        default=USER,
        show_default=True,
        metavar="NAME",
        help="Whose preferences.",
    )(command)


@memory.command()
@click.argument("key")
@click.argument("value")
@click.option(
    "--metadata",
    metavar="JSON",
    help='Kept beside the value, like {"source": "onboarding"}.',
)
@click.option(
    "--no-redact",
    is_flag=True,
    help="Keep the value as it is, secrets and personal data included.",
)
@whose
def store(
    key: str, value: str, metadata: str | None, no_redact: bool, user: str, json: bool
) -> None:
    """Keep VALUE under KEY; `-` reads it from stdin. A key that is there gets the new value."""
    if value == "-":
        value = sys.stdin.read()
    stored = flow.store(
        config.load(), user, key, value, metadata=_table(metadata), redact=not no_redact
    )
    if json:
        print_json(stored)
        return
    where = stored.place or stored.backend
    click.echo(f"{printable(key)} is kept: {_line(stored.value)} ({printable(where)})")
    if stored.waits:
        click.echo(
            f"note: no agent gets it before you approve it ({stored.waits}): "
            f"afterglow memory approve {printable(key)} --risky",
            err=True,
        )
    if stored.hidden:
        what = ", ".join(stored.hidden)
        click.echo(
            f"note: {what} was hidden in it; --no-redact keeps it as it is", err=True
        )


@memory.command()
@click.argument("key")
@whose
def retrieve(key: str, user: str, json: bool) -> None:
    """Print the value of exactly KEY."""
    settings = config.load()
    entry = flow.retrieve(settings, user, key)
    if entry is None:
        absent = f"{user} has no {key!r}; `afterglow memory list` names the keys, `memory query` looks for words"
        raise NotFound(absent if keeps_entries(settings) else NOTHING_KEPT)
    print_json(entry) if json else click.echo(
        "\n".join(map(printable, entry.value.split("\n")))
    )


@memory.command()
@click.argument("words", nargs=-1, required=True)
@click.option("--limit", type=click.IntRange(1, 1000), default=LIMIT, show_default=True)
@whose
def query(words: tuple[str, ...], limit: int, user: str, json: bool) -> None:
    """Entries about WORDS, best first."""
    settings = config.load()
    entries = flow.query(settings, user, " ".join(words), limit=limit)
    if json:
        print_json(entries)
    elif entries:
        rows = [
            (entry.key, local_day(entry.updated_at), " ".join(entry.value.split()))
            for entry in entries
        ]
        click.echo(table(("key", "updated", "value"), rows))
    else:
        click.echo(_nothing(settings, "Nothing about that."), err=True)


@memory.command("list")
@whose
def list_(user: str, json: bool) -> None:
    """All keys, sorted."""
    settings = config.load()
    keys = flow.list_keys(settings, user)
    if json:
        print_json(keys)
    elif keys:
        click.echo("\n".join(map(printable, keys)))
    else:
        click.echo(_nothing(settings, f"{printable(user)} has no entries."), err=True)


@memory.command()
@click.argument("key")
@whose
def delete(key: str, user: str, json: bool) -> None:
    """Delete KEY and its value."""
    deleted = flow.delete(config.load(), user, key)
    if not deleted:
        raise NotFound(f"{user} has no {key!r}; `afterglow memory list` names the keys")
    print_json({"key": key, "deleted": True}) if json else click.echo(
        f"{printable(key)} is gone."
    )


@memory.command()
@whose
def waiting(user: str, json: bool) -> None:
    """What agents wanted kept and you did not say, or what is risky: no agent gets it before you approve it."""
    entries = flow.waiting(config.load(), user)
    if json:
        print_json(entries)
        return
    for entry in entries:
        why = entry.metadata.get("waits", "")
        click.echo(printable(f"{entry.key}  ({local_day(entry.updated_at)}; {why})"))
        click.echo(paragraph(printable(entry.value), "  "))
    if entries:
        click.echo("`afterglow memory approve KEY` or `reject KEY` decides.")
    else:
        click.echo("Nothing waits.", err=True)


@memory.command()
@click.argument("keys", nargs=-1, required=True)
@click.option("--risky", is_flag=True, help="Also what would do harm if obeyed.")
@whose
def approve(keys: tuple[str, ...], risky: bool, user: str, json: bool) -> None:
    """These are your wishes: agents get them from now on."""
    entries = flow.approve(config.load(), user, keys, risky=risky)
    if json:
        print_json(entries)
        return
    for entry in entries:
        click.echo(printable(f"{entry.key} is yours: {entry.value}"))


@memory.command()
@click.argument("keys", nargs=-1, required=True)
@whose
def reject(keys: tuple[str, ...], user: str, json: bool) -> None:
    """Delete what waits under these keys."""
    entries = flow.reject(config.load(), user, keys)
    if json:
        print_json(entries)
        return
    for entry in entries:
        click.echo(f"{printable(entry.key)} is gone.")


@memory.command()
@whose
def info(user: str, json: bool) -> None:
    """Which backend is in force, why, and whether it answers."""
    about = flow.info(config.load(), user)
    if json:
        print_json(about)
        return
    where = "data leaves this machine" if about.is_cloud else "on this machine"
    if about.place:
        where += f" ({about.place})"
    state = (
        "available"
        if about.available
        else "NOT available (`afterglow memory list` says why)"
    )
    click.echo(f"{about.backend}: {about.why}; {where}; {state}")
    if about.keys is not None:
        click.echo(
            f"{printable(user)} has {number(about.keys)} entries. Backends: {', '.join(about.backends)}."
        )
    if about.found_by:
        click.echo(f"Found by {about.found_by}.")
    if about.waiting:
        click.echo(f"{number(about.waiting)} wait for you: `afterglow memory waiting`.")


@memory.command()
@click.option(
    "--labels",
    type=click.Path(path_type=Path),
    help="Another labelled set: ours, LoCoMo or tau2 banking knowledge.",
)
@click.option(
    "--full",
    is_flag=True,
    help="Send the labelled set to a backend in the cloud too: many requests.",
)
@output("table", "json", "md")
def evaluate(labels: Path | None, full: bool, format: str) -> None:
    """Score every backend on this machine, and say which to choose.

    Availability 20, functionality 40, latency 20, privacy 20; beside the score what it finds (recall on labelled
    questions), whether it survives a kill, keeps up with several writers, really deletes, and costs. Your own entries
    are not touched.
    """
    from afterglow.memory.evaluation import as_markdown, as_table

    on_terminal = sys.stderr.isatty()

    def progress(doing: str) -> None:
        if on_terminal:
            click.echo(f"\r\x1b[K{doing}", nl=False, err=True)

    evaluations, advice = flow.evaluate(
        config.load(), labels=labels, full=full, progress=progress
    )
    progress("")
    if format == "json":
        print_json({"evaluations": evaluations, "recommendation": advice})
    else:
        click.echo((as_markdown if format == "md" else as_table)(evaluations))
        click.echo(f"\n{advice}")


def _nothing(settings: Config, words: str) -> str:
    """Why there is no answer: that there is none, or that nothing is ever kept."""
    return words if keeps_entries(settings) else _sentence(NOTHING_KEPT)


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}."


def _line(value: str) -> str:
    return printable(clip(" ".join(value.split()), MAX_SHOWN_CHARACTERS))


def _table(text: str | None) -> dict[str, Any] | None:
    """A JSON object typed on the command line."""
    import msgspec

    try:
        return None if text is None else msgspec.json.decode(text, type=dict[str, Any])
    except msgspec.MsgspecError as error:
        raise UsageError(
            f'--metadata must be a JSON object, like {{"source": "onboarding"}}: {error}'
        ) from error
