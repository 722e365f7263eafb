"""Calls that surely left everything as it was: looks and checks. What is run again behind nothing but these is run on
the same."""

from __future__ import annotations

from afterglow.calls import Command, effects_of, kind_of_work
from afterglow.harvest.trail import Step, Trail
from afterglow.harvest.user_speech import is_speech
from afterglow.records.tools import tool_kind

# Kinds of work that say how things stand; a build leaves behind only what is built.
_CHECKS = frozenset({"test", "lint", "typecheck", "build", "check"})
_CHECKING = frozenset({"checks", "prepares"})

_QUIET_TOOLS = frozenset(
    {"read", "list", "find", "search", "fetch", "ask", "plan", "wait", "process"}
)


def is_check(command: Command) -> bool:
    """It says whether all is well, and changes nothing; a linter that fixes what it finds is none."""
    effects = effects_of(command)
    return kind_of_work(command) in _CHECKS and bool(effects) and effects <= _CHECKING


def is_quiet(step: Step) -> bool:
    """It changed nothing; of a command that nobody knows, that cannot be said."""
    if step.action.kind != "shell":
        return tool_kind(step.tool) in _QUIET_TOOLS
    return not step.edits and all(map(_leaves_alone, step.action.working))


def _leaves_alone(command: Command) -> bool:
    return effects_of(command) == {"looks"} or is_check(command)


def has_spoken(trail: Trail, after: Step, before: Step | None) -> bool:
    """Whether a person had a turn between two calls, or all before it was summed up: whoever goes on then begins anew."""
    end = len(trail.turns) if before is None else before.turn + 1
    turns = trail.turns[after.turn + 1 : end]
    return any(turn.kind == "summary" or is_speech(turn) for turn in turns)
