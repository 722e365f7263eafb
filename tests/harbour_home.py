"""A home that knows one trap: `./build-pier` fails until `./lock-piers` was called. For tests of adapters."""

from __future__ import annotations

from pathlib import Path

from afterglow import Afterglow
from afterglow.api import RunningSession

FAILED = "Exit code 1\nerror: pier-lock.json is out of date"
REMEDY = "./lock-piers"
STEPS = (
    ("./build-pier", FAILED),
    (REMEDY, "locked 12 piers"),
    ("./build-pier", "built"),
)


def learned_home(folder: Path, agent: str = "dockhand") -> tuple[Afterglow, Path]:
    """The home, and the folder the sessions worked in."""
    place = folder / "harbour"
    place.mkdir()
    ag = Afterglow(folder / "home", agent=agent)
    for number in range(2):
        messages = [{"role": "user", "content": "build the pier"}]
        for step, (command, output) in enumerate(STEPS):
            function = {"name": "bash", "arguments": f'{{"command": "{command}"}}'}
            call = {"id": f"c{step}", "type": "function", "function": function}
            messages += [
                {"role": "assistant", "content": None, "tool_calls": [call]},
                {"role": "tool", "tool_call_id": f"c{step}", "content": output},
            ]
        messages.append({"role": "assistant", "content": "Built."})
        ag.record(messages, session=f"earlier-{number}", cwd=place)
    for item in [*ag.knowledge.list(), *ag.knowledge.list(status="candidate")]:
        ag.knowledge.approve(item.id)
    return ag, place


def proved(session: RunningSession) -> set[str]:
    """The moments at which the session was told something that stands in its transcript."""
    from afterglow.flows.session import settle_deliveries
    from afterglow.store.ledger import Ledger

    config = session._afterglow._config
    settle_deliveries(config, ended={session.id})
    with Ledger(config.ledger) as ledger:
        deliveries = ledger.deliveries()
    return {
        delivery.when
        for delivery in deliveries
        if delivery.session == session.id and delivery.state == "delivered"
    }
