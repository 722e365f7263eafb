"""Where things are: a path was looked up in vain, then searched for, and found somewhere else.

Only what was found counts. A file that is not there may just not have been written yet, and a path that works from
another directory was never wrong: both are left out.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache, partial
from pathlib import PurePosixPath

from msgspec import Struct
from msgspec.structs import replace

from afterglow.calls import only_shows
from afterglow.harvest.agreeing_findings import session_ids
from afterglow.harvest.events.keys import place_key
from afterglow.harvest.trail import Step, Trail
from afterglow.records.knowledge import Finding, Telling
from afterglow.records.session import Outcome
from afterglow.records.tools import family
from afterglow.text.fingerprint import fingerprint

NAME = "places"
VERSION = 2

MAX_CALLS_TO_ANSWER = 8  # after a look-up in vain; later finds are about something else
MAX_ERROR_READ = 1000  # characters: what is missing stands first
MAX_SEARCH_RESULT = 20_000  # characters of a search in which a name is looked for
MAX_WORDS_READ = 20  # of a command: more are the files of a whole folder
MAX_PATH = 300  # characters: what is longer is no path
MAX_QUOTED_RESULT = 300  # characters of the error that are pointed at
MAX_NAMED_FILES = 6  # in one sentence
# That look in the same wrong place before it is told at a start: one guess says nothing of the next.
MIN_SESSIONS = 2
MIN_TELLING_STEM = 4  # characters: shorter names are alike by chance

# How directly the find answers the look-up.
SUGGESTED, SAME_NAME, SIMILAR, BESIDE = 0.85, 0.8, 0.65, 0.5

_MISSING = re.compile(
    r"does not exist|no such file or directory|file not found|cannot find the (?:file|path)",
    re.I,
)
_NAMED = re.compile(
    r"(?:^|[\s'\"`(])(~?[\w./@+-]*[\w/@+-])['\"`]?: (?:open: )?No such file or directory",
    re.MULTILINE,
)
_MEANT = re.compile(r"Did you mean ([\w./@+-]*\w)\s?\?")
_WORKTREE = re.compile(r"^(?:\.claude/|\.git/)?\.?worktrees?/[^/]+/")
_SCRATCH = re.compile(
    r"^/(?:tmp|var|private|dev|proc|nix|opt|usr)/|(?:^|/)(?:node_modules|\.git|tmp)/|[*?$<>{}]"
)
_HOME = re.compile(r"^(?:/home|/Users|/var/home)/[^/]+")
_TEST = re.compile(
    r"(?:^|[_.-])(?:test|spec)s?(?=[_.-])"
)  # often looked for only to be written
# Names that every package has: finding one somewhere does not answer the look-up of another.
_COMMON = frozenset(
    "index main init __init__ readme changelog license makefile dockerfile test tests config types utils mod lib "
    "package setup base tsconfig cargo pyproject conftest helpers model models errors constants".split()
)


class _Lookup(Struct):
    """A path that was not there."""

    step: Step
    path: str
    meant: str = ""


class _Answer(Struct):
    """Where it was found instead: the call that shows it, the path, and how directly that answers the look-up."""

    step: Step
    path: str
    directness: float


def mine(trail: Trail) -> Iterator[Finding]:
    if not trail.repo:
        return
    lookups = [
        lookup
        for lookup in map(partial(_lookup, trail), trail.steps)
        if lookup is not None
    ]
    if not lookups:
        return
    paths = sorted(
        {path for step in trail.steps if step.ok for path in _paths(trail, step)}
    )
    answered: set[str] = set()
    for lookup in lookups:
        if lookup.path in answered or _holds(paths, lookup.path):
            continue  # there after all, or written by this session
        answer = _answer(trail, lookup)
        if answer is not None:
            answered.add(lookup.path)
            yield _finding(trail, lookup, answer)


def _finding(trail: Trail, lookup: _Lookup, answer: _Answer) -> Finding:
    wrong, right = lookup.path, answer.path
    if not PurePosixPath(wrong).suffix and right.startswith(wrong):
        right = f"{wrong}*{PurePosixPath(right).suffix}"  # no folder, but files that share its name
    slots = {
        "repo": trail.repo,
        "wrong": wrong,
        "right": right,
        "directness": str(answer.directness),
    }
    evidence = (
        trail.asked(lookup.step),
        trail.got(lookup.step, 0, MAX_QUOTED_RESULT),
        trail.asked(answer.step),
    )
    cost = answer.step.index - lookup.step.index
    return Finding(
        NAME,
        _topic(trail.repo, wrong, right),
        slots,
        evidence,
        fingerprint=fingerprint(lookup.step.call.error),
        cost=cost,
    )


def _holds(paths: Sequence[str], path: str) -> bool:
    """Whether ordered paths hold this one, or something below it."""
    at, below = bisect_left(paths, path), bisect_left(paths, f"{path}/")
    if at < len(paths) and paths[at] == path:
        return True
    return below < len(paths) and paths[below].startswith(f"{path}/")


def _topic(repo: str, wrong: str, right: str) -> str:
    """Files looked for in the same wrong folder and found in the same right one are one topic."""
    wrong_folder, _, wrong_name = wrong.rpartition("/")
    right_folder, _, right_name = right.rpartition("/")
    if wrong_folder and wrong_name == right_name:
        return f"{repo}|{wrong_folder}/ -> {right_folder}/"
    return f"{repo}|{wrong}"


def _lookup(trail: Trail, step: Step) -> _Lookup | None:
    """What a failed call looked up in vain, if it was one path of this repository."""
    if step.call.outcome is not Outcome.FAILED:
        return None
    error = step.call.error[:MAX_ERROR_READ]
    if not _MISSING.search(error) or "spawn" in error:
        return None
    path, meant = "", ""
    if step.command:
        path = _path_viewed(step, error)
    elif family(step.tool) == "file":
        suggestion = _MEANT.search(error)
        path, meant = step.action.arguments.file, suggestion[1] if suggestion else ""
    path = _local(path, trail.session.git_root, trail.session.cwd)
    return _Lookup(step, path, meant) if path and not _SCRATCH.search(path) else None


def _path_viewed(step: Step, error: str) -> str:
    """The one path that a command was to show and that its error names."""
    requested = {word for word in _words_viewed(step) if "/" in word or "." in word}
    named = {match[1] for match in _NAMED.finditer(error)} or requested
    return named.pop() if len(named) == 1 and named <= requested else ""


def _words_viewed(step: Step) -> list[str]:
    """What commands that only show something were given; not those in another directory."""
    return [
        word
        for command in step.action.working
        if only_shows(command) and not command.directory
        for word in command.words[1:]
    ]


def _answer(trail: Trail, lookup: _Lookup) -> _Answer | None:
    """Where the thing was found, by the surest sign there is among the next calls."""
    best: _Answer | None = None
    searched = ""
    start = lookup.step.index + 1
    for step in trail.steps[start : start + MAX_CALLS_TO_ANSWER]:
        if not step.ok:
            continue
        for path in _paths(trail, step):
            directness = _directness(lookup, path, searched)
            if directness > (best.directness if best else 0):
                best = _Answer(step, path, directness)
        if _is_search(step):  # what it found, not what it was asked
            searched += f"\n{(step.call.result or '')[:MAX_SEARCH_RESULT]}"
    return best


def _directness(lookup: _Lookup, path: str, searched: str) -> float:
    """How surely finding `path` answers the look-up; 0 for not at all."""
    wrong, right = PurePosixPath(lookup.path), PurePosixPath(path)
    if _is_same_path(lookup.path, path) or not right.suffix or _SCRATCH.search(path):
        return 0  # the same path from another directory, or a mere folder
    if lookup.meant and path.endswith(lookup.meant):
        return SUGGESTED
    if right.name.lower() == wrong.name.lower():
        return BESIDE if wrong.stem.lower() in _COMMON else SAME_NAME
    if right.name not in searched or (wrong.suffix and wrong.suffix != right.suffix):
        return 0
    if _is_telling(wrong) and _is_alike(wrong, right):
        return SIMILAR
    return BESIDE if wrong.suffix and wrong.parent == right.parent else 0


def _is_same_path(wrong: str, right: str) -> bool:
    return right.endswith(f"/{wrong}") or wrong.endswith(f"/{right}")


def _is_telling(wrong: PurePosixPath) -> bool:
    """A name that not every package has, and that was hardly looked for only to be written."""
    stem = wrong.stem.lower()
    if len(stem) < MIN_TELLING_STEM or stem in _COMMON:
        return False
    return not _TEST.search(wrong.name)


def _is_alike(wrong: PurePosixPath, right: PurePosixPath) -> bool:
    """`settings.py` -> `settings/base.py`, `tide/tide.go` -> `tide/parse.go`, `dock/tide` -> `dock/tide_hooks.go`."""
    stem = wrong.stem.lower()
    if wrong.parent == right.parent:
        return wrong.parent.name == stem or right.stem.startswith(stem)
    return stem in right.parts and stem not in wrong.parent.parts


def _is_search(step: Step) -> bool:
    if step.command:
        return any(map(only_shows, step.action.working))
    return step.action.kind == "search"


def _paths(trail: Trail, step: Step) -> list[str]:
    """The files a call names, from the repository's root."""
    root, cwd = trail.session.git_root, trail.session.cwd
    if step.command:
        words = _words_viewed(step)[:MAX_WORDS_READ]
        paths = [word for word in words if "/" in word and len(word) < MAX_PATH]
        return [_local(path, root, cwd) for path in paths]
    path = step.action.arguments.file if family(step.tool) == "file" else ""
    return [_local(path, root, cwd)] if path else []


