"""Where the shell stands: an agent's shell may keep its directory between calls, and the agent forgets.

Follows the `cd`s of a session and finds commands that failed because the shell stood elsewhere than they assumed.
"""

from __future__ import annotations

import re
from posixpath import isabs, join, normpath

from msgspec import Struct

from afterglow.harvest.trail import Step, Trail
from afterglow.records.session import Outcome

LONGEST = 2000  # characters of a command or an error that are looked at
REACH = 5  # calls in which a shell that is astray is found out

_CD = re.compile(r"(?:^|&&|;|\n)[ \t]*cd[ \t]+(\"[^\"\n]+\"|'[^'\n]+'|[^\s;&|()]+)")
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
_BACK = re.compile(
    r"(?:^|&&|;)\s*(?:pwd|cd\s+(?:/|~|\"?\$\(git rev-parse|\.\.)|git -C\b)"
)


class Astray(Struct, frozen=True):
    """A command that failed for where the shell stood: who went there, and what showed or undid it, if anything."""

    step: Step
    moved: Step
    directory: str
    path: str
    back: Step | None = None


def astray(trail: Trail) -> list[Astray]:
    """All commands of a session that went wrong this way; none where the shell starts afresh with every call."""
    shell = [step for step in trail.steps if step.program]
    home = {trail.session.cwd, trail.session.git_root}
    here, moved, drifts = "", None, []
    for place, step in enumerate(shell):
        error = step.call.error[:LONGEST] if step.failed else ""
        if error and here and moved and (path := _lost(step, error)):
            back = next(
                (
                    later
                    for later in shell[place + 1 : place + 1 + REACH]
                    if later.ok and _back(later, path)
                ),
                None,
            )
            if back or _within(path, here):
                drifts.append(Astray(step, moved, here, path, back))
        if (
            "cd " in step.command and step.call.outcome is Outcome.OK
        ):  # where a failing line went is not kept
            target = _follow(here, step.command[:LONGEST])
            if target is None:
                return []
            if target != here:
                here, moved = target, step
        if here in home or "Shell cwd was reset" in (step.call.result or "")[-300:]:
            here = ""
    return drifts


def _follow(here: str, command: str) -> str | None:
    """Where a command leaves the shell; empty if this cannot be known, None if it shows that directories are not kept:
    going twice to the same place by a relative path only works from the start."""
    for folder in _CD.findall(command):
        to = folder.strip("\"'")
        if to[:1] in "$~-":
            return ""
        if not isabs(to) and f"/{here}".endswith(f"/{normpath(to)}"):
            return None
        here = to if isabs(to) else normpath(join(here, to))
    return "" if here in {".", ".."} else here


def _lost(step: Step, error: str) -> str:
    """The relative path a command could not find, if it is one the command itself named."""
    first = _CD.match(step.command)
    if first and first[1].strip("\"'")[:1] in "/~$":
        return ""
    words = [
        word.strip("\"'").removeprefix("./").rstrip("/")
        for word in step.command[:LONGEST].split()
    ]
    named = [
        word for word in words if word and not word.startswith(("/", "~", "-", "$"))
    ]
    missing = [
        group for match in _LOST.finditer(error) for group in match.groups() if group
    ]
    return next(
        (
            word
            for path in missing
            for word in named
            if f"/{path.rstrip('/')}".endswith(f"/{word}")
        ),
        "",
    )


def _within(path: str, here: str) -> bool:
    """The path begins where the shell already is: it was meant from further up."""
    first = path.removeprefix("./").split("/")[0]
    return first not in {"", "..", "."} and first in here.split("/")


def _back(step: Step, path: str) -> bool:
    return (
        bool(_BACK.search(step.command[:LONGEST]))
        or f"/{path.removeprefix('./')}" in step.command
    )
