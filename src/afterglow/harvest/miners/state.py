"""What sessions keep meeting for the state they are in: one general line for each check that explained it.

The checks look at one moment of one session (`harvest/state_checks/`); here what they say of several sessions becomes
something to be told at the start.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from afterglow.harvest.agreeing_findings import session_ids
from afterglow.harvest.confidence import TRUSTED
from afterglow.harvest.events.explained import (
    absent_programs,
    explained,
    explained_later,
)
from afterglow.harvest.failure_kinds import repeats
from afterglow.harvest.state_checks import Explanation
from afterglow.harvest.trail import Step, Trail
from afterglow.records.knowledge import WITHOUT, Evidence, Finding, Telling
from afterglow.text.fingerprint import fingerprint, telling_line

NAME = "state"
VERSION = 14

MIN_SESSIONS = 2  # that meet the same: what happened once may never come back
MIN_SESSIONS_WITHOUT = 3  # where nothing is known but what the error says
# The state shows the cause itself; below what makes one session enough, so that two independent ones are needed.
DIRECTNESS = 0.75


def mine(trail: Trail) -> Iterator[Finding]:
    explanations = explained(trail) | explained_later(trail) | absent_programs(trail)
    for index, explanation in explanations.items():
        step = trail.steps[index]
        if explanation.general and not repeats(trail.steps, step):
            yield _finding(trail, step, explanation)


def tell(findings: Sequence[Finding]) -> Telling | str:
    if len(session_ids(findings)) < MIN_SESSIONS:
        return "met in one session only"
    ways_out = [item for item in findings if item.slots["remedy"] != WITHOUT]
    without = [item for item in findings if item.slots["remedy"] == WITHOUT]
    # One session's way out takes nothing from what others met: that it is not there.
    has_way_out = len(session_ids(ways_out)) >= MIN_SESSIONS
    agreed = ways_out if has_way_out else without
    if not has_way_out and len(session_ids(without)) < MIN_SESSIONS_WITHOUT:
        return "two sessions do not show a way out"
    slots = _commonest_words(agreed)
    situation, remedy = slots["situation"], slots["remedy"]
    is_wide = slots["agent_wide"] == "yes"
    return Telling(
        f"{situation}: {remedy}.",
        "tool-quirk" if is_wide else "pitfall",
        situation,
        remedy,
        DIRECTNESS,
        slots["check"],
        ("state", slots["check"]),
        agent_wide=is_wide,
        times=len(findings),
    )


def _commonest_words(findings: Sequence[Finding]) -> Mapping[str, str]:
    """Of several ways to say what to do, the one that most findings have."""
    counts = Counter(finding.slots["remedy"] for finding in findings)
    remedy = counts.most_common(1)[0][0]
    return next(item.slots for item in findings if item.slots["remedy"] == remedy)


def _finding(trail: Trail, step: Step, explanation: Explanation) -> Finding:
    return Finding(
        NAME,
        f"{explanation.check}|{explanation.topic}",
        {
            "check": explanation.check,
            "situation": explanation.situation,
            "remedy": explanation.remedy,
            "agent_wide": "yes" if explanation.agent_wide else "",
        },
        _evidence(trail, step),
        fingerprint=fingerprint(step.call.error) if step.call.error else "",
    )


def _evidence(trail: Trail, step: Step) -> tuple[Evidence, ...]:
    """The call, and its message where a local program says it. What a file or a page printed is no part of it: the
    words of the item are those of the check and of the call."""
    message = trail.got_words(step, telling_line(step.call.error))
    is_own = bool(step.call.error) and message.trust in TRUSTED
    return (trail.asked(step), message) if is_own else (trail.asked(step),)
