"""What a template must not show because of what it would do, whoever said it."""

from __future__ import annotations

from afterglow.calls import parse
from afterglow.harvest.remedy_risk import risk_in, risk_of


def is_risky(text: str, situation: str = "") -> bool:
    """Whether a sentence tells to do something that nobody should do on somebody else's word."""
    return bool(risk_in(text))


def is_risky_command(command: str) -> bool:
    return bool(risk_of(parse(command).commands))
