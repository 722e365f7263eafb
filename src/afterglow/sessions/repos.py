"""Which repository a session worked in.

Worktrees and several people's checkouts of one repository are one repo. What is known decides, in this order: an alias
from the config, the remote, a folder whose git remote can still be looked up, then the path: worktree folders are
folded into their repository, sub-folders into their root, and equal last names (`~/src/cli`, `/Users/bo/wks/cli`) are
taken as checkouts of one. The last steps are guesses, and `Repo.by` says which one was made.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path, PurePosixPath

from msgspec import Struct

from afterglow.records.session import Repo

_REMOTE = re.compile(
    r"^(?:\w+://)?(?:[^@/]+@)?([\w.-]+)(?::\d+)?[/:](.+?)(?:\.git)?/?$"
)
_SHORT = re.compile(r"^[\w.-]+/[\w.-]+$")
_WORKTREE = re.compile(
    r"^(.+?)(?:/\.worktrees/|/\.claude/worktrees/|/\.git/worktrees/|(?:\.|__|-|_)worktrees?/|/worktrees/).+$"
)
_DATED = re.compile(r"^\d{6,8}[-_](?=\w)")
_HOME = re.compile(r"^(?:/(?:Users|home)/[^/]+|/root|[A-Za-z]:/Users/[^/]+)$")
_ORIGIN = re.compile(r'\[remote "origin"\][^\[]*?^\s*url\s*=\s*(\S+)', re.MULTILINE)


class Place(Struct, frozen=True):
    """Where a session says it was."""

    remote: str = ""
    git_root: str = ""
    cwd: str = ""
    branch: str = ""


def remote_name(remote: str) -> str:
    """`git@host:owner/name.git`, `https://host/owner/name` or `owner/name` -> `owner/name`; else empty."""
    if _SHORT.match(remote) and not remote.endswith(".git"):
        return remote
    found = _REMOTE.match(remote)
    return "/".join(found[2].split("/")[-2:]) if found and "/" in found[2] else ""


def name_repos(
    places: Iterable[Place], aliases: Mapping[str, str] = {}, *, look: bool = True
) -> dict[Place, Repo]:
    """The repository of every place, decided together: what one session recorded helps to name another."""
    places = set(places)
    roots = {place: _root(place) for place in places}
    named: dict[Place, Repo] = {}
    for place in places:
        remote, by = remote_name(place.remote), "remote"
        if not remote and look and Path(roots[place]).is_absolute():
            remote, by = (
                remote_name(_origin(Path(place.git_root or place.cwd))),
                "checkout",
            )
        if remote:
            named[place] = Repo(remote, by)
    owners: dict[str, set[str]] = defaultdict(set)
    for repo in named.values():
        owners[repo.name.rsplit("/", 1)[-1]].add(repo.name)
    known = _tops({root for root in roots.values() if root})
    beside = {
        roots[place]: name
        for place in places
        if (name := _branch_folder(place, roots[place], known))
    }
    for place in places - named.keys():
        named[place] = _by_path(place, roots[place], known, beside, owners)
    return {
        place: _aliased(repo, place, roots[place], aliases)
        for place, repo in named.items()
    }


def _by_path(
    place: Place,
    root: str,
    known: Mapping[str, str],
    beside: Mapping[str, str],
    owners: Mapping[str, set[str]],
) -> Repo:
    if not PurePosixPath(root).name or _HOME.match(root):
        return Repo()
    if root in beside:
        tail, by = beside[root], "worktree"
    else:
        tail, by = (
            _DATED.sub("", PurePosixPath(known[root]).name),
            "root" if place.git_root else "cwd",
        )
    full = owners.get(tail, set())
    return Repo(next(iter(full)), "tail") if len(full) == 1 else Repo(tail, by)


def _root(place: Place) -> str:
    """The checkout a place lies in, worktree folders folded into the repository they belong to."""
    path = (place.git_root or place.cwd).replace("\\", "/").rstrip("/")
    found = _WORKTREE.match(path)
    return found[1].rstrip("/") if found else path


def _tops(roots: set[str]) -> dict[str, str]:
    """Sub-folders -> the root above them that also had sessions, unless that is a folder of many projects."""
    children: dict[str, set[str]] = defaultdict(set)
    for root in roots:
        for parent in PurePosixPath(root).parents:
            if str(parent) in roots:
                children[str(parent)].add(
                    PurePosixPath(root).relative_to(parent).parts[0]
                )
    shelves = {
        root for root, names in children.items() if len(names) > 1 or _HOME.match(root)
    }
    tops = {}
    for root in roots:
        above = [
            str(p)
            for p in PurePosixPath(root).parents
            if str(p) in roots and str(p) not in shelves
        ]
        tops[root] = above[-1] if above else root
    return tops


def _branch_folder(place: Place, root: str, known: Mapping[str, str]) -> str:
    """A folder named like its branch is a worktree; of the one repository beside it, if there is just one."""
    branch = place.branch
    if not branch or branch in ("main", "master", "HEAD"):
        return ""
    if not root.endswith((f"/{branch}", f"/{branch.replace('/', '-')}")):
        return ""
    base = root[: -len(branch) - 1]
    beside = {
        PurePosixPath(top).name
        for top in known.values()
        if top != root and top.startswith(base + "/")
    }
    beside = {name for name in beside if name not in branch.split("/")}
    return beside.pop() if len(beside) == 1 else ""


def _origin(folder: Path) -> str:
    """The remote a folder on this machine has, if it is (still) there and part of a checkout."""
    if not folder.is_dir():
        return ""
    for parent in (folder, *folder.parents):
        git = parent / ".git"
        try:
            if git.is_file():
                pointed = (
                    git.read_text(encoding="utf-8", errors="replace")
                    .removeprefix("gitdir:")
                    .strip()
                )
                git = Path(parent / pointed.split("/worktrees/")[0])
            if (git / "config").is_file():
                found = _ORIGIN.search(
                    (git / "config").read_text(encoding="utf-8", errors="replace")
                )
                return found[1] if found else ""
        except OSError:
            return ""
    return ""


def _aliased(repo: Repo, place: Place, root: str, aliases: Mapping[str, str]) -> Repo:
    for known in (repo.name, root, place.cwd):
        if known and known in aliases:
            return Repo(aliases[known], "alias")
    return repo