@lru_cache(maxsize=4096)
def _local(path: str, root: str, cwd: str) -> str:
    """A path from the repository's root; one in a home folder from there, without the name of its owner."""
    for top in (root, cwd):
        if top and path.startswith(f"{top.rstrip('/')}/"):
            path = path[len(top.rstrip("/")) + 1 :]
            break
    return _HOME.sub("~", _WORKTREE.sub("", path.removeprefix("./"), count=1)).rstrip(
        "/"
    )


def tell(findings: Sequence[Finding]) -> Telling | str:
    """Two sessions that looked in the same wrong place; one where it found the very thing, as a candidate."""
    telling = _sentence(findings)
    is_alone = len(session_ids(findings)) < MIN_SESSIONS
    if isinstance(telling, Telling) and is_alone:
        return replace(telling, directness=SIMILAR)
    return telling


def _sentence(findings: Sequence[Finding]) -> Telling | str:
    is_alone = len(session_ids(findings)) < MIN_SESSIONS
    if is_alone and not any(map(_is_sure, findings)):
        return "looked for in one session"
    repo = findings[0].slots["repo"]
    wrongs = sorted({finding.slots["wrong"] for finding in findings})
    if len(wrongs) > 1:
        return _tell_folder(repo, wrongs, findings[0].slots["right"].rpartition("/")[0])
    (wrong,) = wrongs
    times = Counter(finding.slots["right"] for finding in findings)
    newest = max(findings, key=lambda finding: finding.first.time or 0).slots["right"]
    right = max(times, key=lambda path: (times[path], path == newest, path))
    directness = max(
        float(finding.slots["directness"])
        for finding in findings
        if finding.slots["right"] == right
    )
    if not is_alone and times[right] < MIN_SESSIONS:
        return "found in another place each time"
    if _is_outside(wrong) or _is_outside(right):
        return "outside the repository"
    answer = f"what was looked for is in `{right}`"
    if directness >= SAME_NAME:
        answer = f"it is `{right}`"
    return Telling(
        fact=f"There is no `{wrong}`: {answer}.",
        category="fact",
        situation=f"there is no `{wrong}`",
        remedy=f"`{right}`",
        directness=directness,
        domain="places",
        tags=("place",),
        key=place_key(repo, wrong),
        value=right,
    )


def _is_sure(finding: Finding) -> bool:
    """The very thing was found elsewhere: if somebody looks there again, one find is worth telling."""
    return float(finding.slots["directness"]) >= SAME_NAME


def _is_outside(path: str) -> bool:
    return path.startswith(("~", "/"))


def _tell_folder(repo: str, wrongs: Sequence[str], right: str) -> Telling | str:
    wrong = wrongs[0].rpartition("/")[0]
    if _is_outside(wrong) or _is_outside(right):
        return "outside the repository"
    files = [path.rpartition("/")[2] for path in wrongs[:MAX_NAMED_FILES]]
    names = ", ".join(f"`{name}`" for name in files)
    place = f"`{right}/`" if right else "the root"
    return Telling(
        fact=f"{names} are in {place}, not in `{wrong}/`.",
        category="fact",
        situation=f"there is no `{wrong}/`",
        remedy=place,
        directness=SAME_NAME,
        domain="places",
        tags=("place",),
        key=place_key(repo, f"{wrong}/"),
        value=right,
    )
