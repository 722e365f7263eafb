"""What can be counted about one session. Everything a profile says is exact; guesses live in the report over many."""

from __future__ import annotations

from msgspec import Struct

from afterglow.records.session import Outcome, Usage
from afterglow.records.tools import TaskType, family, task_type

EARLY_TURNS = 30
LETTERS = {
    Outcome.OK: "o",
    Outcome.FAILED: "f",
    Outcome.BLOCKED: "b",
    Outcome.CANCELLED: "c",
    Outcome.UNKNOWN: "u",
}


class Recovery(Struct, frozen=True):
    """A failure and how it ended. `attempts` failed before `calls` calls later the same goal succeeded (or did not)."""

    tool: str
    goal: str
    error: str
    attempts: int
    calls: int
    recovered: bool


class Manner(Struct, frozen=True, omit_defaults=True):
    """How the person spoke: counts over what they typed, from which styles are read."""

    requests: int = 0
    words: int = 0
    questions: int = 0
    polite: int = 0
    corrections: int = 0
    interrupts: int = 0
    reasons: int = 0

    @property
    def request_style(self) -> str:
        """direct: short orders; conversational: questions, courtesies, long explanations."""
        if not self.requests:
            return "none"
        chatty = (
            self.questions + self.polite
        ) / self.requests > 0.5 or self.words / self.requests > 60
        return "conversational" if chatty else "direct"

    @property
    def feedback_style(self) -> str:
        if not self.requests:
            return "none"
        return "detailed" if self.words / self.requests > 20 else "terse"


class Profile(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """Counts of one session. `outcomes` has one letter per call in order: ok, failed, blocked, cancelled, unknown."""

    messages: int = 0
    requests: int = 0
    replies: int = 0
    outcomes: str = ""
    tools: dict[str, str] = {}
    early: str = ""
    early_families: dict[str, int] = {}
    masked: int = 0
    errors: dict[str, int] = {}
    recoveries: tuple[Recovery, ...] = ()
    pending: tuple[Recovery, ...] = ()
    first_success_call: int | None = None
    first_success_seconds: float | None = None
    manner: Manner = Manner()
    usage: Usage = Usage()
    window: int = 0
    compactions: int = 0

    @property
    def calls(self) -> int:
        return len(self.outcomes)

    @property
    def failed(self) -> int:
        return self.outcomes.count("f")

    @property
    def decided(self) -> int:
        """Calls that either worked or failed: the denominator of every error rate."""
        return self.outcomes.count("o") + self.failed

    @property
    def families(self) -> dict[str, int]:
        """How many calls each family of tools has."""
        counts: dict[str, int] = {}
        for tool, letters in self.tools.items():
            counts[family(tool)] = counts.get(family(tool), 0) + len(letters)
        return counts

    @property
    def task_type(self) -> TaskType:
        return task_type(self.families)

    @property
    def early_task_type(self) -> TaskType:
        return task_type(self.early_families)

    @property
    def diversity(self) -> int:
        return len(self.tools)
