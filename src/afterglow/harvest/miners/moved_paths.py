"""Where things are: a path was looked up in vain, then searched for, and found somewhere else.

Only what was found counts. A file that is not there may just not have been written yet, and a path that works from
another directory was never wrong: both are left out.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import PurePosixPath

from msgspec import Struct

from afterglow.calls import only_shows
from afterglow.harvest.trail import Step, Trail
from afterglow.records.knowledge import Finding, Telling
from afterglow.records.session import Outcome
from afterglow.records.tools import family

NAME = "places"
VERSION = 1

AHEAD = 8  # calls after a look-up in vain in which the thing must turn up
SUGGESTED, SAME_NAME, SIMILAR, BESIDE = (
    0.85,
    0.8,
    0.65,
    0.5,
)  # how directly the find answers the look-up
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


def mine(trail: Trail) -> Iterator[Finding]:
    if not trail.repo:
        return
    looked = [
        lookup
        for step in trail.steps
        if step.call.outcome is Outcome.FAILED
        for lookup in _missing(trail, step)
    ]
    if not looked:
        return
    paths = sorted(
        {path for step in trail.steps if step.ok for path in _paths(trail, step)}
    )
    topics: set[str] = set()
    for lookup in looked:
        if lookup.path in topics or _holds(paths, lookup.path):
            continue  # there after all, or written by this session
        if answer := _found(trail, lookup):
            step, path, directness = answer
            if not PurePosixPath(lookup.path).suffix and path.startswith(lookup.path):
                path = f"{lookup.path}*{PurePosixPath(path).suffix}"  # no folder, but files that share its name
            topics.add(lookup.path)
            yield Finding(
                NAME,
                _topic(trail.repo, lookup.path, path),
                {
                    "repo": trail.repo,
                    "wrong": lookup.path,
                    "right": path,
                    "directness": str(directness),
                },
                (
                    trail.asked(lookup.step),
                    trail.got(lookup.step, 0, 300),
                    trail.asked(step),
                ),
                cost=step.index - lookup.step.index,
            )


def _holds(paths: Sequence[str], path: str) -> bool:
    """Whether ordered paths hold this one, or something below it."""
    at, below = bisect_left(paths, path), bisect_left(paths, f"{path}/")
    return paths[at : at + 1] == [path] or any(
        below_path.startswith(f"{path}/") for below_path in paths[below : below + 1]
    )


def _topic(repo: str, wrong: str, right: str) -> str:
    """Files looked for in the same wrong folder and found in the same right one are one topic."""
    (folder, _, name), (right_folder, _, right_name) = (
        wrong.rpartition("/"),
        right.rpartition("/"),
    )
    return (
        f"{repo}|{folder}/ -> {right_folder}/"
        if folder and name == right_name
        else f"{repo}|{wrong}"
    )


def _missing(trail: Trail, step: Step) -> Iterator[_Lookup]:
    error = step.call.error[:1000]
    if not _MISSING.search(error) or "spawn" in error:
        return
    if step.command:
        views = [
            part
            for part in step.action.working
            if only_shows(part) and not part.directory
        ]
        requested = {
            word
            for part in views
            for word in part.words[1:]
            if "/" in word or "." in word
        }
        named = {match[1] for match in _NAMED.finditer(error)} or requested
        if len(named) == 1 and named <= requested:
            yield from _lookup(trail, step, named.pop(), "")
    elif family(step.tool) == "file":
        meant = _MEANT.search(error)
        yield from _lookup(
            trail, step, step.action.arguments.file, meant[1] if meant else ""
        )


def _lookup(trail: Trail, step: Step, path: str, meant: str) -> Iterator[_Lookup]:
    path = _local(path, trail.session.git_root, trail.session.cwd)
    if path and not _SCRATCH.search(path):
        yield _Lookup(step, path, meant)


def _found(trail: Trail, lookup: _Lookup) -> tuple[Step, str, float] | None:
    """Where the thing was found, by the surest sign there is among the next calls."""
    best: tuple[Step, str, float] | None = None
    searched = ""
    for step in trail.steps[lookup.step.index + 1 : lookup.step.index + 1 + AHEAD]:
        if not step.ok:
            continue
        for path in _paths(trail, step):
            sure = _answers(lookup, path, searched)
            if sure and (best is None or sure > best[2]):
                best = step, path, sure
        if _is_search(step):
            searched += f"\n{(step.call.result or '')[:20_000]}"  # what it found, not what it was asked
    return best


def _answers(lookup: _Lookup, path: str, searched: str) -> float:
    """How surely finding `path` answers the look-up; 0 for not at all."""
    wrong, right = PurePosixPath(lookup.path), PurePosixPath(path)
    if (
        path.endswith(f"/{lookup.path}")
        or lookup.path.endswith(f"/{path}")
        or not right.suffix
        or _SCRATCH.search(path)
    ):
        return 0  # the same path from another directory, or a mere folder
    if lookup.meant and path.endswith(lookup.meant):
        return SUGGESTED
    stem = wrong.stem.lower()
    if right.name.lower() == wrong.name.lower():
        return BESIDE if stem in _COMMON else SAME_NAME
    if right.name not in searched or (wrong.suffix and wrong.suffix != right.suffix):
        return 0
    if (
        len(stem) > 3
        and stem not in _COMMON
        and not _TEST.search(wrong.name)
        and _alike(wrong, right, stem)
    ):
        return SIMILAR
    return BESIDE if wrong.suffix and wrong.parent == right.parent else 0


def _alike(wrong: PurePosixPath, right: PurePosixPath, stem: str) -> bool:
    """`settings.py` -> `settings/base.py`, `tide/tide.go` -> `tide/parse.go`, `dock/tide` -> `dock/tide_hooks.go`."""
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
        parts = step.action.working
        named = [
            word
            for part in parts
            if only_shows(part) and not part.directory
            for word in part.words[1:]
        ]
        return [
            _local(word, root, cwd)
            for word in named[:20]
            if "/" in word and len(word) < 300
        ]
    return (
        [_local(path, root, cwd)]
        if family(step.tool) == "file" and (path := step.action.arguments.file)
        else []
    )


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
    repo = findings[0].slots["repo"]
    wrongs = sorted({finding.slots["wrong"] for finding in findings})
    if len(wrongs) > 1:
        return _tell_folder(repo, wrongs, findings[0].slots["right"].rpartition("/")[0])
    (wrong,) = wrongs
    places = Counter(finding.slots["right"] for finding in findings)
    newest = max(findings, key=lambda finding: finding.first.time or 0).slots["right"]
    right = max(places, key=lambda path: (places[path], path == newest, path))
    directness = max(
        float(finding.slots["directness"])
        for finding in findings
        if finding.slots["right"] == right
    )
    if directness <= BESIDE and places[right] < 2:
        return "a guess, in one session"
    if wrong.startswith(("~", "/")) or right.startswith(("~", "/")):
        return "outside the repository"
    where = (
        f"it is `{right}`"
        if directness >= SAME_NAME
        else f"what was looked for is in `{right}`"
    )
    return Telling(
        fact=f"There is no `{wrong}`: {where}.",
        category="fact",
        situation=f"looking for `{wrong}`",
        remedy=f"`{right}`",
        directness=directness,
        domain="places",
        tags=("place",),
        key=f"place|{repo}|{wrong}",
        value=right,
    )


def _tell_folder(repo: str, wrongs: Sequence[str], right_folder: str) -> Telling | str:
    folder = wrongs[0].rpartition("/")[0]
    if folder.startswith(("~", "/")) or right_folder.startswith(("~", "/")):
        return "outside the repository"
    names = ", ".join(f"`{wrong.rpartition('/')[2]}`" for wrong in wrongs[:6])
    right = f"`{right_folder}/`" if right_folder else "the root"
    return Telling(
        fact=f"{names} are in {right}, not in `{folder}/`.",
        category="fact",
        situation=f"looking into `{folder}/`",
        remedy=right,
        directness=SAME_NAME,
        domain="places",
        tags=("place",),
        key=f"place|{repo}|{folder}/",
        value=right_folder,
    )
