"""Session -> its course: call by call what was done and how that ended, and how the session began.

A call looks (reads, lists, searches, fetches), runs (tests, builds, programs, scripts), changes (edits, writes, commits,
sends), or does something else (plans, delegates, asks a service).
"""

from __future__ import annotations

from afterglow.calls import Action, read
from afterglow.records.context import MARK
from afterglow.records.profile import LETTERS
from afterglow.records.research import SessionCourse
from afterglow.records.session import Call, Session, Turn
from afterglow.records.tools import tool_kind

LOOKS, RUNS, CHANGES, ELSE = "lrcx"
KIND_WORDS = {LOOKS: "looks", RUNS: "runs", CHANGES: "changes", ELSE: "else"}
# What a shell line does that makes it a run: not only looking, and more than moving files or sending them.
_RUNNING = frozenset({"checks", "prepares", "installs"})


class Course:
    """A session in the making, part by part."""

    def __init__(self) -> None:
        self._outcomes: list[str] = []
        self._kinds: list[str] = []
        self._words: int | None = None
        self._has_reply = self._talked = False

    def add(self, part: Session) -> None:
        for turn in part.turns:
            if turn.kind != "said":
                continue
            if turn.role == "user":
                self._hear(turn)
            elif turn.role == "assistant":
                self._has_reply = True
                self._follow(turn)

    def _hear(self, turn: Turn) -> None:
        if self._words is None:
            self._words = len(turn.text.split())
        elif self._has_reply and not self._kinds:
            self._talked = True

    def _follow(self, turn: Turn) -> None:
        for call in turn.calls:
            if call.id.startswith("ag-") and MARK.match(call.id):
                continue  # an example that a warm start put there: nobody's call
            self._outcomes.append(LETTERS[call.outcome])
            self._kinds.append(kind_of_call(call))

    def course(self) -> SessionCourse:
        return SessionCourse(
            outcomes="".join(self._outcomes),
            kinds="".join(self._kinds),
            words=self._words or 0,
            talked=self._talked,
        )


def kind_of_call(call: Call) -> str:
    action = read(call.tool, call.arguments)
    if tool_kind(call.tool) == "program":
        return RUNS
    if action.kind == "shell":
        return _kind_of_line(action)
    if action.kind in {"read", "search", "fetch"}:
        return LOOKS
    return CHANGES if action.kind in {"edit", "write"} else ELSE


def _kind_of_line(action: Action) -> str:
    effects = action.effects
    if not effects or effects & _RUNNING:
        return RUNS
    return LOOKS if effects == {"looks"} else CHANGES
