"""Which repository each place of the catalogue is, and which folders are believed: named by a scan, confirmed by a person."""

from __future__ import annotations

from pathlib import Path

import msgspec
from msgspec import Struct

from afterglow.config import Config
from afterglow.errors import NotFound
from afterglow.sessions.checkouts import (
    checkout_root,
    claimed_name,
    is_below,
)
from afterglow.sessions.repos import name_repos
from afterglow.store.catalog import Catalog
from afterglow.store.known_checkouts import known_checkouts
from afterglow.store.places import Places
from afterglow.store.trusted_folders import (
    distrust_folder,
    trust_folder,
    trusted_folders,
)

NAMING = 2  # raised when places would be named otherwise


class RepoFolder(Struct, frozen=True):
    """A folder that sessions worked in. `claims` is what it says it is, where nobody knows that: until it is `trusted`
    or was worked in on several days it has a name of its own."""

    folder: str
    repo: str
    by: str
    claims: str = ""
    trusted: bool = False


class RepoFolders(Struct, frozen=True):
    """All of them, and the folders that a person trusts."""

    folders: tuple[RepoFolder, ...]
    trusted: tuple[str, ...] = ()


def name_places(catalog: Catalog, config: Config) -> str:
    """Names places where there is anything new to name them by; what they are named by now."""
    places, aliases = Places(catalog), config.aliases
    trusted = trusted_folders(config.home)
    rules = [NAMING, aliases, trusted]
    naming = msgspec.json.encode(rules, order="sorted").decode()
    if places.unnamed() or catalog.fact("naming") != naming:
        names = name_repos(
            places.all(),
            aliases,
            uses=places.uses(),
            trusted=trusted,
            user_home=config.user_home,
        )
        places.name_repos(names)
    return naming


def repo_folders(config: Config) -> RepoFolders:
    """Those whose claim waits for a person first."""
    trusted = trusted_folders(config.home)
    folders = [
        RepoFolder(
            folder,
            repo,
            by,
            _claim(repo, by),
            bool(folder) and is_below(folder, trusted),
        )
        for folder, repo, by in known_checkouts(config.catalog)
        if repo
    ]
    folders.sort(key=lambda folder: (not folder.claims, folder.repo, folder.folder))
    return RepoFolders(tuple(folders), tuple(trusted))


def _claim(repo: str, by: str) -> str:
    return claimed_name(repo) if by == "unconfirmed" else ""


def trust_repo(config: Config, folder: Path) -> RepoFolders:
    """A person says that a folder, and what lies in it, is theirs: what it says it is holds from now on."""
    path = folder.expanduser().resolve()
    folders = (name for name, _, _ in known_checkouts(config.catalog))
    is_known = any(is_below(name, [str(path)]) for name in folders if name)
    if not path.is_dir() and not is_known:
        raise NotFound(
            f"{path} is no folder; give the checkout, or a folder of checkouts"
        )
    trust_folder(config.home, checkout_root(str(path)) or str(path))
    return _renamed(config)


def distrust_repo(config: Config, folder: Path) -> RepoFolders:
    """Takes that back; it may be gone by now."""
    path = str(folder.expanduser().resolve())
    if not distrust_folder(config.home, path):
        trusted = ", ".join(trusted_folders(config.home)) or "none is"
        raise NotFound(f"{path} is not trusted; trusted: {trusted}")
    return _renamed(config)


def _renamed(config: Config) -> RepoFolders:
    if config.catalog.exists():
        with Catalog(config.catalog) as catalog:
            catalog.finish({}, {"naming": name_places(catalog, config)})
    return repo_folders(config)
