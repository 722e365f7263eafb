"""`afterglow status`"""

from __future__ import annotations

import time

import click

from afterglow import config
from afterglow.flows.doctor import (
    MOMENTS,
    AgentMoments,
    HubStatus,
    Status,
    WritingStatus,
)
from afterglow.flows.doctor import status as run
from afterglow.text.numbers import count
from afterglow.text.times import ago


@click.command()
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
def status(as_json: bool) -> None:
    """One line: what was told last, how many delivered items were used, what waits to be harvested, when each agent was
    last told something and when a hook of it last failed, and what writing lessons cost.

    It can be the status line of Claude Code: "statusLine": {"type": "command", "command": "afterglow status"}.
    """
    current = run(config.load())
    if as_json:
        from afterglow.cli.output import print_json

        print_json(current)
    else:
        click.echo(status_line(current))


def status_line(current: Status) -> str:
    parts = [f"afterglow: {_last(current)}"]
    if current.judged:
        parts.append(f"{current.used} of {current.judged} items that arrived were used")
    elif current.given:
        parts.append(f"{current.delivered} of {current.given} contexts seen to arrive")
    parts.append(
        f"{count(current.waiting, 'session')} to harvest"
        if current.waiting
        else "nothing to harvest"
    )
    now = time.time()
    parts += [_agent(agent, now) for agent in current.agents]
    if current.writing is not None:
        parts.append(_writing(current.writing))
    if current.hub is not None:
        parts.append(_hub(current.hub))
    if current.private_folders:
        parts.append(count(current.private_folders, "private folder"))
    return " · ".join(parts)


def _agent(agent: AgentMoments, now: float) -> str:
    parts = []
    if agent.last is not None:
        when, moment = agent.last
        parts.append(f"told {ago(now - moment)} {MOMENTS.get(when, when)}")
    if agent.failed is not None:
        parts.append(f"a hook failed {ago(now - agent.failed)}")
    return f"{agent.agent}: {', '.join(parts)}"


def _writing(writing: WritingStatus) -> str:
    if writing.trouble and writing.by:
        return f"{writing.by} did not write (see afterglow doctor)"
    text = f"{count(writing.lessons_week, 'lesson')} written this week for {writing.tokens_week:,} tokens"
    if writing.tokens_today:
        text += f" (today {writing.tokens_today:,})"
    return text


def _hub(hub: HubStatus) -> str:
    if hub.trouble:
        return "the hub was not reached (see afterglow doctor)"
    return "hub joined" if hub.seconds is None else f"hub synced {ago(hub.seconds)}"


def _last(current: Status) -> str:
    if current.trouble:
        return "the ledger cannot be read (see afterglow doctor)"
    last = current.last
    if last is None:
        return f"nothing told in {current.days:g} days"
    text = f"told {count(last.items, 'item')}"
    if last.repo:
        text += f" in {last.repo}"
    if last.agent:
        text += f" ({last.agent})"
    return f"{text} {ago(last.seconds)}"
