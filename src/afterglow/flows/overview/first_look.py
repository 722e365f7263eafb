"""What is connected and when it was last told something; what waits for a harvest, and what for a person."""

from __future__ import annotations

import time

from msgspec import Struct

from afterglow.config import Config
from afterglow.errors import AfterglowError
from afterglow.flows.connect import connected_files, present
from afterglow.flows.doctor import AgentMoments, last_moments, read_only_rows
from afterglow.flows.harvest import waiting

RECENT_SECONDS = (
    7 * 86400.0
)  # a connected agent that heard nothing for longer may have come loose


# Each by its own index: the table is not read.
_COUNTS = """
SELECT (SELECT count(*) FROM items WHERE status = 'candidate'),
  (SELECT count(*) FROM items WHERE status = 'candidate' AND risk <> ''),
  (SELECT count(*) FROM items WHERE status = 'active')
"""


class AgentState(Struct, frozen=True, kw_only=True):
    """An agent of this machine. `is_silent`: it is connected, and nothing was told to it for a week."""

    name: str
    is_connected: bool
    moments: AgentMoments
    is_silent: bool = False


class Overview(Struct, frozen=True, kw_only=True):
    """`sessions` wait to be harvested, `candidates` for a word of the person; `risky` of those do something risky.
    `trouble` says what could not be looked at."""

    agents: tuple[AgentState, ...] = ()
    sessions: int = 0
    candidates: int = 0
    risky: int = 0
    active: int = 0
    trouble: str = ""


def overview(config: Config, *, now: float | None = None) -> Overview:
    now = time.time() if now is None else now
    trouble = ""
    connected: set[str] = set()
    try:
        connected = {file.agent for file in connected_files(config.home)}
    except AfterglowError as error:
        trouble = str(error)
    moments = {each.agent: each for each in last_moments(config)}
    names = dict.fromkeys([*sorted(connected), *present(config), *sorted(moments)])
    agents = [_agent(name, connected, moments, now) for name in names]
    candidates, risky, active = _counts(config)
    return Overview(
        agents=tuple(agents),
        sessions=sum(not entry.aside for entry in waiting(config)),
        candidates=candidates,
        risky=risky,
        active=active,
        trouble=trouble,
    )


def _agent(
    name: str, connected: set[str], moments: dict[str, AgentMoments], now: float
) -> AgentState:
    heard_at = moments.get(name, AgentMoments(agent=name))
    heard = heard_at.last[1] if heard_at.last else 0.0
    is_connected = name in connected
    return AgentState(
        name=name,
        is_connected=is_connected,
        moments=heard_at,
        is_silent=is_connected and now - heard > RECENT_SECONDS,
    )


def _counts(config: Config) -> tuple[int, int, int]:
    rows = read_only_rows(config.knowledge_file, _COUNTS)
    candidates, risky, active = rows[0] if rows else (0, 0, 0)
    return candidates, risky, active
