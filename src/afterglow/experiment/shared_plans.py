"""A plan as a team shares it. Those who planned the same, each on a machine of their own, run one experiment together.

Its name ends in a mark of all that was decided, so that plans which differ never meet under one name. The salt stays at
home: whoever has it could tell arms beforehand.
"""

from __future__ import annotations

from hashlib import sha256

from msgspec.structs import asdict, replace

from afterglow.experiment.plan import make_plan, plan_text
from afterglow.records.experiment import Plan

MARK_CHARACTERS = 8  # of the hash: 1 in 4 billion that two plans of one name meet
MAX_NAME_CHARACTERS = 64 - MARK_CHARACTERS - 1


def without_salt(plan: Plan) -> Plan:
    return replace(plan, salt="", version=1)


def substance(plan: Plan) -> str:
    """What was decided, whoever wrote it and whenever."""
    return plan_text(replace(plan, salt="", version=1, created=0.0)).decode()


def shared_plan(plan: Plan) -> Plan:
    """As it stands at a hub."""
    mark = sha256(substance(plan).encode()).hexdigest()[:MARK_CHARACTERS]
    name = f"{plan.name[:MAX_NAME_CHARACTERS]}-{mark}"
    return replace(without_salt(plan), name=name)


def checked(plan: Plan) -> Plan:
    """The same, made by the rules of plans. Raises `UsageError` where somebody sent what none would have let pass."""
    return make_plan(**asdict(without_salt(plan)))
