"""A path that this session itself moved, renamed or removed before."""

from __future__ import annotations

from collections.abc import Iterator

from afterglow.calls import Command, join
from afterglow.harvest.state_checks.explanation import Explanation, is_short, short_path
from afterglow.harvest.state_checks.missing_path import missing_paths
from afterglow.harvest.state_checks.moment import Moment

NAME = "moved"

TOPIC = "a path that the session itself had moved or removed"


def explain(moment: Moment) -> Explanation | None:
    for missing in missing_paths(moment):
        line = _what_became(moment, missing.place)
        if line:
            return Explanation(NAME, TOPIC, line)
    return None


def _what_became(moment: Moment, path: str) -> str:
    """The newest call that names the path decides: if it moved or removed it, that is why."""
    name = f"`{short_path(moment.shown(path))}`"
    for command, directory in _commands_back(moment, path):
        target = moment.shown(_moved_to(command, directory, path))
        if target:
            is_told = is_short(name + target)
            return f"this session moved {name if is_told else 'it'} to `{short_path(target)}`"
        if _removes(command, directory, path):
            return f"this session removed {name} itself"
        if _names(command, directory, path):
            return ""  # it may be there again
    return ""


def _commands_back(moment: Moment, path: str) -> Iterator[tuple[Command, str]]:
    """Commands that ran before, the newest first, up to where the file was read or written."""
    touches = moment.touched(path)
    for step, standing in moment.runs_back():
        if step in touches:
            return
        if step.ok:
            pairs = zip(step.action.commands, standing.directories, strict=True)
            yield from reversed(list(pairs))


def _names(command: Command, directory: str, path: str) -> bool:
    """It is about the path, or about a folder on the way to it."""
    places = (join(directory, word).rstrip("/") for word in command.words[1:])
    return any(path == place or path.startswith(f"{place}/") for place in places)


def _moved_to(command: Command, directory: str, path: str) -> str:
    is_move = command.program == "mv" or command.name == "git mv"
    if not is_move or len(command.operands) < 2:
        return ""
    *sources, target = (join(directory, operand) for operand in command.operands)
    for source in sources:
        if path == source.rstrip("/") or path.startswith(f"{source.rstrip('/')}/"):
            is_folder = len(sources) > 1 or command.operands[-1].endswith("/")
            end = join(target, source.rsplit("/", 1)[-1]) if is_folder else target
            return end + path[len(source.rstrip("/")) :]
    return ""


def _removes(command: Command, directory: str, path: str) -> bool:
    is_removal = command.program in {"rm", "rmdir"} or command.name in {
        "git rm",
        "git worktree remove",
    }
    if not is_removal:
        return False
    targets = [join(directory, operand).rstrip("/") for operand in command.operands]
    return path in targets  # what a removed folder held may have been made anew
