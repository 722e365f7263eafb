"""Calls that agents repeat unchanged though it does not help, because what they need is a person's to give.

A key that is locked, an account that is signed out, a device that is off: the same call fails again with the same words,
and passes once a person has spoken. It counts only where nothing was changed in between, and where two sessions at least
either passed behind a person's words or gave the work back to them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from msgspec import Struct

from afterglow.calls import lasting_name
from afterglow.harvest.agreeing_findings import session_ids
from afterglow.harvest.events.claims import MESSAGE, coarse, is_summary
from afterglow.harvest.events.explained import unexplained
from afterglow.harvest.events.failures import Symptom, symptoms
from afterglow.harvest.events.goals import is_same_call
from afterglow.harvest.failure_kinds import DEVELOPMENT
from afterglow.harvest.quiet_steps import has_spoken, is_check, is_quiet
from afterglow.harvest.quotable import short_report_in
from afterglow.harvest.trail import Step, Trail
from afterglow.records.knowledge import Finding, Telling
from afterglow.records.tools import tool_kind
from afterglow.text.fingerprint import fingerprint

NAME = "retries"
VERSION = 2

MIN_SESSIONS = 2  # that repeated the call in vain, and that a person had to help
MAX_REACH = 40  # calls behind a failure in which the same call is looked for
# Nothing was changed, and it passed; below what makes one session enough.
DIRECTNESS = 0.75

# How it went on: a person spoke and it passed, it was given back to them, or it passed by itself.
_HELPED = frozenset({"person", "given back"})


class _Failure(Struct, frozen=True):
    step: Step
    message: str


def mine(trail: Trail) -> Iterator[Finding]:
    if not trail.repo:
        return
    wrong = symptoms(trail)
    retried_steps: set[int] = set()
    for step, symptom in unexplained(trail, wrong):
        message = _message(step, symptom)
        if not message or step.index in retried_steps:
            continue
        retried = _Retries(trail, wrong, _Failure(step, message))
        retried_steps.update(item.index for item in retried.in_vain)
        if retried.in_vain or retried.ending:
            yield _finding(trail, retried)


def _message(step: Step, symptom: Symptom) -> str:
    """What a call says that failed for another reason than the code; empty for all others."""
    if step.action.kind != "shell" or not symptom.lines:
        return ""
    if any(map(is_check, step.action.working)):
        return ""
    line = symptom.lines[0]
    text = line.text.strip()
    is_plain = line.strength >= MESSAGE and not is_summary(text)
    return text if is_plain and not DEVELOPMENT.search(text) else ""


class _Retries:
    """What became of a call that failed: the same call again, with the same words (`in_vain`), and how it ended."""

    def __init__(
        self, trail: Trail, wrong: Sequence[Symptom | None], failure: _Failure
    ) -> None:
        self.trail, self.wrong, self.failure = trail, wrong, failure
        self.in_vain: list[Step] = []
        self.passed: Step | None = None
        self.ending = self._ending()

    @property
    def last(self) -> Step:
        return self.in_vain[-1] if self.in_vain else self.failure.step

    def _ending(self) -> str:
        start = self.failure.step.index + 1
        for later in self.trail.steps[start : start + MAX_REACH]:
            if is_same_call(self.failure.step, later):
                if self._fails_alike(later):
                    self.in_vain.append(later)
                    continue
                if has_spoken(self.trail, self.last, later):
                    self.passed = later
                    return "person"
                if self._ended_well(later):
                    self.passed = later
                    return "by itself"
            elif not is_quiet(later):
                break
        return "given back" if self._is_given_back() else ""

    def _fails_alike(self, later: Step) -> bool:
        symptom = self.wrong[later.index]
        if symptom is None:
            return False
        words = coarse(self.failure.message)
        return any(coarse(line.text.strip()) == words for line in symptom.lines)

    def _ended_well(self, later: Step) -> bool:
        return later.ok and self.wrong[later.index] is None

    def _is_given_back(self) -> bool:
        """The agent asked, or ended its turn on it: no other call stands between the last failure and a person's words,
        or the end."""
        if self.last is not self.trail.steps[-1]:
            later = self.trail.steps[self.last.index + 1]
            is_question = tool_kind(later.tool) == "ask"
            return is_question or has_spoken(self.trail, self.last, later)
        turns = self.trail.turns[self.last.turn + 1 :]
        return any(turn.role == "assistant" and turn.text.strip() for turn in turns)


def _finding(trail: Trail, retried: _Retries) -> Finding:
    step, message = retried.failure.step, retried.failure.message
    call = lasting_name(step.action.working[-1])
    slots = {
        "call": call,
        "said": message,
        "in vain": str(len(retried.in_vain)),
        "ending": retried.ending,
    }
    evidence = [trail.asked(step), trail.got_words(step, message)]
    evidence += map(trail.asked, retried.in_vain[-1:])
    if retried.passed is not None:
        evidence.append(trail.asked(retried.passed))
    return Finding(
        NAME,
        f"{trail.repo}|retries|{coarse(message)}",
        slots,
        tuple(evidence),
        fingerprint=fingerprint(step.call.error or message),
        cost=1 + len(retried.in_vain),
    )


def tell(findings: Sequence[Finding]) -> Telling | str:
    in_vain = session_ids(item for item in findings if item.slots["in vain"] != "0")
    helped = session_ids(item for item in findings if item.slots["ending"] in _HELPED)
    by_itself = session_ids(
        item for item in findings if item.slots["ending"] == "by itself"
    )
    if len(in_vain) < MIN_SESSIONS:
        return "hardly repeated in vain"
    if len(helped) < MIN_SESSIONS or len(helped) <= len(by_itself - helped):
        return "no person had to help"
    report = short_report_in(findings[-1].slots["said"])
    if not report:
        return "what it says is no report that can be quoted"
    calls = Counter(item.slots["call"] for item in findings)
    call = min(calls, key=lambda name: (-calls[name], name))
    situation = f"`{call}` fails: {report}"
    remedy = "retrying seldom helps: stop, ask the user to see to it, then again"
    return Telling(
        f"{situation}: {remedy}.",
        "pitfall",
        situation,
        remedy,
        DIRECTNESS,
        "retries",
        ("retries",),
        times=len(findings),
    )
