"""Whether a folder is really a checkout of the repository it says it is.

A name is easily claimed: an unpacked archive brings a `.git/config` of its own, and whatever lies in the archive can be
forged, commits and logs included. What an archive cannot bring is what lies outside of it: that a person has worked
there on several days, that the known checkout's git lists the folder among its worktrees, or the person's own word.
Until then a second folder that claims a known name has a name of its own: it teaches the known repository nothing, and
is told nothing of it. Folders of other people and machines are none that a person unpacked here; they are believed as
their transcripts are.
"""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from hashlib import blake2b
from pathlib import Path, PurePosixPath

from msgspec import Struct

# On which a person worked in a folder, to make it one of theirs: a look at an archive takes fewer.
MIN_DAYS = 5
UNCONFIRMED = "?"  # behind the name of a repository: what follows tells folders apart
NAMES_OF_HOMES = ("home", "Users")  # folders in which everybody has one

_APART = re.compile(rf"(.+){re.escape(UNCONFIRMED)}[0-9a-f]{{6}}$")
_HOME = re.compile(r"^(?:/(?:Users|home)/[^/]+|/root)(?=/|$)")


class Claim(Struct, frozen=True):
    """A folder that is said to be a checkout: since when and on which days sessions worked in it. `is_guess` where
    nothing but its name says so."""

    root: str
    first: float = 0.0
    days: frozenset[int] = frozenset()
    is_guess: bool = False


def joined(claims: Iterable[Claim]) -> dict[str, Claim]:
    """By folder; what its places say together."""
    by_root: dict[str, list[Claim]] = defaultdict(list)
    for claim in claims:
        by_root[claim.root].append(claim)
    return {
        root: Claim(
            root,
            min(claim.first for claim in group),
            frozenset().union(*(claim.days for claim in group)),
            all(claim.is_guess for claim in group),
        )
        for root, group in by_root.items()
    }


def unconfirmed(
    claims: Mapping[str, Claim], trusted: Collection[str], user_home: Path
) -> set[str]:
    """Of folders that claim one name, those that are not to be believed. With nothing to tell them apart the first that
    was worked in is."""
    here = {
        root: claim for root, claim in claims.items() if may_be_own(root, user_home)
    }
    real_roots = {os.path.realpath(root): root for root in here}
    mains = {root: real_roots.get(main_checkout(Path(root)), "") for root in here}
    claimants = {root: claim for root, claim in here.items() if not mains[root]}
    if len(claimants) < 2:
        return set()
    certain = {root for root in claimants if is_below(root, trusted)}
    certain |= {root for root, claim in claimants.items() if _is_worked_in(claim)}
    if not certain:
        certain = {min(claimants, key=lambda root: _order(claimants[root]))}
    return {root for root in here if not certain & {root, mains[root]}}


def _order(claim: Claim) -> tuple[bool, float]:
    return claim.is_guess, claim.first


def _is_worked_in(claim: Claim) -> bool:
    return len(claim.days) >= MIN_DAYS and not claim.is_guess


def name_apart(name: str, root: str) -> str:
    """The name of a folder that says it is `name`, as long as nobody knows that it is."""
    digest = blake2b(root.encode("utf-8", "surrogatepass"), digest_size=3).hexdigest()
    return f"{name}{UNCONFIRMED}{digest}"


def claimed_name(name: str) -> str:
    """What a folder with a name of its own says it is; empty for every other name."""
    match = _APART.match(name)
    return match[1] if match else ""


def is_below(root: str, folders: Collection[str]) -> bool:
    """Whether a folder is one of these, or lies in one, by whatever way it is reached."""
    real = Path(os.path.realpath(root))
    return any(real.is_relative_to(os.path.realpath(folder)) for folder in folders)


def checkout_root(folder: str) -> str:
    """The checkout that a folder on this machine lies in; empty where there is none."""
    path = Path(folder)
    if not path.is_absolute():
        return ""
    for parent in (path, *path.parents):
        try:
            if (parent / ".git").exists():
                return str(parent)
        except OSError:
            return ""
    return ""


def main_checkout(root: Path) -> str:
    """The checkout whose git lists `root` as a worktree; empty where none does. That a folder points there proves
    nothing: the other one has to point back."""
    try:
        if not (root / ".git").is_file():
            return ""
        pointer = (root / ".git").read_text(encoding="utf-8", errors="replace")
        listed = root / pointer.removeprefix("gitdir:").strip()
        back = (listed / "gitdir").read_text(encoding="utf-8", errors="replace")
        git = listed.parent.parent
        is_listed = listed.parent.name == "worktrees" and git.name == ".git"
        points_back = Path(back.strip()).resolve() == (root / ".git").resolve()
        return str(git.parent.resolve()) if is_listed and points_back else ""
    except OSError:
        return ""


def may_be_own(root: str, user_home: Path) -> bool:
    """Whether a person can have put a folder there, also when it is gone: in their home, or where nobody's home is."""
    path = PurePosixPath(root)
    if path.is_relative_to(user_home):
        return True
    homes = user_home.parent
    if homes.name in NAMES_OF_HOMES and path.is_relative_to(homes):
        return False
    if not path.is_absolute() or len(path.parts) < 2 or _HOME.match(root):
        return False
    return Path(*path.parts[:2]).is_dir()
