"""What a machine's ledger and experiments send to a hub, beside the records they are made of."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from afterglow.records.delivery import Followed, Given
from afterglow.records.experiment import Trial


class SharedTrial(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """What holds of a unit; `why` says what was wrong with what held before."""

    trial: Trial
    recorded: float
    why: str = ""


class OwnRow(Struct, frozen=True):
    """A row of this machine that a hub may have, before it is numbered and marked."""

    kind: str
    key: str
    repo: str
    body: Any


def plan_key(experiment: str, repo: str) -> str:
    return f"{experiment}/{repo}"


def unit_key(experiment: str, arm: str, unit: str) -> str:
    """`arm` where a unit is run in every arm, else empty. Only a unit's name may hold a slash."""
    return f"{experiment}/{arm}/{unit}"


def unit_of_key(key: str) -> tuple[str, str]:
    """The experiment and the unit."""
    experiment, _, rest = key.partition("/")
    return experiment, rest.partition("/")[2]


def without_words(entry: Given) -> Given:
    """Which item, and what became of it: what it says stands in the item."""
    return Given(
        entry.item,
        entry.confidence,
        entry.used,
        entry.met,
        entry.mattered,
        entry.failed,
    )


def without_problem(after: Followed) -> Followed:
    """How a session got along, not with what."""
    return Followed(
        solved=after.solved,
        calls=after.calls,
        repeated=after.repeated,
        used=after.used,
    )
