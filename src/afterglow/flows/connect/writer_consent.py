"""Whether the user's own agent may write lessons in the background: offered once, kept in `config.toml`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct

from afterglow.config import Config, environment
from afterglow.errors import UsageError
from afterglow.flows.harvest import WritingEstimate, estimate_writing
from afterglow.flows.settings import set_values
from afterglow.llm.agents import AUTO, WRITERS, chosen_agent, installed, is_agent

NOBODY = "nobody"
# What `connect` calls an agent -> what it is called as a writer.
WRITER_NAMES = {"claude-code": "claude", "codex": "codex", "hermes": "hermes"}


class WriterOffer(Struct, frozen=True):
    """Who could write, and what that would take."""

    writer: str
    estimate: WritingEstimate
    daily_tokens: int


def writer_offer(config: Config, agents: Sequence[str]) -> WriterOffer | None:
    """The offer, made to whoever was not asked yet: the first of these agents whose program is here, else any other.
    None where there is nobody, or no history that could say what it would cost."""
    if config.write.on or config.model.local_only or not config.catalog.exists():
        return None
    here = installed(environment(config))
    connected = [WRITER_NAMES.get(agent, agent) for agent in agents]
    writers = [name for name in connected if name in here] or here
    if not writers:
        return None
    estimate = estimate_writing(config, writers[0])
    if not estimate.waiting and not estimate.weekly:
        return None
    return WriterOffer(writers[0], estimate, config.write.daily_tokens)


def checked_writer(config: Config, name: str) -> str:
    """Who is meant, or nobody. Raises `UsageError` where that one could not write."""
    if name in ("", NOBODY):
        return name
    if not is_agent(name):
        names = ", ".join([*WRITERS.names(), AUTO, NOBODY])
        raise UsageError(f"{name!r} cannot write; there are {names}")
    agent, _ = chosen_agent(name, environment(config))
    return agent if name == AUTO else name


def set_writer(config: Config, writer: str) -> Path:
    """Keeps what the user said: who writes, or `nobody`. The file it stands in."""
    agreed = writer != NOBODY
    return set_values(
        config,
        {"write.with": writer if agreed else "", "write.on": "yes" if agreed else "no"},
    ).path


def unset_writer(config: Config) -> Path | None:
    """Nobody writes any more, and the user may be asked again. A no stays a no."""
    if config.write.on != "yes":
        return None
    return set_values(config, {"write.with": None, "write.on": None}).path
