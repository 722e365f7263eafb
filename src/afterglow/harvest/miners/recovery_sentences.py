"""What is told of a recovery: the command, its error, and what made it work."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from afterglow.harvest.failure_kinds import is_mute
from afterglow.records.knowledge import Finding, Telling
from afterglow.text.clip import clip

MAX_EASY_COMMAND = 60  # characters of a command in which a change is seen at once
MAX_QUOTED_CHANGE = 100  # characters of a change that can stand in a sentence

NAMES_REMEDY = "the message names its remedy"
MIN_SESSIONS = 2  # behind what the message does not name: read one by one, a third of those were wrong

# How directly a finding tells the remedy: the message named what went; else the difference alone.
DIRECT_NAMED, DIRECT_CHANGE = 0.85, 0.7


def tell(findings: Sequence[Finding]) -> Telling | str:
    best = min((finding.slots for finding in findings), key=_length)
    error = best["error"].replace("`", "'")
    if is_mute(error):
        return "the failure has no message"
    kind, doubt = best["kind"], best.get("doubt", "")
    if kind != "changed":  # found by an earlier version, in a session that is gone
        return "nothing about the call was changed"
    is_named = best["sure"] == "named"
    is_repeated = len({finding.first.session for finding in findings}) >= MIN_SESSIONS
    if doubt and not (is_named and is_repeated):
        return doubt
    if not is_named and not is_repeated:
        return "seen in one session"
    situation, remedy = _situation_and_remedy(best, error, findings)
    head = best["program"].split(" ")[0]
    return Telling(
        fact=f"{situation}; {remedy}.",
        category="tool-quirk",
        situation=situation,
        remedy=remedy,
        directness=DIRECT_NAMED if is_named else DIRECT_CHANGE,
        domain=head,
        tags=(head, "recovery"),
    )


def _length(slots: dict[str, str]) -> tuple[int, str]:
    """The shortest commands tell best."""
    return len(slots["command"]) + len(slots.get("works", "")), str(slots)


def _situation_and_remedy(
    best: dict[str, str], error: str, findings: Sequence[Finding]
) -> tuple[str, str]:
    situation, remedy = _changed_words(best, error)
    ways = Counter(finding.slots["works"] for finding in findings).most_common(3)
    alternatives = [works for works, _ in ways if works != best["works"]]
    if alternatives:
        remedy += f"; so does `{alternatives[0]}`"
    return situation, remedy


def _changed_words(slots: dict[str, str], error: str) -> tuple[str, str]:
    """Both commands where the eye finds the difference, else the difference alone."""
    command, works = slots["command"], slots["works"]
    went, came = slots["went"], clip(slots["came"], MAX_QUOTED_CHANGE)
    situation = f"`{command}` fails with '{error}'"
    is_easy = len(command) < MAX_EASY_COMMAND or not (went or came)
    if command != works and is_easy:
        return situation, f"`{works}` works"
    if not went:
        return situation, f"add `{came}`"
    went = clip(went, MAX_QUOTED_CHANGE)
    situation = f"`{slots['program']}` with `{went}` fails with '{error}'"
    return situation, f"use `{came}`" if came else "leave that out"
