"""The path that a call asked for and that is not there, where the call itself says so."""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct

from afterglow.calls import join
from afterglow.harvest.state_checks.moment import Moment, runs_elsewhere

# Characters in which a tool says that a file is not there; what follows may be the text of a file.
MAX_HEAD_CHARACTERS = 300

_ABSENT = re.compile(
    r"(?i)(?:file|path|directory)\b[^\n]{0,200}(?:does not exist|doesn't exist|not found)|no such file|ENOENT"
)
_NAMED = re.compile(
    r"(?:^|\n)(?:[\w.-]+: )?(?:(?:cannot|can't|could not) (?:access|read|open|cd to|change to) )?"
    r"['\"]?(?P<head>[\w./@+~-]+)['\"]?: (?:\[Errno 2\] )?(?:open: )?No such file"
    r"|no such file or directory[:,] (?:\w+ )?['\"]?(?P<tail>[\w./@+~-]+)"
    r"|pathspec '(?P<spec>[^'\n]+)' did not match"
    r"|cd: (?P<cd>[^\s:]+): No such file"
)


class MissingPath(Struct, frozen=True):
    """A path as the call gave it, and where that leads."""

    written: str
    place: str


def missing_paths(moment: Moment) -> Iterator[MissingPath]:
    """What the call named and could not find."""
    action = moment.step.action
    if action.kind == "shell":
        if not moment.says("no such file", "pathspec"):
            return
        for match in _NAMED.finditer(moment.output):
            path = next(filter(None, match.groups())).removeprefix("./").rstrip("/")
            yield from _of_commands(moment, path)
        return
    path = action.arguments.file
    if path and _ABSENT.search(moment.output[:MAX_HEAD_CHARACTERS]):
        yield MissingPath(path, moment.state.place(path))


def _of_commands(moment: Moment, path: str) -> Iterator[MissingPath]:
    """The path from where the command ran that names it."""
    runs = zip(moment.commands, moment.standing.directories, strict=True)
    for command, directory in runs:
        words = {word.removeprefix("./").rstrip("/") for word in command.words}
        if path in words and not runs_elsewhere(command):
            yield MissingPath(path, join(directory, path))
            return
