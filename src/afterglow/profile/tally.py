"""Session -> Profile, in one pass over its turns, part by part.

A tally can start from the profile of the parts before, so a grown session is counted without reading it again.
"""

from __future__ import annotations

import re

from afterglow.calls import read
from afterglow.records.context import MARK
from afterglow.records.profile import EARLY_TURNS, LETTERS, Manner, Profile, Recovery
from afterglow.records.session import Call, Outcome, Session, Turn
from afterglow.records.tools import family
from afterglow.sessions.joined_parts import total
from afterglow.text.fingerprint import fingerprint
from afterglow.text.mask import hide_secrets

GIVE_UP = 40  # calls after which an unresolved failure counts as not recovered

_POLITE = re.compile(
    r"(?i)\b(?:please|thanks|thank you|could you|can you|would you|can we|could we|should we|let's|hi|hello)\b"
)
_CORRECTION = re.compile(
    r"(?i)\s*(?:no\b[,. ]|nope|not (?:that|what|quite|like)|that(?:'s| is|s)? (?:not|wrong|incorrect)"
    r"|this is (?:not|wrong)|wrong\b|don't|do not|stop\b|wait\b|pause\b|hang on|hold on|actually[, ]|instead\b"
    r"|undo\b|revert\b|why did you|you (?:should|shouldn't|forgot|missed|didn't)"
    r"|i (?:said|meant|did not|didn't)|should be\b|we removed)"
)
_INTERRUPT = "[Request interrupted"
_REASON = "the user said:"


def goal(call: Call) -> str:
    """What a call was after, coarse enough that a second try has the same: `git push`, a file's name, or nothing."""
    return read(call.tool, call.arguments).goal


class Tally:
    """Counts in the making. `Tally(profile)` goes on where an earlier one ended."""

    def __init__(
        self, before: Profile | None = None, start: float | None = None
    ) -> None:
        past = before or Profile()
        self.start = start
        self.messages, self.requests, self.replies = (
            past.messages,
            past.requests,
            past.replies,
        )
        self.outcomes = [past.outcomes]
        self.count = len(past.outcomes)
        self.early = [past.early]
        self.tools = {tool: [letters] for tool, letters in past.tools.items()}
        self.early_families = dict(past.early_families)
        self.masked = past.masked
        self.errors = dict(past.errors)
        self.recoveries = list(past.recoveries)
        self.pending = [
            (r.tool, r.goal, r.error, r.attempts, self.count - r.calls)
            for r in past.pending
        ]
        self.first_success_call, self.first_success_seconds = (
            past.first_success_call,
            past.first_success_seconds,
        )
        self.manner = {
            name: getattr(past.manner, name) for name in Manner.__struct_fields__
        }
        self.usage, self.window, self.compactions = (
            past.usage,
            past.window,
            past.compactions,
        )

    def add(self, part: Session) -> None:
        if self.start is None:
            self.start = part.start
        for turn in part.turns:
            if turn.kind == "said" or turn.kind == "steer":
                self._spoken(turn)
            elif turn.text.startswith(_INTERRUPT):
                self.manner["interrupts"] += 1
        self.usage = total([self.usage, part.usage])
        self.window = max(self.window, part.window)
        self.compactions += part.compactions

    def _spoken(self, turn: Turn) -> None:
        role = turn.role
        if role == "system":
            return
        self.messages += 1
        if role == "user":
            self._heard(turn)
        elif role == "assistant":
            self.replies += 1
            if turn.calls:
                self._calls(turn.calls, early=self.messages <= EARLY_TURNS)

    def _heard(self, turn: Turn) -> None:
        manner, text = self.manner, turn.text[:2000]
        if _CORRECTION.match(text) and (self.requests or turn.kind == "steer"):
            manner["corrections"] += 1
        self.requests += 1
        manner["requests"] += 1
        manner["words"] += len(text.split())
        manner["questions"] += text.rstrip().endswith("?")
        manner["polite"] += bool(_POLITE.search(text[:300]))

    def _calls(self, calls: tuple[Call, ...], *, early: bool) -> None:
        for call in calls:
            if call.id.startswith("ag-") and MARK.match(call.id):
                continue  # an example that a warm start put there: nobody's call
            outcome, tool = call.outcome, hide_secrets(call.tool)
            self.count += 1
            letter = LETTERS[outcome]
            if outcome is Outcome.OK:
                self._succeeded(call, tool)
            elif outcome is Outcome.FAILED:
                self._failed(call, tool)
            elif outcome is Outcome.BLOCKED and _REASON in call.error:
                self.manner["reasons"] += 1
            self.outcomes.append(letter)
            if tool in self.tools:
                self.tools[tool].append(letter)
            else:
                self.tools[tool] = [letter]
            if early:
                self.early.append(letter)
                kind = family(tool)
                self.early_families[kind] = self.early_families.get(kind, 0) + 1

    def _succeeded(self, call: Call, tool: str) -> None:
        if call.masked:
            self.masked += 1
        elif self.pending:
            self._settle(call, tool)
        if self.first_success_call is None:
            self._first_success(call)

    def _first_success(self, call: Call) -> None:
        self.first_success_call = self.count
        if call.ended is not None and self.start is not None:
            self.first_success_seconds = max(call.ended - self.start, 0.0)

    def _failed(self, call: Call, tool: str) -> None:
        error = fingerprint(call.error)
        self.errors[error] = self.errors.get(error, 0) + 1
        call_goal = goal(call)
        for index, (same_tool, same, first, attempts, since) in enumerate(self.pending):
            if same_tool == tool and same == call_goal:
                self.pending[index] = (tool, same, first, attempts + 1, since)
                return
        self.pending.append((tool, call_goal, error, 1, self.count))

    def _settle(self, call: Call, tool: str) -> None:
        """A success closes the failures that were after the same thing; old ones are given up."""
        call_goal, remaining = None, []
        for failure in self.pending:
            failed_tool, same, error, attempts, since = failure
            if failed_tool == tool:
                call_goal = goal(call) if call_goal is None else call_goal
                if same == call_goal:
                    self.recoveries.append(
                        Recovery(tool, same, error, attempts, self.count - since, True)
                    )
                    continue
            if self.count - since > GIVE_UP:
                self.recoveries.append(
                    Recovery(
                        failed_tool, same, error, attempts, self.count - since, False
                    )
                )
            else:
                remaining.append(failure)
        self.pending = remaining

    def profile(self) -> Profile:
        return Profile(
            messages=self.messages,
            requests=self.requests,
            replies=self.replies,
            outcomes="".join(self.outcomes),
            tools={tool: "".join(letters) for tool, letters in self.tools.items()},
            early="".join(self.early),
            early_families=dict(self.early_families),
            masked=self.masked,
            errors=dict(self.errors),
            recoveries=tuple(self.recoveries),
            pending=tuple(
                Recovery(t, g, e, a, self.count - since, False)
                for t, g, e, a, since in self.pending
            ),
            first_success_call=self.first_success_call,
            first_success_seconds=self.first_success_seconds,
            manner=Manner(**self.manner),
            usage=self.usage,
            window=self.window,
            compactions=self.compactions,
        )


def tally(session: Session) -> Profile:
    """The profile of a whole session."""
    counts = Tally()
    counts.add(session)
    return counts.profile()
