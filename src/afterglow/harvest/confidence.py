"""How sure an item is, and whether that is enough to be shown.

Confidence is estimated, not asserted. One session alone gives what its evidence says directly; further independent
sessions add to it as in counting successes, contradictions take away; what has not been confirmed for long counts less.
The meaning of the number: 0.9 explicit and verified, 0.7 clearly implied by several data points, 0.5 suggested,
0.3 inferred, 0.1 speculative.
"""

from __future__ import annotations

from afterglow.records.knowledge import (
    ONE_SESSION,
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

DIRECT = 0.8  # from here on one session of a trusted source is enough
SUGGESTED = 0.6  # and with independent corroboration this
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
    directness: float, confidence: float, sessions: int, against: int, trust: Trust
) -> tuple[Status, str]:
    """Active needs independent corroboration, or direct evidence from a trusted source; a person can always approve."""
    if against >= max(sessions, 1):
        return (
            "candidate",
            f"contradicted by {against} of {sessions + against} sessions",
        )
    if sessions >= 2 and confidence >= SUGGESTED:
        return "active", f"{sessions} independent sessions"
    if directness >= DIRECT and trust in TRUSTED:
        return "active", "direct evidence"
    if trust not in TRUSTED:
        return (
            "candidate",
            f"rests on {trust} text: needs a witness of its own or a person's word",
        )
    return "candidate", ONE_SESSION


def expiry(category: Category, last: float | None) -> float | None:
    """When an item that nobody confirms any more should be looked at again."""
    return None if last is None else last + KEEPS[category] * DAY
