"""What a template must not show because of what it would do, whoever said it.

What is merely not known to be harmless may stand there: a person reads a template before any session gets it.
"""

from __future__ import annotations

from afterglow.calls import parse
from afterglow.harvest.risk import risk_of_words
from afterglow.harvest.risk.commands import risk_of_commands
from afterglow.harvest.risk.kinds import UNKNOWN


def is_risky(text: str, situation: str = "") -> bool:
    """Whether a sentence tells to do something that nobody should do on somebody else's word."""
    risk = risk_of_words(situation, text)
    return risk is not None and risk.kind not in UNKNOWN


def is_risky_command(command: str) -> bool:
    return risk_of_commands(parse(command).commands) is not None
