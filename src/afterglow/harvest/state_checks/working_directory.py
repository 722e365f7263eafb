"""The shell stands elsewhere than the call assumed: it may keep its directory between calls, and the agent forgets."""

from __future__ import annotations

import re
from collections.abc import Iterator

from afterglow.calls import Standing, join
from afterglow.harvest.state_checks.explanation import Explanation, is_short, short_path
from afterglow.harvest.state_checks.moment import Moment

NAME = "directory"

_MISSING = re.compile(
    r"\bcd:(?:\d+:|line \d+:)? *(?:no such file or directory: |can't cd to )(?P<cd>[^\s:]+)"
    r"|\bcd: (?P<cd2>[^\s:]+): No such file"
    r"|\bstat (?P<stat>[^\s:]+): (?:directory not found|no such file)"
    r"|pathspec '(?P<spec>[^'\n]+)' did not match"
    r"|ambiguous argument '(?P<rev>[^'\n]+)': unknown revision or path"
    r"|could not open directory '(?P<open>[^'\n]+)'"
    r"|(?:^|\n)(?:[\w.-]+: )?(?:can't read |cannot access |can't open (?:file )?|open )?'?(?P<file>[\w./@+-]+)'?:"
    r" (?:\[Errno 2\] )?(?:open: )?No such file"
    r"|no such file or directory: (?P<zsh>[^\s:]+)"
    r"|ENOENT: no such file or directory, \w+ '(?P<enoent>[^'\n]+)'"
)
# What says that a program looked for something and did not find it.
_NOT_FOUND = re.compile(
    r"(?i)missing script|script not found|no such (?:file|task|target)|not a git repository|no rule to make target"
    r"|could not find [`'\"]?[\w-]+\.\w+[`'\"]? (?:in|file)|no [\w.-]+ (?:file )?found in"
)
_FROM_EVERYWHERE = ("/", "~", "$", "-")  # paths that lead to one place, and flags

TOPIC = "the shell stands in another directory than the call assumed"
SITUATION = "After `cd` the shell may stay there: a path from the root is not found"
REMEDY = "`cd <absolute root> && …`"


def explain(moment: Moment) -> Explanation | None:
    if not moment.commands or not moment.has_moved:
        return None
    meant = _meant_from(moment)
    if meant is None:
        return None
    path, base = meant
    here = _place_of(moment, path)
    line = (
        f"an earlier `cd` keeps the shell in `{short_path(moment.shown(here))}`, the call assumed {_name(moment, base)}: "
        f"{_remedy(moment, path, here, base)}"
    )
    return Explanation(NAME, TOPIC, line, SITUATION, REMEDY, agent_wide=True)


def _meant_from(moment: Moment) -> tuple[str, str] | None:
    """A path that was not found, and the directory from which it leads somewhere."""
    for path in _missing_paths(moment):
        here = _place_of(moment, path)
        base = _above(moment, path, here) or _start_that_has(moment, path)
        if base and base != here:
            return path, base
    base = _where_it_ran(moment)
    return ("", base) if base else None


def _missing_paths(moment: Moment) -> Iterator[str]:
    """Relative paths that the call names and that were not found."""
    words = [_bare(word) for word in moment.step.command.split()]
    relative = [
        word for word in words if word and not word.startswith(_FROM_EVERYWHERE)
    ]
    for match in _MISSING.finditer(moment.output):
        path = f"/{next(filter(None, match.groups())).rstrip('/')}"
        yield from (word for word in relative if path.endswith(f"/{word}"))


def _bare(word: str) -> str:
    return word.strip("\"';()").removeprefix("./").rstrip("/")


def _place_of(moment: Moment, path: str) -> str:
    """Where the command ran that names the path."""
    standing = moment.standing
    for command, directory in zip(moment.commands, standing.directories, strict=True):
        if path and any(_bare(word) == path for word in command.words[1:]):
            return directory
    return standing.directory


def _above(moment: Moment, path: str, here: str) -> str:
    """The directory above `here` in which the path begins: it names again where the shell already is."""
    first = path.split("/", maxsplit=1)[0]
    if not here.startswith(f"{moment.home}/") or first in {"", "..", "."}:
        return ""
    below = here[len(moment.home) + 1 :].split("/")
    if first not in below:
        return ""
    depth = len(below) - 1 - below[::-1].index(first)
    return join(moment.home, "/".join(below[:depth])) if depth else moment.home


def _start_that_has(moment: Moment, path: str) -> str:
    """Where the session began, if the path leads from there to a file that was read or changed."""
    target = join(moment.home, path)
    is_there = any(
        place == target or place.startswith(f"{target}/")
        for place in moment.state.touched
    )
    return moment.home if is_there else ""


def _where_it_ran(moment: Moment) -> str:
    """Another directory in which the very same command ended well; here it finds nothing."""
    core = moment.step.core
    if not core or not _NOT_FOUND.search(moment.output):
        return ""
    here = _last_directory(moment.standing)
    for step, standing in moment.runs_back():
        if step.ok and step.core == core and _last_directory(standing) != here:
            return _last_directory(standing)
    return ""


def _last_directory(standing: Standing) -> str:
    return standing.directories[-1] if standing.directories else standing.directory


def _name(moment: Moment, base: str) -> str:
    return (
        "the root it began in"
        if base == moment.home
        else f"`{short_path(moment.shown(base))}`"
    )


def _remedy(moment: Moment, path: str, here: str, base: str) -> str:
    is_there = moment.commands[0].program == "cd" and join(base, path) == here
    if is_there and moment.step.core:
        return f"leave out `cd {path}`"
    line = moment.step.command.strip()
    return f"`cd {_way(here, base)} && {line if is_short(line) else '…'}`"


def _way(here: str, base: str) -> str:
    """`../..` where the directory lies below, else the whole path."""
    if here.startswith(f"{base}/"):
        return "/".join([".."] * (1 + here[len(base) + 1 :].count("/")))
    return base
