"""How sure an item is, and whether that is enough to be shown.

Confidence is estimated, not asserted. One session alone gives what its evidence says directly; further independent
sessions add to it as in counting successes, contradictions take away; what has not been confirmed for long counts less.
The meaning of the number: 0.9 explicit and verified, 0.7 clearly implied by several data points, 0.5 suggested,
0.3 inferred, 0.1 speculative.
"""

from __future__ import annotations

from afterglow.records.knowledge import (
    ONE_SESSION,
    TOLD_TO_DO,
    TRUSTS,
    Category,
    Status,
    Trust,
)

WEIGHT = 4.0  # how many sessions the directness of the evidence counts for
AGAINST = 1.5  # how many confirmations one contradiction undoes
LOWEST, HIGHEST = 0.05, 0.97
DAY = 86400.0
AGEING = (
    (365, 0.75),
    (180, 0.9),
)  # days without confirmation while the repository went on -> factor
# Somebody else's text alone never makes an item sure.
CEILING: dict[Trust, float] = {"file": 0.85, "external": 0.8}
KEEPS: dict[Category, float] = {
    "question": 60,
    "fact": 270,
    "pitfall": 365,
    "pattern": 365,
    "tool-quirk": 365,
}  # days

MIN_WITNESSES = 2  # independent sessions that make an item active, whatever it says
SUGGESTED = 0.6  # and how sure it has to be with them
DIRECT = 0.8  # how directly a person's own sentence has to say that it lasts
OWN_WORD = "a person's own words"
TRUSTED = TRUSTS[: TRUSTS.index("tool") + 1]


def estimate(
    directness: float, sessions: int, against: int, trust: Trust, idle_days: float = 0.0
) -> float:
    """Confidence from one session's directness, how many independent ones confirm and contradict, and age."""
    confirming = directness * WEIGHT + max(sessions - 1, 0)
    doubting = (1 - directness) * WEIGHT + AGAINST * against
    age = next((factor for days, factor in AGEING if idle_days > days), 1.0)
    value = min(confirming / (confirming + doubting) * age, CEILING.get(trust, HIGHEST))
    return round(min(max(value, LOWEST), HIGHEST), 2)


def status_of(
    confidence: float,
    witnesses: int,
    against: int,
    trust: Trust,
    *,
    is_own_word: bool = False,
    is_obeying: bool = False,
) -> tuple[Status, str]:
    """Active needs two independent witnesses, or a person: their own sentence (`is_own_word`) or, later, their approval.
    However directly one session shows it, it is one session; so are those that did what an output told them
    (`is_obeying`)."""
    if against >= max(witnesses, 1):
        return (
            "candidate",
            f"contradicted by {against} of {witnesses + against} sessions",
        )
    if witnesses >= MIN_WITNESSES and confidence >= SUGGESTED:
        return "active", f"{witnesses} independent sessions"
    if is_own_word:
        return "active", OWN_WORD
    if trust not in TRUSTED:
        return (
            "candidate",
            f"rests on {trust} text: needs a witness of its own or a person's word",
        )
    return "candidate", TOLD_TO_DO if is_obeying else ONE_SESSION


def expiry(category: Category, last: float | None) -> float | None:
    """When an item that nobody confirms any more should be looked at again."""
    return None if last is None else last + KEEPS[category] * DAY
