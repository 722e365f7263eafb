"""What a remedy does, where that cannot be undone or goes round a safeguard: it needs a person's word."""

from __future__ import annotations

from afterglow.harvest.remedy_risk import risk_of
from afterglow.harvest.writing.names import commands_in
from afterglow.harvest.writing.reading import lesson_in
from afterglow.records.writing import Objection, WrittenCase

NAME = "risk"


def check(case: WrittenCase) -> Objection | None:
    names = lesson_in(case).names
    for span in names.commands:
        if span in names.negated:
            continue
        if why := risk_of(commands_in(span)):
            reason = f"risky: `{span}` {why}; it needs a person's word"
            return Objection(NAME, "wait", reason)
    return None
