"""What is told of a recovery: the command, its error, and what made it work."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from afterglow.calls import shared_numbers
from afterglow.harvest.agreeing_findings import session_ids
from afterglow.harvest.failure_kinds import is_mute
from afterglow.harvest.quotable import report_in
from afterglow.records.knowledge import Finding, Telling
from afterglow.text.clip import clip

MAX_EASY_COMMAND = 60  # characters of a command in which a change is seen at once
MAX_QUOTED_OF_GUESS = (
    60  # characters of an error about a name that is guessed otherwise each time
)
MAX_QUOTED_CHANGE = 100  # characters of a change that can stand in a sentence

CUT = "…"  # stands where a text was too long
NAMES_REMEDY = "the message names its remedy"
MIN_SESSIONS = 2  # behind a change: of what one session shows, half was wrong or of no use to the next

# How directly a finding tells the remedy: the message named what went; else the difference alone. Below what makes one
# session enough, so that it waits for a second one.
DIRECT_NAMED, DIRECT_CHANGE = 0.75, 0.7


def tell(findings: Sequence[Finding]) -> Telling | str:
    is_repeated = len(session_ids(findings)) >= MIN_SESSIONS
    is_named = any(finding.slots["sure"] == "named" for finding in findings)
    doubts = {finding.slots.get("doubt", "") for finding in findings} - {""}
    if not is_repeated and not is_named:
        return "seen in one session"
    if not is_repeated and doubts:
        return doubts.pop()
    return telling_of(findings)


def telling_of(findings: Sequence[Finding]) -> Telling | str:
    """The sentence, however few sessions show it."""
    best = _with_shared_numbers(
        min((finding.slots for finding in findings), key=_length), findings
    )
    error = best["error"].replace("`", "'")
    is_named = best["sure"] == "named"
    if reason := _unfit(best, error, findings, is_named=is_named):
        return reason
    situation, remedy = _situation_and_remedy(best, report_in(error), findings)
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


def _with_shared_numbers(
    best: dict[str, str], findings: Sequence[Finding]
) -> dict[str, str]:
    """What works with the numbers that several sessions have alike: they belong to the remedy."""
    sessions = session_ids(findings)
    lines = [finding.slots.get("line", "") for finding in findings]
    if len(sessions) < MIN_SESSIONS or not all(lines):
        return best
    return {**best, "works": shared_numbers(best["works"], lines)}


def _unfit(
    best: dict[str, str], error: str, findings: Sequence[Finding], *, is_named: bool
) -> str:
    """Why a change is nothing to tell."""
    if is_mute(error):
        return "the failure has no message"
    if not report_in(error):
        return "the message is no report of a program"
    if (
        best["kind"] != "changed"
    ):  # found by an earlier version, in a session that is gone
        return "nothing about the call was changed"
    if best.get("doubt") and not is_named:
        return best["doubt"]
    if is_named and not any(finding.slots["came"] for finding in findings):
        return "the message names what to leave out"
    if any(_is_cut(best[slot]) for slot in ("went", "came")):
        return "a change too long to show"
    return ""


def _is_cut(text: str) -> bool:
    return text.startswith(CUT) or text.endswith(CUT)


def _length(slots: dict[str, str]) -> tuple[int, int, str]:
    """The shortest commands tell best; of a name that was guessed, the whole of it."""
    name_parts = slots["came"].count("/") if slots.get("guess") else 0
    return (
        -name_parts,
        len(slots["command"]) + len(slots.get("works", "")),
        str(slots),
    )


def _situation_and_remedy(
    best: dict[str, str], error: str, findings: Sequence[Finding]
) -> tuple[str, str]:
    """With another way beside it, where a session put something else in the place of what went."""
    situation, remedy = _changed_words(best, error)
    if best.get("guess"):
        return _guesses(findings) or situation, remedy
    ways = Counter(
        finding.slots["works"]
        for finding in findings
        if finding.slots["came"] not in {"", best["came"]}
    )
    alternatives = [works for works, _ in ways.most_common(1)]
    return situation, "; so does ".join([remedy, *map(_code, alternatives)])


def _guesses(findings: Sequence[Finding]) -> str:
    """Of names that sessions guessed otherwise each time, some; empty where all guessed the same."""
    names = list(dict.fromkeys(finding.slots["went"] for finding in findings))
    if len(names) < 2 or any(map(_is_cut, names)):
        return ""
    programs = {finding.slots["program"].split(" ")[0] for finding in findings}
    calls = "/".join(f"`{name}`" for name in sorted(programs))
    return f"{calls} with a guessed name, as {_code(names[-1])}, fails"


def _code(text: str) -> str:
    return f"`{text}`"


def _changed_words(slots: dict[str, str], error: str) -> tuple[str, str]:
    """Both commands where the eye finds the difference, else the difference alone."""
    command, works = slots["command"], slots["works"]
    went, came = slots["went"], clip(slots["came"], MAX_QUOTED_CHANGE)
    situation = f"`{command}` fails with '{error}'"
    is_easy = len(command) < MAX_EASY_COMMAND or not (went or came)
    if command != works and is_easy and not slots.get("guess"):
        return situation, f"`{works}` works"
    if not went:
        return situation, f"add `{came}`"
    went = clip(went, MAX_QUOTED_CHANGE)
    if slots.get("guess"):
        error = clip(error, MAX_QUOTED_OF_GUESS)
    situation = f"`{slots['program']}` with `{went}` fails with '{error}'"
    return situation, f"use `{came}`" if came else "leave that out"
