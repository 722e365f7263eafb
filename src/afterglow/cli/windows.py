"""`afterglow windows`: stretches of sessions for an agent that writes lessons itself."""

from __future__ import annotations

import click

from afterglow import config
from afterglow.cli.options import filters, output
from afterglow.cli.output import print_json
from afterglow.flows import harvest as flow
from afterglow.records.lessons import Window, Windows
from afterglow.records.selection import Selection
from afterglow.text.clip import printable
from afterglow.text.numbers import local_day, number


@click.command()
@filters
@click.option("--session", metavar="ID", help="Of this session only.")
@click.option(
    "--limit",
    type=click.IntRange(1, 1000),
    default=flow.WINDOW_LIMIT,
    show_default=True,
    help="How many at most.",
)
@click.option(
    "--tokens",
    type=click.IntRange(flow.SMALLEST_WINDOW),
    default=flow.WINDOW_TOKENS,
    show_default=True,
    help="Of all of them, at most.",
)
@click.option(
    "--done",
    "read",
    metavar="WINDOW",
    multiple=True,
    help="Was read; not offered again.",
)
@click.option(
    "--prompt", is_flag=True, help="Print what to tell an agent that is to do it."
)
@output("table", "json")
def windows(
    selection: Selection,
    session: str | None,
    limit: int,
    tokens: int,
    read: tuple[str, ...],
    prompt: bool,
    format: str,
) -> None:
    """Stretches of sessions worth reading, for an agent that writes the lessons itself.

    Redacted, the best first. What it writes goes to `afterglow remember`, which checks it against the lines it cites.
    """
    if prompt:
        click.echo(flow.prompt(), nl=False)
        return
    chosen = flow.windows(
        config.load(),
        selection,
        session=session,
        limit=limit,
        tokens=tokens,
        read=read,
    )
    print_json(chosen) if format == "json" else click.echo(describe(chosen))


def describe(chosen: Windows) -> str:
    """The windows one after the other, each text behind its line number."""
    if not chosen.windows:
        return f"No window: {chosen.reason}."
    lines = [chosen.note]
    for window in chosen.windows:
        lines += ["", *_lines(window)]
    lines += [
        "",
        f"{number(chosen.tokens)} tokens; {number(chosen.remaining)} more windows",
    ]
    return "\n".join(lines)


def _lines(window: Window) -> list[str]:
    where = f"{window.agent} in {window.repo}" if window.repo else window.agent
    lines = [
        f"{window.id}  session {window.session}, {where}, {local_day(window.time)}: {window.why}"
    ]
    lines += [
        f"  known: {printable(item.fact)} [{item.id}]" for item in window.known_items
    ]
    for line in window.lines:
        about = " ".join(filter(None, (line.who, line.tool, line.outcome)))
        text = "\n         ".join(map(printable, line.text.splitlines()))
        lines.append(f"  {line.line:>5}  {about} [{line.trust}]: {text}")
    return lines
