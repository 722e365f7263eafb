"""An edit of a file that is not what the agent takes it for: changed since it was read, or never read by its own tool."""

from __future__ import annotations

import re
from collections.abc import Iterator

from afterglow.calls import (
    Command,
    Edit,
    edits_files,
    effects_of,
    kind_of_work,
    prints_files,
)
from afterglow.harvest.state_checks.edit_text import refused_edits
from afterglow.harvest.state_checks.explanation import Explanation, is_short
from afterglow.harvest.state_checks.moment import Moment
from afterglow.harvest.trail import Step

NAME = "version"

MIN_TELLING_CHARACTERS = 16  # of a line: `} else {` stands everywhere
MIN_REPLACED_SHARE = 3  # one in so many lines of the text must have been replaced

_MODIFIED = re.compile(r"(?i)(?:modified|changed)(?: externally)? since")
_UNREAD = re.compile(
    r"(?i)(?:not|n't) (?:yet )?been read|must be read first|read it first"
)
_ASKS_FOR_READING = re.compile(r"(?i)read it again")  # the error says it
_ABSENT = re.compile(
    r"(?i)not found|did not match|no match|failed to find|could not find|does not (?:exist|match)"
)
# Sub-commands of git that put other versions of files in place.
_REWRITING = frozenset(
    (name,)
    for name in "checkout switch stash rebase merge pull reset restore cherry-pick revert apply am".split()
)


def explain(moment: Moment) -> Explanation | None:
    if moment.step.action.kind not in {"edit", "write"}:
        return None
    if _UNREAD.search(moment.output):
        return _only_shown(moment)
    if _MODIFIED.search(moment.output):
        return _changed_by_program(moment)
    if _ABSENT.search(moment.output):
        explanations = (_replaced(moment, edit) for edit in refused_edits(moment))
        return next(filter(None, explanations), None) or _reformatted(moment)
    return None


def _only_shown(moment: Moment) -> Explanation | None:
    """A shell line has shown or written the file, which does not count as reading."""
    path = moment.step.action.arguments.file
    if any(step.action.kind == "read" for step in moment.touched(path)):
        return None
    name = path.rsplit("/", 1)[-1]
    for step in moment.back():
        program_name = _program_that_shows(step, name)
        if program_name:
            return Explanation(
                NAME,
                "an edit of a file that only the shell has shown",
                f"`{name}` was only shown by `{program_name}`, which does not count: "
                "read it with the reading tool, then edit",
                "A file that only `cat` or `sed` has shown counts as not read, an edit is refused",
                "look with the reading tool first",
                agent_wide=True,
            )
    return None


def _program_that_shows(step: Step, name: str) -> str:
    if step.ok:
        for command in step.action.commands:
            last = command.words[-1].rsplit("/", 1)[-1]
            if prints_files(command) and last == name:
                return command.program
    return ""


def _changed_by_program(moment: Moment) -> Explanation | None:
    """What ran since the last look at the file and changes files."""
    path = moment.step.action.arguments.file
    for command in _commands_since_look(moment, path):
        if _rewrites(command, path) and is_short(command.name):
            return _changed(command, moment.output)
    return None


def _reformatted(moment: Moment) -> Explanation | None:
    """The text is not there, and since the last look at the file something ran that rewrites code."""
    path = moment.step.action.arguments.file
    for command in _commands_since_look(moment, path):
        if _reformats(command) and is_short(command.name):
            return _changed(command, moment.output)
    return None


def _commands_since_look(moment: Moment, path: str) -> Iterator[Command]:
    looks = moment.touched(path)
    return _commands_since(moment, looks[0]) if looks else iter(())


def _changed(command: Command, output: str) -> Explanation:
    """Told to other sessions only of the project's own commands: everybody knows that git changes files."""
    name = f"`{command.name}`"
    is_told = command.program != "git"
    line = f"{name} ran after the file was read and may have changed it: read it again, then edit"
    return Explanation(
        NAME,
        f"{name} changed files after they were read",
        "" if _ASKS_FOR_READING.search(output) else line,
        f"{name} changes files that were read before" if is_told else "",
        "read a file again before editing it after that" if is_told else "",
    )


def _commands_since(moment: Moment, step: Step) -> Iterator[Command]:
    for later in moment.back():
        if later is step:
            return
        yield from later.action.commands


def _rewrites(command: Command, path: str) -> bool:
    """It changes files of the whole tree, or this one by name."""
    if command.program == "git":
        is_new_branch = command.has("-b", "-c", "-B", "-C", "--create")
        return command.subcommand[:1] in _REWRITING and not is_new_branch
    if _reformats(command) or kind_of_work(command) == "generate":
        return True
    name = path.rsplit("/", 1)[-1]
    return edits_files(command) and any(word.endswith(name) for word in command.words)


def _reformats(command: Command) -> bool:
    """A formatter, or a linter that mends what it finds."""
    kind = kind_of_work(command)
    return kind in {"format", "lint"} and "changes" in effects_of(command)


def _replaced(moment: Moment, edit: Edit) -> Explanation | None:
    """Much of the text did stand there, until an edit of this session replaced it."""
    lines = _telling_lines(edit.old)
    for step in moment.touched(edit.path):
        for earlier in step.action.edits:
            removed = lines & (
                _telling_lines(earlier.old) - _telling_lines(earlier.new)
            )
            if removed and len(removed) * MIN_REPLACED_SHARE >= len(lines):
                return Explanation(
                    NAME,
                    "an edit whose text an earlier edit of the session has replaced",
                    f"an earlier edit of this session replaced {_shown(removed)}: take the text as it is now",
                )
        if step.action.kind == "read":
            return None
    return None


def _telling_lines(text: str) -> set[str]:
    lines = map(str.strip, text.splitlines())
    return {line for line in lines if len(line) >= MIN_TELLING_CHARACTERS}


def _shown(lines: set[str]) -> str:
    line = min(lines, key=lambda text: (len(text), text))
    return f"`{line}`" if is_short(line) and "`" not in line else "that text"
