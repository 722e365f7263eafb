"""Session -> what it went through: its task, and its failures in order, by what stays the same when they come again."""

from __future__ import annotations

from collections.abc import Sequence

from afterglow.calls import goal_in, shell_line
from afterglow.harvest.failure_kinds import DEVELOPMENT, SETUP, is_mute
from afterglow.records.replay import Failure, Lived
from afterglow.records.session import Call, Outcome, Session
from afterglow.records.tools import is_shell
from afterglow.text.fingerprint import fingerprint, telling_line

MAX_TASK_CHARACTERS = 4000  # of the first request; what it is about stands at its start
MAX_DEED_CHARACTERS = 400  # of a call; a remedy is recognised by them
MAX_CALLS_BETWEEN = 12  # before a second failure that may have been the remedy


class Living:
    """A session in the making, part by part."""

    def __init__(self) -> None:
        self.task = ""
        self.failures: list[Failure] = []
        self.calls = self.blocked = self.cancelled = self.mute = 0
        self._deeds: list[str] = []
        # error -> how many calls had been made when it came
        self._last: dict[tuple[str, str], int] = {}

    def add(self, part: Session) -> None:
        for turn in part.turns:
            if turn.kind != "said":
                continue
            if not self.task and turn.role == "user":
                self.task = turn.text[:MAX_TASK_CHARACTERS]
            self._calls(turn.calls)

    def _calls(self, calls: Sequence[Call]) -> None:
        """Calls of one turn; those that failed alike count once."""
        counted: set[tuple[str, str]] = set()
        for call in calls:
            self.calls += 1
            self.blocked += call.outcome is Outcome.BLOCKED
            self.cancelled += call.outcome is Outcome.CANCELLED
            self._deeds.append(_deed(call))
            if call.outcome is not Outcome.FAILED and not call.masked:
                continue
            if is_mute(" ".join(telling_line(call.error).split())):
                self.mute += 1
                continue
            error = (call.tool, fingerprint(call.error))
            if error not in counted:
                counted.add(error)
                self.failures.append(self._failure(call, error))
            self._last[error] = self.calls

    def _failure(self, call: Call, error: tuple[str, str]) -> Failure:
        """The call that was just made, with those since the same error came before."""
        first = max(self._last.get(error, self.calls), self.calls - MAX_CALLS_BETWEEN)
        between = self._deeds[first : self.calls - 1]
        program = goal_in(shell_line(call.arguments)) if is_shell(call.tool) else ""
        work = _is_work(call, error[1])
        deeds = (self._deeds[-1], *between)
        return Failure(call.tool, program, error[1], work, deeds, call.line)

    def lived(self) -> Lived:
        return Lived(
            self.task,
            tuple(self.failures),
            self.calls,
            self.blocked,
            self.cancelled,
            self.mute,
        )


def _is_work(call: Call, mark: str) -> bool:
    """A test or a build that fails while code is being written; a linter's rule can be known beforehand."""
    if mark.startswith("lint: ") and mark != "lint: typecheck":
        return False
    return bool(DEVELOPMENT.search(call.error)) and not SETUP.search(call.error)


def _deed(call: Call) -> str:
    text = shell_line(call.arguments) if is_shell(call.tool) else call.arguments
    return text[:MAX_DEED_CHARACTERS]
