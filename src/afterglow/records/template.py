"""What made a session good, ready to be given to a new one: examples, patterns, markers; a seed in a named template."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct, field

from afterglow.records.tools import TaskType

ROOT = "<repo>"  # stands for where a session worked: another one works elsewhere
TEMPLATE_PREFIX = "warm_"  # how the id of a template begins, and of no item
TEMPLATE_CONFIDENCE = 0.5  # nothing is claimed of a template: its record tells
REJECTED = "rejected"  # the note of a version that a person does not want given
TemplatePart = Literal["context", "examples", "patterns", "markers"]
# What a seed is taken apart into, and the fields of each part.
PARTS: dict[TemplatePart, tuple[str, ...]] = {
    "context": ("system_context",),
    "examples": ("tool_examples",),
    "patterns": ("recovery_patterns", "user_patterns"),
    "markers": ("context_markers",),
}
PART_MARK = ":"  # between a template's id and the part of it that was given alone


class ToolCallExample(Struct, frozen=True, omit_defaults=False):
    """A call worth imitating, with the part of its result that matters. `arguments` is JSON text, an object."""

    tool_name: str
    arguments: str
    result: str
    success: bool = True
    turn_number: int = 0
    session: str = ""
    support: int = 1  # sessions whose calls have this shape


class RecoveryPattern(Struct, frozen=True):
    """An error, and what worked: from the harvested items of the session, or from the session itself."""

    error: str
    worked: str
    tool: str = ""
    support: int = 1


class UserPatterns(Struct, frozen=True):
    """How the person works: request style (direct, conversational), feedback style (terse, detailed), the language they
    write, conventions they stated, corrections they made; all in their words, redacted."""

    request_style: str = ""
    feedback_style: str = ""
    language: str = ""
    conventions: tuple[str, ...] = ()
    corrections: tuple[str, ...] = ()


class ContextMarkers(Struct, frozen=True):
    """What the work was about, most used first."""

    files: tuple[str, ...] = ()
    urls: tuple[str, ...] = ()
    repos: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()


class SessionSeed(Struct, frozen=True):
    """What made one session, or many of a kind, good."""

    system_context: str = ""
    tool_examples: tuple[ToolCallExample, ...] = ()
    recovery_patterns: tuple[RecoveryPattern, ...] = ()
    user_patterns: UserPatterns = UserPatterns()
    context_markers: ContextMarkers = ContextMarkers()


class WarmTemplate(Struct, frozen=True, kw_only=True):
    """A named, versioned seed. `id` is warm_YYYYMMDD_HHMMSS (a suffix keeps two of one second apart). `uses` counts
    deliveries, `successes` and `failures` what the ledger proved of the sessions that started from it. `approved` is
    False until a person has read this very version and says otherwise."""

    id: str
    name: str
    seed: SessionSeed
    description: str = ""
    task_type: TaskType = TaskType.MIXED
    tags: tuple[str, ...] = ()
    source_sessions: tuple[str, ...] = ()
    agent: str = ""
    repo: str = ""
    version: int = 1
    created: float = 0.0
    updated: float = 0.0
    uses: int = 0
    successes: int = 0
    failures: int = 0
    approved: bool = False
    made_by: str = "extract"  # extract, auto, compress, import
    notes: dict[str, str] = field(default_factory=dict)

    @property
    def rejected(self) -> bool:
        """A person has read this version and said no."""
        return not self.approved and REJECTED in self.notes

    @property
    def success_rate(self) -> float | None:
        """Of the uses whose outcome is known; None where none is."""
        decided = self.successes + self.failures
        return self.successes / decided if decided else None


def given_name(template_id: str, part: TemplatePart | Literal[""]) -> str:
    """What the ledger calls what was given: `warm_20261115_101500`, or `warm_20261115_101500:examples` of a part alone.
    So what a part did counts for no template."""
    return f"{template_id}{PART_MARK}{part}" if part else template_id


def given_template(name: str) -> tuple[str, TemplatePart | Literal[""]]:
    """The id of the template, and which part of it was given alone, if so."""
    template_id, _, cut = name.partition(PART_MARK)
    for part in PARTS:
        if cut == part:
            return template_id, part
    return template_id, ""
