"""Where the shell stands: an agent's shell may keep its directory between calls, and the agent forgets.

Follows the shell through a session and finds commands that failed because it stood elsewhere than they assumed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from msgspec import Struct

from afterglow.calls import Command, Shell, Standing
from afterglow.harvest.trail import Step, Trail

MAX_TEXT_READ = 2000  # characters: what matters of a command or an error stands first
MAX_CALLS_TO_NOTICE = 5  # shell calls in which an agent finds out where it stands

_LOST = re.compile(
    r"\bcd:(?:\d+:|line \d+:)? *(?:no such file or directory: |can't cd to )(?P<cd>[^\s:]+)"
    r"|\bcd: (?P<cd2>[^\s:]+): No such file"
    r"|\bstat (?P<stat>[^\s:]+): (?:directory not found|no such file)"
    r"|pathspec '(?P<spec>[^'\n]+)' did not match"
    r"|ambiguous argument '(?P<rev>[^'\n]+)': unknown revision or path"
    r"|could not open directory '(?P<open>[^'\n]+)'"
    r"|(?:^|\n)(?:\w+: )?(?:can't read |cannot access |open )?'?(?P<file>[\w./@-]+)'?: (?:open: )?No such file"
    r"|no such file or directory: (?P<zsh>[^\s:]+)"
)
_AWAY_FROM_HERE = ("/", "~", "$")  # paths that lead to one place from everywhere
_UP_OR_AWAY = ("/", "~", "..", "$(git rev-parse")


class Astray(Struct, frozen=True):
    """A command that failed for where the shell stood: who went there, and what showed or undid it, if anything."""

    step: Step
    moved: Step
    directory: str
    path: str
    back: Step | None = None


@lru_cache(maxsize=1)  # asked for the same session by a miner and for its events
def astray(trail: Trail) -> list[Astray]:
    """All commands of a session that went wrong this way; none where the shell starts afresh with every call."""
    shell = Shell()
    home = {trail.session.cwd, trail.session.git_root, ""}
    events: list[Astray] = []
    for step in trail.steps:
        standing = shell.run(step.action, step.call.outcome, step.call.result or "")
        if not shell.keeps:
            return []
        if step.program and step.failed and standing.directory not in home:
            event = _astray(trail, step, standing)
            if event is not None:
                events.append(event)
    return events


def _astray(trail: Trail, step: Step, standing: Standing) -> Astray | None:
    if standing.moved_by is None:
        return None
    path = _missing_path(step)
    if not path:
        return None
    back = _way_back(trail.steps[step.index + 1 :], path)
    if back is None and not _is_within(path, standing.directory):
        return None
    moved = trail.steps[standing.moved_by]
    return Astray(step, moved, standing.directory, path, back)


def _missing_path(step: Step) -> str:
    """The relative path a command could not find, if it is one the command itself named."""
    if _goes_away(step.action.commands[0]):
        return ""
    words = map(_bare, step.command[:MAX_TEXT_READ].split())
    relative = [
        word for word in words if word and not word.startswith((*_AWAY_FROM_HERE, "-"))
    ]
    for match in _LOST.finditer(step.call.error[:MAX_TEXT_READ]):
        path = f"/{next(filter(None, match.groups())).rstrip('/')}"
        for word in relative:
            if path.endswith(f"/{word}"):
                return word
    return ""


def _goes_away(command: Command) -> bool:
    is_cd = command.program == "cd" and bool(command.operands)
    return is_cd and command.operands[0].startswith(_AWAY_FROM_HERE)


def _bare(word: str) -> str:
    return word.strip("\"'").removeprefix("./").rstrip("/")


def _is_within(path: str, directory: str) -> bool:
    """The path begins where the shell already is: it was meant from further up."""
    first = path.split("/", maxsplit=1)[0]
    return first not in {"", "..", "."} and first in directory.split("/")


def _way_back(later: Sequence[Step], path: str) -> Step | None:
    """The next call that worked and looked where it stands, went away from there, or gave the path in full."""
    runs = [step for step in later if step.program][:MAX_CALLS_TO_NOTICE]
    return next((step for step in runs if step.ok and _leads_back(step, path)), None)


def _leads_back(step: Step, path: str) -> bool:
    return f"/{path}" in step.command or any(map(_finds_its_way, step.action.commands))


def _finds_its_way(command: Command) -> bool:
    if command.program == "pwd":
        return True
    if command.program == "git":
        return command.has("-C")
    is_cd = command.program == "cd" and bool(command.operands)
    return is_cd and command.operands[0].startswith(_UP_OR_AWAY)
