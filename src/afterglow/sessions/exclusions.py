"""Which places a person has excluded: folders, by their path or a pattern of it, and repositories by name or pattern.

An entry that begins like a path (`/`, `~`, `.`, `s3://`) is a folder with all that lies below it, wherever a session's
file or its work is; any other is the name of a repository, with or without its owner.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from hashlib import blake2b
from pathlib import PurePath

from afterglow.sessions.remote_files import is_remote
from afterglow.sessions.repos import Place, name_repos

_PATH = re.compile(r"[/~.\\]|[A-Za-z]:[\\/]|\w+://")
_GLOB = re.compile(r"[*?\[]")


class Exclusions:
    """The entries of `[privacy] exclude`; `aliases` are those by which repositories get their names."""

    def __init__(
        self, entries: Iterable[str], aliases: Mapping[str, str] | None = None
    ) -> None:
        listed = [entry.strip() for entry in entries]
        self._folders = [
            _real(os.path.expanduser(entry)) for entry in listed if _PATH.match(entry)
        ]
        self._repos = [entry for entry in listed if not _PATH.match(entry)]
        self._aliases = aliases or {}
        self._known_places: dict[Place, bool] = {}
        self.mark = blake2b(
            "\0".join([*self._folders, "", *self._repos]).encode("utf-8", "replace"),
            digest_size=8,
        ).hexdigest()

    def __bool__(self) -> bool:
        return bool(self._folders or self._repos)

    def has_path(self, path: str) -> bool:
        """A file or folder that is, or lies below, an excluded one."""
        if not self._folders or not path:
            return False
        folders = [str(PurePath(path)), *map(str, PurePath(path).parents)]
        return any(
            fnmatchcase(folder, pattern)
            for pattern in self._folders
            for folder in folders
        )

    def has_repo(self, repo: str) -> bool:
        names = {repo, repo.rpartition("/")[2]} - {""}
        return any(
            fnmatchcase(name, pattern) for pattern in self._repos for name in names
        )

    def has_place(self, place: Place) -> bool:
        """Where a session worked, by its folders and by the repository they belong to."""
        if place not in self._known_places:
            self._known_places[place] = self._has_place(place)
        return self._known_places[place]

    def _has_place(self, place: Place) -> bool:
        if self.has_path(place.cwd) or self.has_path(place.git_root):
            return True
        if not self._repos:
            return False
        return self.has_repo(name_repos([place], self._aliases)[place].name)


def _real(path: str) -> str:
    """Links are followed, as a scan does; not in a pattern, which is no path."""
    plain = path.rstrip("/") or path
    if _GLOB.search(plain) or is_remote(plain):
        return str(PurePath(plain))
    return os.path.realpath(plain)
