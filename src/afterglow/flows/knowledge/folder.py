"""export, import, sync: the knowledge as a folder, and what people and other stores say there.

A sync first brings what the folder says into the store, and once nothing is left to bring, writes the folder. The
store's transaction is the lock: of two syncs one waits. Killed at any moment, the next one ends where this one would have.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Mapping
from hashlib import blake2b
from pathlib import Path

from msgspec import Struct

from afterglow.config import Config, environment
from afterglow.errors import NotFound, StoreError, UnreadableSource, UsageError
from afterglow.flows.supersession import resolve_decisions
from afterglow.harvest.screen import danger as order_to_agents
from afterglow.records.knowledge import KnowledgeItem, Status
from afterglow.store.folder.authors import Authors, GitAuthors, NoAuthors
from afterglow.store.folder.entries import Entry, Index, decode, item_of
from afterglow.store.folder.files import (
    INDEX,
    Moved,
    Seen,
    Written,
    look,
    replace_file,
    write,
)
from afterglow.store.folder.importing import Clean, Danger, Skipped, names_of, take_in
from afterglow.store.folder.markdown import Page
from afterglow.store.folder.plan import (
    Conflict,
    Deleted,
    Deletions,
    Plan,
    Proposal,
    Screen,
    Take,
    Terms,
    Trouble,
)
from afterglow.store.folder.reconcile import reconcile
from afterglow.store.knowledge import Knowledge

MAX_ROUNDS = 20  # a person may save a file while we look, but hardly more often
SYNC = "sync"  # who changed it, where no person here said so


class Exported(Struct, frozen=True, rename={"untouched": "kept"}):
    """What an export wrote. `untouched` bullets of somebody else's items stay as they stand."""

    folder: str
    items: int
    written: tuple[str, ...]
    removed: tuple[str, ...]
    untouched: int = 0
    notes: tuple[str, ...] = ()


class Synced(Struct, frozen=True, kw_only=True):
    """What a sync brought into the store, wrote into the folder, and could not decide."""

    folder: str
    items: int = 0
    created: tuple[str, ...] = ()
    edited: tuple[str, ...] = ()
    retired: tuple[str, ...] = ()
    written: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    conflicts: tuple[Conflict, ...] = ()
    proposals: tuple[Proposal, ...] = ()
    deleted: tuple[Deleted, ...] = ()
    troubles: tuple[Trouble, ...] = ()
    unknown: tuple[str, ...] = ()
    waiting: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    dry_run: bool = False

    @property
    def open(self) -> bool:
        """Whether something waits for a person."""
        waits = self.conflicts or self.deleted or self.troubles or self.proposals
        return bool(waits)


