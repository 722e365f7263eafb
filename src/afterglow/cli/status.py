"""`afterglow status`"""

from __future__ import annotations

import click

from afterglow import config
from afterglow.flows.doctor import Status
from afterglow.flows.doctor import status as run
from afterglow.text.times import ago


@click.command()
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
def status(as_json: bool) -> None:
    """One line: the last context given out, how many delivered items were used, what waits to be harvested.

    It can be the status line of Claude Code: "statusLine": {"type": "command", "command": "afterglow status"}.
    """
    found = run(config.load())
    if as_json:
        from afterglow.cli.output import print_json

        print_json(found)
    else:
        click.echo(told(found))


def told(found: Status) -> str:
    parts = [f"afterglow: {_last(found)}"]
    if found.judged:
        parts.append(f"used {found.used} of {found.judged} items proved to arrive")
    elif found.given:
        parts.append(f"{found.delivered} of {found.given} contexts proved to arrive")
    parts.append(
        f"{found.waiting} waiting for harvest" if found.waiting else "nothing waiting"
    )
    return " · ".join(parts)


def _last(found: Status) -> str:
    if found.trouble:
        return "the ledger cannot be read (see afterglow doctor)"
    if found.last is None:
        return f"no context given out in {found.days:g} days"
    one = found.last
    where = f" to {one.repo}" if one.repo else ""
    by = f" ({one.agent})" if one.agent else ""
    return f"{one.items} item{'s' * (one.items != 1)}{where}{by} {ago(one.seconds)}"
