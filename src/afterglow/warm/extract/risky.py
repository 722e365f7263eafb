"""What a template must not show because of what it would do, whoever said it.

What is merely not known to be harmless may stand there: a person reads a template before any session gets it.
"""

from __future__ import annotations

from afterglow.calls import parse, read
from afterglow.harvest.risk import risk_of_words
from afterglow.harvest.risk.commands import risk_of_commands
from afterglow.harvest.risk.kinds import UNKNOWN
from afterglow.harvest.screen import danger
from afterglow.records.knowledge import Trust

RISKY = "it tells to do something risky"


def is_risky(text: str, situation: str = "") -> bool:
    """Whether a sentence tells to do something that nobody should do on somebody else's word."""
    risk = risk_of_words(situation, text)
    return risk is not None and risk.kind not in UNKNOWN


def is_risky_command(command: str) -> bool:
    return risk_of_commands(parse(command).commands) is not None


def is_risky_call(tool: str, arguments: str) -> bool:
    """Of a tool that runs commands."""
    return risk_of_commands(read(tool, arguments).commands) is not None


def harm_in(text: str, trust: Trust) -> str:
    """Why a text of somebody else's template must not reach a session: it gives orders, or tells to do something risky."""
    if order := danger(text, trust):
        return order
    return RISKY if any(map(is_risky, text.splitlines())) else ""
