"""Which agents are here and which are connected, by the note of what was done to their files."""

from __future__ import annotations

from msgspec import Struct

from afterglow.config import Config
from afterglow.connect import AGENTS
from afterglow.flows.connect.machine_facts import present
from afterglow.flows.connect.record import connected_files


class Connection(Struct, frozen=True):
    """An agent that can be connected. `files` hold something of ours, `since` when the first of them was changed."""

    agent: str
    is_present: bool
    files: tuple[str, ...] = ()
    since: float = 0.0

    @property
    def is_connected(self) -> bool:
        return bool(self.files)


def connections(config: Config) -> tuple[Connection, ...]:
    """Those that are here first."""
    here = present(config)
    files = connected_files(config.home)
    listed = []
    for agent in AGENTS.names():
        changed = [file for file in files if file.agent == agent]
        since = min((file.time for file in changed), default=0.0)
        paths = tuple(file.path for file in changed)
        listed.append(Connection(agent, agent in here, paths, since))
    return tuple(sorted(listed, key=lambda each: not each.is_present))
