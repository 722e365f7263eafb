"""Did the session get there? What was recorded wins; how it ended is a guess, and is called one."""

from __future__ import annotations

from afterglow.records.profile import Profile
from afterglow.records.session import Session

STATUSES = {
    "completed": "success",
    "success": "success",
    "resolved": "success",
    "failed": "failure",
    "error": "failure",
}


def outcome(session: Session, profile: Profile) -> tuple[str, str]:
    """`(success | failure | unknown, score | status | ending | none)`."""
    if session.score is not None:
        return ("success" if session.score >= 1 else "failure"), "score"
    if session.status in STATUSES:
        return STATUSES[session.status], "status"
    last = profile.outcomes.rstrip("bcu")[-1:]
    if last == "f":
        return "failure", "ending"
    if last == "o" and session.ending in ("answered", "closed"):
        return "success", "ending"
    return "unknown", "none"
