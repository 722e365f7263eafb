"""Which repository a session worked in.

Worktrees and several people's checkouts of one repository are one repo. What is known decides, in this order: an alias
from the config, the remote, a folder whose git remote can still be looked up, then the path: worktree folders are
folded into their repository, sub-folders into their root, and equal last names (`~/src/cli`, `/Users/bo/wks/cli`) are
taken as checkouts of one. The last steps are guesses, and `Repo.by` says which one was made. A second folder of this
machine that claims a name is believed when it is confirmed (`sessions/checkouts.py`).
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path, PurePosixPath

from msgspec import Struct

from afterglow.records.session import Repo
from afterglow.sessions.checkouts import (
    Claim,
    checkout_root,
    joined,
    name_apart,
    unconfirmed,
)

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


class Use(Struct, frozen=True):
    """When sessions worked at a place: since when, and on which days."""

    first: float = 0.0
    days: frozenset[int] = frozenset()


def remote_name(remote: str) -> str:
    """`git@host:owner/name.git`, `https://host/owner/name` or `owner/name` -> `owner/name`; else empty."""
    if _SHORT.match(remote) and not remote.endswith(".git"):
        return remote
    match = _REMOTE.match(remote)
    if not match:
        return ""
    folders = match[2].split("/")
    if len(folders) < 2:
        return ""
    return "/".join(folders[-2:])


def name_repos(
    places: Iterable[Place],
    aliases: Mapping[str, str] = {},
    *,
    look: bool = True,
    uses: Mapping[Place, Use] = {},
    trusted: Collection[str] = (),
    user_home: Path | None = None,
) -> dict[Place, Repo]:
    """The repository of every place, decided together: what one session recorded helps to name another. Where it is
    known whose folders they are (`user_home`) and when they were used, what folders claim is checked; `trusted` ones
    are a person's own."""
    places = set(places)
    roots = {place: _root(place) for place in places}
    named: dict[Place, Repo] = {}
    for place in places:
        repo = _by_remote(place, roots[place], look=look)
        if repo is not None:
            named[place] = repo
    owners: dict[str, set[str]] = defaultdict(set)
    for repo in named.values():
        tail = repo.name.rsplit("/", 1)[-1]
        owners[tail].add(repo.name)
    tops = _tops(set(filter(None, roots.values())))
    worktrees: dict[str, str] = {}
    for place in places:
        if name := _branch_folder(place, roots[place], tops):
            worktrees[roots[place]] = name
    for place in places - named.keys():
        named[place] = _by_path(place, roots[place], tops, worktrees, owners)
    if look and user_home is not None:
        checkouts = {
            place: checkout_root(place.git_root or place.cwd) or tops[roots[place]]
            for place in places
            if roots[place]
        }
        claims = _claims(named, checkouts, uses)
        named = _confirmed(named, checkouts, claims, trusted, user_home)
    return {
        place: _aliased(repo, place, roots[place], aliases)
        for place, repo in named.items()
    }


def _claims(
    named: Mapping[Place, Repo],
    checkouts: Mapping[Place, str],
    uses: Mapping[Place, Use],
) -> dict[str, list[Claim]]:
    """Which folders say that they are a repository, by its name."""
    claims: dict[str, list[Claim]] = defaultdict(list)
    for place, repo in named.items():
        if repo.name and place in checkouts:
            use = uses.get(place, Use())
            root = checkouts[place]
            is_guess = repo.by == "tail" and Path(root).is_dir()
            claims[repo.name].append(Claim(root, use.first, use.days, is_guess))
    return claims


def _confirmed(
    named: Mapping[Place, Repo],
    checkouts: Mapping[Place, str],
    claims: Mapping[str, list[Claim]],
    trusted: Collection[str],
    user_home: Path,
) -> dict[Place, Repo]:
    """The names, with names of their own for folders whose claim is not to be believed."""
    doubted = {
        name: unconfirmed(joined(group), trusted, user_home)
        for name, group in claims.items()
    }
    return {
        place: _apart(repo, checkouts.get(place, ""), doubted.get(repo.name, ()))
        for place, repo in named.items()
    }


def _apart(repo: Repo, root: str, doubted: Collection[str]) -> Repo:
    if root not in doubted:
        return repo
    return Repo(name_apart(repo.name, root), "unconfirmed")


