"""What a command does: it looks, changes things, writes files, sends something, or runs somebody's script."""

from __future__ import annotations

import re

from afterglow.harvest.shell import Simple
from afterglow.harvest.trail import Step
from afterglow.records.tools import WRITERS
from afterglow.sessions.outcomes import VIEWERS, VIEWING

LONGEST = 3000  # characters of a command that are looked at
INTERPRETERS = frozenset(
    "python python3 node ruby perl bash sh zsh npx bunx tsx deno php uvx".split()
)
PLUMBING = VIEWERS | frozenset(
    "rm mkdir rmdir cp mv touch kill pkill chmod ln cd".split()
)
# Commands that make other commands work.
PREPARING = re.compile(
    r"\b(?:install|sync|init|generate|build|up|start|migrate|tidy|pull|fetch|login|setup|bootstrap)\b"
)
CHECKING = re.compile(
    r"\b(?:tests?|lint|check|typecheck|type-check|vet|mypy|ruff|pytest|tsc|eslint|clippy|verify|validate|status)\b"
)
PUBLISHING = re.compile(r"git (?:add|commit|push)\b")

# Files changed by way of the shell, or put back: as good as an edit.
_WRITING = re.compile(
    r"\bsed -i|(?<![0-9&>-])>{1,2} ?[\w./~$]|\bgit (?:checkout|restore|stash|apply|reset)\b"
    r"|\b(?:patch|tee|touch|cp|mv) "
)
_QUOTED = re.compile(r"'[^']*'|\"(?:\\.|[^\"\\])*\"|[=-]>|2>&1|\d?>\s*/dev/null")
_SENDING = re.compile(
    r"(?:-f|-F|-d|--data\S*|--field|--raw-field|--input|-X|--method)$"
)
_GH_CHANGES = re.compile(
    r"gh \w+ (?:create|merge|edit|close|reopen|comment|review|checkout|rerun|delete|upload|set)"
)
_LOOKING = frozenset(
    "pwd which type file stat sleep true date whoami env printenv".split()
)
_QUIET = frozenset(
    f"git {verb}"
    for verb in "status log show diff branch remote rev-parse config ls-files blame".split()
)


def edits(step: Step) -> bool:
    """Whether a call changed files, with an editor or through the shell."""
    if step.tool.lower() in WRITERS:
        return True
    return bool(
        step.command and _WRITING.search(_QUOTED.sub("Q", step.command[:LONGEST]))
    )


def views(step: Step) -> bool:
    """Shows what somebody else reported: a log, a diff, a run of CI."""
    return " ".join(step.program.split(" ")[:2]) in VIEWING


def sends(one: Simple) -> bool:
    return any(_SENDING.match(word) for word in one.words)


def changes(one: Simple) -> bool:
    """A command that changes something, not one that looks."""
    head = one.words[0].rsplit("/", 1)[-1]
    if head == "gh" or (head in INTERPRETERS and {"-c", "-e"} & {*one.words}):
        return sends(one) or bool(_GH_CHANGES.match(one.text))
    return (
        head not in VIEWERS
        and head not in _LOOKING
        and " ".join([head, *one.words[1:2]]) not in _QUIET
    )
