"""When each agent was last told something, and at which moment; when a hook of it last failed. A hook that fails open is
silent, so this is said wherever somebody looks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import get_args

from msgspec import Struct

from afterglow.config import Config
from afterglow.flows.doctor.store_checks import read_only_rows
from afterglow.flows.harvest import log_of
from afterglow.records.delivery import When
from afterglow.records.doctor import CheckupLine
from afterglow.text.times import ago

MOMENTS: dict[str, str] = {
    "start": "at the start",
    "compaction": "after a compaction",
    "subagent": "as a sub-agent began",
    "call": "before a command",
    "failure": "after a failed call",
}
FAILED = ("hook failed", "no answer in time", "the process that does the work ended")
DEFAULT_AGENT = "claude-code"  # of a hook that names none

_LAST = 'SELECT agent, "when", max(time) FROM deliveries GROUP BY agent, "when"'
_AGENT = re.compile(r"--agent[ =](\S+)")

assert set(MOMENTS) == set(get_args(When))


class AgentMoments(Struct, frozen=True, kw_only=True):
    """Points in time are seconds since 1970. `times` is when something was last said at each moment; `failed` is when a
    hook last failed, and `failure` how."""

    agent: str
    times: dict[str, float] = {}
    failed: float | None = None
    failure: str = ""

    @property
    def last(self) -> tuple[str, float] | None:
        """The last moment and its time."""
        return max(self.times.items(), key=lambda pair: pair[1], default=None)


def last_moments(config: Config) -> list[AgentMoments]:
    """Of every agent that was told something or failed to be, by name."""
    times: dict[str, dict[str, float]] = {}
    for agent, when, time in read_only_rows(config.ledger_file, _LAST) or ():
        times.setdefault(agent, {})[when] = time
    failures = {
        _agent_in(line.what, line.detail): line
        for line in log_of(config).recent()
        if _is_failure(line.what)
    }
    moments = []
    for agent in sorted({*times, *failures} - {""}):
        line = failures.get(agent)
        moments.append(
            AgentMoments(
                agent=agent,
                times=times.get(agent, {}),
                failed=line.time if line else None,
                failure=f"{line.what}: {line.detail}".rstrip(": ") if line else "",
            )
        )
    return moments


def moments(config: Config, connected: set[str], now: float) -> Iterator[CheckupLine]:
    """What doctor says: also of an agent that is connected and was never told anything."""
    by_agent = {each.agent: each for each in last_moments(config)}
    for agent in sorted(connected):
        each = by_agent.get(agent, AgentMoments(agent=agent))
        text = f"{agent}: {_told(each, now)}"
        if each.failed is None:
            yield CheckupLine("delivery", "ok" if each.times else "note", text)
            continue
        text += f"; a hook last failed {ago(now - each.failed)}: {each.failure}"
        is_mended = each.last is not None and each.last[1] > each.failed
        yield CheckupLine("delivery", "note" if is_mended else "attention", text)


def _told(each: AgentMoments, now: float) -> str:
    newest_first = sorted(each.times.items(), key=lambda pair: -pair[1])
    if not newest_first:
        return "never told anything yet"
    parts = [
        f"{MOMENTS.get(when, when)} {ago(now - time)}" for when, time in newest_first
    ]
    return f"last told {', '.join(parts)}"


def _is_failure(what: str) -> bool:
    return what.startswith(("hermes ", *FAILED))


def _agent_in(what: str, detail: str) -> str:
    """A line of the log begins with how the hook was called."""
    if what.startswith("hermes "):
        return "hermes"
    named = _AGENT.search(detail)
    return named[1].rstrip(":") if named else DEFAULT_AGENT