class Imported(Struct, frozen=True, kw_only=True):
    """What an import brought, what it left out and why, what was taken out of the texts, and the words of each."""

    source: str
    created: tuple[str, ...] = ()
    merged: tuple[str, ...] = ()
    quarantined: tuple[str, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    redacted: dict[str, int] = {}
    proposals: tuple[Proposal, ...] = ()
    trusted: bool = False
    dry_run: bool = False


def export(
    config: Config,
    folder: Path | None = None,
    *,
    statuses: Iterable[Status] = ("active",),
    force: bool = False,
) -> Exported:
    """Writes the folder. One that holds edits which are not in the store yet is not overwritten, unless `force`d."""
    folder = folder or default_folder(config)
    with Knowledge(config.knowledge) as knowledge:
        for _ in range(MAX_ROUNDS):
            with knowledge.transaction():
                current = _forced(folder) if force else look(folder)
                terms = Terms(statuses=tuple(statuses), deletions="report")
                plan = _plan(
                    knowledge,
                    config,
                    folder,
                    current,
                    terms,
                    lambda words: (words, ""),
                    NoAuthors(),
                )
                waiting = (plan.saves, plan.conflicts, plan.deleted, plan.troubles)
                edits = sum(map(len, waiting))
                if edits and not force:
                    raise UsageError(
                        f"{folder} holds {edits} edits the store does not have; `afterglow knowledge sync` brings them "
                        "in, --force overwrites them"
                    )
                try:
                    written = _write(knowledge, config, folder, current, plan, terms)
                except Moved:
                    continue
                untouched = len(plan.unknown) + len(plan.waiting)
                return Exported(
                    str(folder),
                    len(plan.index),
                    written.written,
                    written.removed,
                    untouched,
                    tuple(plan.notes),
                )
    raise _busy(folder)


def sync(
    config: Config,
    folder: Path | None = None,
    *,
    take: Take = "",
    deletions: Deletions = "report",
    mine: bool = False,
    trusted: bool = False,
    dry_run: bool = False,
    clean: Clean | None = None,
    danger: Danger = order_to_agents,
    now: float | None = None,
) -> Synced:
    """Brings a person's edits into the store and the store's changes into the folder. What was changed on both sides,
    and bullets that were deleted, wait for a word of the person: `take`, `deletions`. A change counts as a person's if
    one of the listed signers signed it, or they say that it is theirs (`mine`) and git does not show that it was made
    elsewhere; any other becomes a candidate."""
    folder = folder or default_folder(config)
    now = time.time() if now is None else now
    screen = _screen(clean or redaction(config), danger, trusted)
    authors = GitAuthors(folder, config.signers, environment(config))
    created, edited, retired = dict[str, None](), dict[str, None](), dict[str, None]()
    with Knowledge(config.knowledge) as knowledge:
        for _ in range(MAX_ROUNDS):
            with knowledge.transaction():
                current = look(folder)
                if current.empty:
                    raise NotFound(
                        f"{folder} holds no knowledge; `afterglow knowledge export {folder}` writes it"
                    )
                statuses = _statuses(knowledge, config, folder, current)
                terms = Terms(statuses, take, deletions, now, mine)
                plan = _plan(knowledge, config, folder, current, terms, screen, authors)
                for ids, more in (
                    (created, plan.created),
                    (edited, plan.edited),
                    (retired, plan.retired),
                ):
                    ids.update(dict.fromkeys(more))
                if plan.saves and not dry_run:
                    _save(knowledge, plan, config.person if mine else SYNC, now)
                    continue
                try:
                    written = (
                        Written((), ())
                        if dry_run
                        else _write(knowledge, config, folder, current, plan, terms)
                    )
                except Moved:
                    continue
                return Synced(
                    folder=str(folder),
                    items=len(plan.index),
                    created=tuple(created),
                    edited=tuple(edited),
                    retired=tuple(retired),
                    written=written.written,
                    removed=written.removed,
                    conflicts=tuple(plan.conflicts),
                    proposals=tuple(plan.proposals),
                    deleted=tuple(plan.deleted),
                    troubles=tuple(plan.troubles),
                    unknown=tuple(plan.unknown),
                    waiting=tuple(plan.waiting),
                    notes=tuple(plan.notes),
                    dry_run=dry_run,
                )
    raise _busy(folder)


def import_(
    config: Config,
    source: Path,
    *,
    trusted: bool = False,
    dry_run: bool = False,
    clean: Clean | None = None,
    danger: Danger = order_to_agents,
    now: float | None = None,
) -> Imported:
    """Takes in the items of an index.json, or of a folder that has one: all that can be taken, or nothing at all."""
    path = source / INDEX if source.is_dir() else source
    if not path.is_file():
        raise NotFound(
            f"{path} is not there; give an {INDEX}, or a folder that `afterglow knowledge export` wrote"
        )
    try:
        index = decode(path.read_bytes(), str(path))
    except OSError as error:
        raise UnreadableSource(f"{path}: {error.strerror}") from error
    theirs = [item_of(entry) for entry in index.facts]
    with Knowledge(config.knowledge) as knowledge, knowledge.transaction():
        ours = knowledge.find(item.id for item in theirs)
        buried = knowledge.buried(name for item in theirs for name in names_of(item))
        clean = clean or redaction(config)
        changes = take_in(
            theirs, ours, buried, trusted=trusted, clean=clean, danger=danger
        )
        if not dry_run:
            knowledge.save(
                changes.saves, by="import", now=time.time() if now is None else now
            )
    return Imported(
        source=str(path),
        created=tuple(changes.created),
        merged=tuple(changes.merged),
        quarantined=tuple(changes.quarantined),
        skipped=tuple(changes.skipped),
        redacted=dict(changes.redacted),
        proposals=tuple(_brought(item, ours.get(item.id)) for item in changes.saves),
        trusted=trusted,
        dry_run=dry_run,
    )


def _brought(item: KnowledgeItem, before: KnowledgeItem | None) -> Proposal:
    return Proposal(
        id=item.id,
        where=item.status,
        by="",
        sign="untold",
        after=item.fact,
        before=before.fact if before else "",
        item=item.id if before else "",
    )


def default_folder(config: Config) -> Path:
    return config.home / "knowledge"


def _plan(
    knowledge: Knowledge,
    config: Config,
    folder: Path,
    current: Seen,
    terms: Terms,
    screen: Screen,
    authors: Authors,
) -> Plan:
    items: dict[str, KnowledgeItem] = {
        item.id: item for item in knowledge.items(evidence=True)
    }
    return reconcile(
        current,
        _agreed(knowledge, config, folder),
        items,
        knowledge.buried,
        terms,
        screen,
        authors,
    )


def _save(knowledge: Knowledge, plan: Plan, by: str, now: float) -> None:
    """What was proposed is nobody's here, whoever says that the rest is theirs."""
    proposed = {proposal.id for proposal in plan.proposals}
    for id, item in plan.saves.items():
        knowledge.save([item], by=SYNC if id in proposed else by, now=now)
    resolve_decisions(knowledge, by=by, now=now)


def _write(
    knowledge: Knowledge,
    config: Config,
    folder: Path,
    current: Seen,
    plan: Plan,
    terms: Terms,
) -> Written:
    index, agreed = plan.encoded(terms.statuses)
    written = write(folder, current, plan.pages, index)
    path = _memory(knowledge, config, folder)
    if not path.exists() or path.read_bytes() != agreed:
        replace_file(path, agreed)
    return written


def _agreed(
    knowledge: Knowledge, config: Config, folder: Path
) -> Mapping[str, Entry] | None:
    """What this store and this folder last agreed on, item by item."""
    index = _agreed_index(knowledge, config, folder)
    return None if index is None else {entry.id: entry for entry in index.facts}


def _statuses(
    knowledge: Knowledge, config: Config, folder: Path, current: Seen
) -> tuple[Status, ...]:
    """Which items the folder shows: as it was last exported here, whatever a pull says."""
    index = _agreed_index(knowledge, config, folder) or current.index
    return index.statuses if index else ("active",)


def _agreed_index(knowledge: Knowledge, config: Config, folder: Path) -> Index | None:
    """It is kept beside the store and not only in the folder: there git brings other people's index.json."""
    path = _memory(knowledge, config, folder)
    if not path.exists():
        return None
    try:
        return decode(path.read_bytes(), str(path))
    except UnreadableSource:  # index.json stands in for it
        return None


def _memory(knowledge: Knowledge, config: Config, folder: Path) -> Path:
    name = f"{knowledge.identity}\0{os.path.realpath(folder)}"
    return (
        config.home
        / "folders"
        / f"{blake2b(name.encode('utf-8', 'surrogateescape'), digest_size=8).hexdigest()}.json"
    )


def _forced(folder: Path) -> Seen:
    """A folder as if nobody had touched it: what is ours in it will be written anew."""
    try:
        current = look(folder)
    except UnreadableSource:
        current = Seen(None, {}, {}, {INDEX: (folder / INDEX).read_bytes()})
    pages = {
        path: Page() if page.ours else page for path, page in current.pages.items()
    }
    return Seen(None, pages, current.places, current.bytes, current.strangers)


def _screen(clean: Clean, danger: Danger, trusted: bool) -> Screen:
    """What a person writes is theirs, but it may still hold a secret, or something pasted that gives orders."""
    return lambda words: (clean(words)[0], "" if trusted else danger(words, "user"))


def redaction(config: Config) -> Clean:
    from afterglow.flows.redactor import redactor_of

    redactor = redactor_of(config)

    def clean(text: str) -> tuple[str, dict[str, int]]:
        redacted = redactor.redact(text)
        return redacted.text, dict(redacted.counts)

    return clean


def _busy(folder: Path) -> StoreError:
    return StoreError(
        f"{folder} is being changed all the time; try again when it is at rest"
    )