def _by_remote(place: Place, root: str, *, look: bool) -> Repo | None:
    """By the remote a session recorded, or, if we may `look`, by the one its folder has on this machine."""
    if name := remote_name(place.remote):
        return Repo(name, "remote")
    if not look or not Path(root).is_absolute():
        return None
    name = remote_name(_origin(Path(place.git_root or place.cwd)))
    return Repo(name, "checkout") if name else None


def _by_path(
    place: Place,
    root: str,
    tops: Mapping[str, str],
    worktrees: Mapping[str, str],
    owners: Mapping[str, set[str]],
) -> Repo:
    if not PurePosixPath(root).name or _HOME.match(root):
        return Repo()
    if root in worktrees:
        tail, by = worktrees[root], "worktree"
    else:
        tail = _DATED.sub("", PurePosixPath(tops[root]).name)
        by = "root" if place.git_root else "cwd"
    full_names = owners.get(tail, set())
    if len(full_names) == 1:
        return Repo(next(iter(full_names)), "tail")
    return Repo(tail, by)


def _root(place: Place) -> str:
    """The checkout a place lies in, worktree folders folded into the repository they belong to."""
    path = (place.git_root or place.cwd).replace("\\", "/").rstrip("/")
    worktree = _WORKTREE.match(path)
    return worktree[1].rstrip("/") if worktree else path


def _tops(roots: set[str]) -> dict[str, str]:
    """Sub-folders -> the root above them that also had sessions, unless that is a folder of many projects."""
    above = {root: _roots_above(root, roots) for root in roots}
    shelves = _shelves(above)
    tops = {}
    for root, parents in above.items():
        projects = [parent for parent in parents if parent not in shelves]
        tops[root] = projects[-1] if projects else root
    return tops


def _shelves(above: Mapping[str, list[str]]) -> set[str]:
    """Folders of many projects, out of the roots above each root."""
    children: dict[str, set[str]] = defaultdict(set)
    for root, parents in above.items():
        for parent in parents:
            below = PurePosixPath(root).relative_to(parent)
            children[parent].add(below.parts[0])
    shelves: set[str] = set()
    for parent, names in children.items():
        if len(names) > 1 or _HOME.match(parent):
            shelves.add(parent)
    return shelves


def _roots_above(root: str, roots: set[str]) -> list[str]:
    """The folders above `root` that are roots too, the nearest first."""
    parents = map(str, PurePosixPath(root).parents)
    return [parent for parent in parents if parent in roots]


def _branch_folder(place: Place, root: str, tops: Mapping[str, str]) -> str:
    """A folder named like its branch is a worktree; of the one repository beside it, if there is just one."""
    branch = place.branch
    if not branch or branch in ("main", "master", "HEAD"):
        return ""
    if not root.endswith((f"/{branch}", f"/{branch.replace('/', '-')}")):
        return ""
    beside = root[: -len(branch)]
    names: set[str] = set()
    for top in tops.values():
        if top != root and top.startswith(beside):
            names.add(PurePosixPath(top).name)
    names.difference_update(branch.split("/"))
    return names.pop() if len(names) == 1 else ""


def _origin(folder: Path) -> str:
    """The remote a folder on this machine has, if it is (still) there and part of a checkout."""
    if not folder.is_dir():
        return ""
    for parent in (folder, *folder.parents):
        try:
            config = _git_folder(parent) / "config"
            if config.is_file():
                return _origin_in(config)
        except OSError:
            return ""
    return ""


def _git_folder(folder: Path) -> Path:
    """A worktree has a file in place of the folder, which points to the one of its repository."""
    git = folder / ".git"
    if not git.is_file():
        return git
    pointer = git.read_text(encoding="utf-8", errors="replace")
    path = pointer.removeprefix("gitdir:").strip()
    return folder / path.split("/worktrees/")[0]


def _origin_in(config: Path) -> str:
    match = _ORIGIN.search(config.read_text(encoding="utf-8", errors="replace"))
    return match[1] if match else ""


def _aliased(repo: Repo, place: Place, root: str, aliases: Mapping[str, str]) -> Repo:
    for name in (repo.name, root, place.cwd):
        if name and name in aliases:
            return Repo(aliases[name], "alias")
    return repo
