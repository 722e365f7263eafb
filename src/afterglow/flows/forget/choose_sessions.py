"""Which sessions are to be forgotten: those named or selected, their copies, and their sub-agents."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path

from msgspec import Struct

from afterglow.config import Config
from afterglow.errors import NotFound, UsageError
from afterglow.records.catalog import Entry
from afterglow.records.forgetting import DoomedSession
from afterglow.records.selection import Selection
from afterglow.sessions.exclusions import Exclusions
from afterglow.sessions.remote_files import real_path
from afterglow.sessions.repos import Place
from afterglow.store.catalog import Catalog

MAX_EXAMPLES = 5  # of sessions that a name fits


class Choice(Struct, frozen=True, kw_only=True):
    """What a person asked for: sessions by id, the beginning of one, or file; or all that fit every one of the others:
    repository, folders (of the work or of the file), ended since and before, transcript gone, place excluded."""

    names: tuple[str, ...] = ()
    repo: str | None = None
    paths: tuple[Path, ...] = ()
    since: float | None = None
    until: float | None = None
    without_transcript: bool = False
    excluded: bool = False

    @property
    def is_empty(self) -> bool:
        return self == Choice()


def choose(config: Config, choice: Choice) -> list[Entry]:
    """Raises where nothing was said: everything is not forgotten by accident."""
    if choice.is_empty:
        raise UsageError(
            "say what to forget: a session's id or file, --repo, --path, --since or --until, --gone, --excluded, or "
            "--item; `afterglow sessions list` shows sessions"
        )
    with Catalog(config.catalog) as catalog:
        entries = catalog.entries(Selection(repo=choice.repo), all=True)
        every = entries if choice.repo is None else catalog.entries(all=True)
    if choice.names:
        named = [entry for name in choice.names for entry in _named(every, name)]
        keys = {entry.key for entry in named}
        entries = [entry for entry in entries if entry.key in keys]
    fitting = [entry for entry in entries if _fits(config, choice, entry)]
    return with_kin(fitting, every)


def _named(entries: Sequence[Entry], name: str) -> list[Entry]:
    path = real_path(name)
    exact = [entry for entry in entries if entry.id == name or entry.source == path]
    if exact:
        return exact
    alike = [entry for entry in entries if name and entry.id.startswith(name)]
    ids = sorted({entry.id for entry in alike})
    if len(ids) > 1:
        few = ", ".join(ids[:MAX_EXAMPLES])
        raise NotFound(f"{name!r} fits {len(ids)} sessions: {few}; say more of the id")
    if not alike:
        raise NotFound(
            f"no session {name!r}; `afterglow sessions list --all` shows what there is. One that was forgotten is not "
            "in it any more"
        )
    return alike


def _fits(config: Config, choice: Choice, entry: Entry) -> bool:
    ended = entry.end if entry.end is not None else entry.start
    if choice.since is not None and (ended is None or ended < choice.since):
        return False
    if choice.until is not None and (ended is None or ended >= choice.until):
        return False
    if choice.without_transcript and not entry.gone:
        return False
    if choice.paths and not _lies_below(entry, choice.paths):
        return False
    return not choice.excluded or is_excluded(
        Exclusions(config.privacy.exclude, config.aliases), entry
    )


def _lies_below(entry: Entry, paths: Iterable[Path]) -> bool:
    places = Exclusions([real_path(path) for path in paths])
    return places.has_path(entry.cwd) or places.has_path(entry.source)


def is_excluded(exclusions: Exclusions, entry: Entry) -> bool:
    """By its file, its folder, or the name of its repository."""
    return (
        exclusions.has_path(entry.source)
        or exclusions.has_repo(entry.repo)
        or exclusions.has_place(Place(cwd=entry.cwd))
    )


def with_kin(chosen: Iterable[Entry], every: Iterable[Entry]) -> list[Entry]:
    """With the copies of each, the sub-agents it had, and theirs."""
    listed = list(every)
    keys = {entry.key for entry in chosen}
    while True:
        same = {_identity(entry) for entry in listed if entry.key in keys}
        names = {(entry.agent, entry.id) for entry in listed if entry.key in keys}
        more = {
            entry.key
            for entry in listed
            if _identity(entry) in same
            or (entry.parent and (entry.agent, entry.parent) in names)
        }
        if more <= keys:
            return [entry for entry in listed if entry.key in keys]
        keys |= more


def _identity(entry: Entry) -> tuple[str, str, float | None]:
    return entry.agent, entry.id, entry.start


def ambiguous_names(
    config: Config, sessions: Collection[DoomedSession]
) -> set[tuple[str, str]]:
    """Names that sessions which stay have too: ids of some agents are just names of files."""
    doomed_keys = {session.key for session in sessions}
    with Catalog(config.catalog) as catalog:
        rest = Counter(
            (entry.agent, entry.id)
            for entry in catalog.entries(all=True)
            if entry.key not in doomed_keys
        )
    names = {(session.agent, session.id) for session in sessions}
    return {name for name in names if rest[name]}


def doomed(entry: Entry) -> DoomedSession:
    return DoomedSession(
        agent=entry.agent,
        id=entry.id,
        source=entry.source,
        start=entry.start,
        end=entry.end,
        repo=entry.repo,
        parent=entry.parent,
        key=entry.key,
    )
