"""scan: find the agents' sessions, read what is new or changed, and keep the catalogue true.

A folder whose files all look as they did is not looked at again; a file that grew is read from where it ended; a
database says itself which of its sessions changed. Whatever cannot be read is part of the result.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

import msgspec

from afterglow.config import Config
from afterglow.errors import AfterglowError, BusySource
from afterglow.flows.read.count_once import keep_recounted, recount_jobs
from afterglow.flows.read.kept_out import KeptOut
from afterglow.flows.read.name_places import name_places
from afterglow.flows.read.scan_worker import NO_DAMAGE, Job, Survey
from afterglow.flows.read.surveys import chunks, is_there, spread_surveys
from afterglow.flows.workers import in_use
from afterglow.records.catalog import ScanReport, Source, Trouble
from afterglow.records.engine import LOCAL, Engine
from afterglow.records.session import Mark
from afterglow.sessions.agent_homes import (
    Folder,
    Home,
    candidates,
    homes,
    in_checkout,
    single,
    walk,
)
from afterglow.sessions.remote_files import (
    check_place,
    is_remote,
    listed,
    real_path,
)
from afterglow.store.catalog import Catalog
from afterglow.store.catalog_schema import SessionRow
from afterglow.store.catalog_summary import summary
from afterglow.store.copied_calls import stored_marks
from afterglow.store.places import Places
from afterglow.text.mask import mask

MIN_BYTES_FOR_WORKERS = (
    48 << 20
)  # less than this is read here: starting workers takes longer
MAX_UNSAVED = 2000  # sessions and sources kept back before they are written
MAX_UNSAVED_SECONDS = 5.0  # after which they are written in any case
BATCH_SESSIONS = 200  # of a database in one job, so that several workers share it
SEEN = ("ok", "other", "unreadable")  # not read again until the file changes
LOOK_AGAIN = b""  # in place of a folder's digest

ScanProgress = Callable[[int, int], None]


def scan(
    config: Config,
    paths: Sequence[Path] = (),
    *,
    jobs: int = 1,
    engine: Engine = LOCAL,
    progress: ScanProgress = lambda bytes_read, total: None,
) -> ScanReport:
    """Scans `paths`, or every agent's home. Ctrl-C keeps what is done and says so in the report."""
    started = time.monotonic()
    with Catalog(config.catalog) as catalog, in_use(engine):
        work = _Work(catalog, config, jobs, engine)
        roots, missing = work.look(paths)
        interrupted = False
        try:
            work.read(progress)
        except KeyboardInterrupt:
            interrupted = True
        except AfterglowError:
            work.finish(whole=False, roots=roots)
            raise
        work.finish(whole=not interrupted, roots=roots)
        return msgspec.structs.replace(
            _report(catalog, work, roots),
            missing=missing,
            seconds=time.monotonic() - started,
            interrupted=interrupted,
        )


class _Work:
    """One scan in progress: what is to be read, and what came of it."""

    def __init__(
        self, catalog: Catalog, config: Config, processes: int, engine: Engine
    ) -> None:
        self.catalog, self.config = catalog, config
        self.processes, self.engine = processes, engine
        self.kept_out = KeptOut(config, catalog)
        self.jobs: list[Job] = []
        self.databases: dict[str, tuple[Source, bytes]] = {}
        self.digests: dict[str, bytes] = {}
        self.known_digests = catalog.folder_digests()
        self.folders: set[str] = set()
        self.files = self.read_files = self.resumed = self.unchanged = self.bytes = 0
        self.gone: list[str] = []
        self.vanished: list[
            str
        ] = []  # places that were looked for and are gone, with all that was in them
        self.gone_sessions: list[tuple[str, str]] = []
        self.problems: list[Trouble] = []
        self.sources: list[tuple[Source, bytes]] = []
        self.rows: list[SessionRow] = []
        self.replaced: list[tuple[str, list[str]]] = []
        self.changed = False
        self.saved = time.monotonic()

    def look(self, paths: Sequence[Path]) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Finds the candidate files; returns the places looked at, and those that are not there."""
        roots: list[str] = []
        for path in paths or self.config.paths:
            check_place(path)
        for place in dict.fromkeys(map(real_path, paths or self.config.paths)):
            is_looked_at = self._look_afar if is_remote(place) else self._look_at
            roots += [place] if is_looked_at(place) else []
        missing = tuple(self.vanished)
        if not paths:
            for home in homes(self.config.user_home, self.config.moved):
                root = os.path.realpath(home.root)
                if os.path.isdir(root):
                    roots.append(root)
                    self._compare(
                        candidates(msgspec.structs.replace(home, root=Path(root)))
                    )
                else:
                    self.vanished.append(root)
            for home in self._in_checkouts():
                roots.append(home.place)
                self._compare(candidates(home))
        return tuple(roots), missing

    def _look_at(self, place: str) -> bool:
        if os.path.isdir(place):
            self._compare(walk(Path(place)))
        elif os.path.isfile(place):
            self._compare([single(Path(place))])
        elif os.path.lexists(place):
            reason = "neither a file nor a folder"
            self.problems.append(Trouble(place, "busy", reason))
        else:
            self.vanished.append(place)
            return False
        return True

    def _look_afar(self, address: str) -> bool:
        """Where a store does not answer, nothing is known to be gone."""
        try:
            self._compare(listed(address))
        except FileNotFoundError:
            self.vanished.append(address)
            return False
        except (BusySource, OSError) as error:
            reason = str(error).removeprefix(f"{address}: ") or type(error).__name__
            self.problems.append(Trouble(address, "busy", mask(reason)))
            return False
        return True

    def _in_checkouts(self) -> Iterator[Home]:
        """Sessions that are kept in the repositories other sessions worked in."""
        places = Places(self.catalog).all()
        for folder in sorted({place.git_root or place.cwd for place in places}):
            if folder:
                yield from in_checkout(Path(os.path.realpath(folder)))

    def _compare(self, folders: Iterable[Folder]) -> None:
        for listing in folders:
            if listing.problem:
                self.problems.append(Trouble(listing.path, "busy", listing.problem))
                continue
            files = self.kept_out.remaining_files(listing.path, listing.files)
            self.folders.add(listing.path)
            if not files:
                continue
            folder = msgspec.structs.replace(listing, files=files)
            self.files += len(files)
            digest = hashlib.blake2b(
                repr(folder.files).encode(), digest_size=16
            ).digest()
            if self.known_digests.get(folder.path) == digest and folder.whole:
                self.unchanged += len(folder.files)
                continue
            if folder.whole:
                self.digests[folder.path] = digest
            self._compare_files(folder)

    def _compare_files(self, folder: Folder) -> None:
        sources = self.catalog.sources(folder.path)
        for name, *stamp in folder.files:
            before = sources.pop(name, None)
            if (
                before
                and [before.size, before.mtime_ns, before.inode] == stamp
                and before.state in SEEN
            ):
                self.unchanged += 1
            else:
                self.jobs.append(self._job(f"{folder.path}/{name}", before, *stamp))
        if folder.whole:
            self._miss(sources.values())

    def _job(
        self, path: str, before: Source | None, size: int, mtime_ns: int, inode: int
    ) -> Job:
        """Reads on where the file has grown since it was read, else from the top."""
        if (
            before
            and before.state == "ok"
            and before.inode == inode
            and 0 < before.offset <= size
        ):
            resume = self.catalog.resume(path)
            if resume:
                mark = Mark(before.offset, before.line, before.check, before.message)
                copied, marks = stored_marks(self.catalog, path)
                grown = Job(path, size, mtime_ns, inode, before.format, mark, resume)
                return msgspec.structs.replace(
                    grown, again=True, copied=copied, marks=marks
                )
        return Job(path, size, mtime_ns, inode, again=before is not None)

    def _miss(self, sources: Iterable[Source]) -> None:
        """What was there and is not any more."""
        self.gone += [
            source.path
            for source in sources
            if source.state != "gone" and not is_there(source.path)
        ]

    def read(self, progress: ScanProgress) -> None:
        """Reads everything that is to be read, biggest first, and saves as it goes."""
        self.jobs.sort(key=lambda job: -job.size)
        total = sum(job.size for job in self.jobs)
        waiting = deque(chunks(self.jobs))
        for chunk, surveys in self._surveys(waiting, total):
            self._keep(chunk, surveys, waiting)
            progress(self.bytes, total)

    def _surveys(
        self, waiting: deque[list[Job]], total: int
    ) -> Iterator[tuple[list[Job], list[Survey]]]:
        is_little = self.engine.is_local and total <= MIN_BYTES_FOR_WORKERS
        processes = 1 if is_little else self.processes
        return spread_surveys(waiting, processes, self.engine)

    def _keep(
        self, jobs: list[Job], surveys: list[Survey], waiting: deque[list[Job]]
    ) -> None:
        """Takes in what a chunk of work found; a database found by it becomes more work."""
        self.changed = True
        for job, survey_ in zip(jobs, surveys, strict=True):
            rows = self.kept_out.remaining(survey_)
            is_excluded = bool(survey_.rows) and not rows
            surveyed = msgspec.structs.replace(survey_, rows=rows)
            source = surveyed.source
            if source.state == "busy" or is_excluded:
                self.digests[source.path.rpartition("/")[0]] = LOOK_AGAIN
            if surveyed.stamps is not None:
                self.databases[source.path] = (source, surveyed.damage)
                waiting.extend(self._batches(source, surveyed.stamps))
            elif job.only is not None:
                waiting.extend(self._keep_batch(job, surveyed))
            elif not is_excluded:
                self._keep_file(job, surveyed)
            self.bytes += 0 if job.only else source.size
            self.rows += surveyed.rows
        many = len(self.sources) + len(self.rows) >= MAX_UNSAVED
        if many or time.monotonic() - self.saved > MAX_UNSAVED_SECONDS:
            self.save()

    def _keep_batch(self, job: Job, surveyed: Survey) -> Iterator[list[Job]]:
        """Some sessions of a database. Where they cannot be read together, each is read alone: one may be broken."""
        source, only = surveyed.source, job.only or {}
        if source.state == "unreadable" and len(only) > 1:
            for id, stamp in only.items():
                yield [msgspec.structs.replace(job, only={id: stamp})]
        elif source.state != "ok" or surveyed.damage != NO_DAMAGE:
            self.databases[source.path] = (source, surveyed.damage)

    def _keep_file(self, job: Job, surveyed: Survey) -> None:
        source = surveyed.source
        self.sources.append((source, surveyed.damage))
        self.read_files += 1
        self.resumed += surveyed.resumed
        read_anew = job.again and not surveyed.resumed
        if read_anew and source.state == "ok":
            self.replaced.append((source.path, [row.id for row in surveyed.rows]))

    def save(self) -> None:
        self.catalog.save(self.sources, self.rows)
        for source, ids in self.replaced:
            self.catalog.drop_others(source, ids)
        self.sources, self.rows, self.replaced = [], [], []
        self.saved = time.monotonic()

    def _batches(self, source: Source, stamps: dict[str, str]) -> Iterator[list[Job]]:
        """The sessions of a database that are new or changed, some at a time."""
        known_stamps = self.catalog.stamps(source.path)
        readable = self.kept_out.remaining_stamps(source.path, stamps)
        self.gone_sessions += [
            (source.path, id) for id in known_stamps.keys() - stamps.keys()
        ]
        fresh = [
            (id, stamp)
            for id, stamp in readable.items()
            if known_stamps.get(id) != stamp
        ]
        # What has to be fetched is fetched once.
        at_once = max(len(fresh), 1) if is_remote(source.path) else BATCH_SESSIONS
        for start in range(0, len(fresh), at_once):
            only = dict(fresh[start : start + at_once])
            yield [
                Job(
                    source.path,
                    source.size,
                    source.mtime_ns,
                    source.inode,
                    source.format,
                    only=only,
                )
            ]

    def finish(self, *, whole: bool, roots: Sequence[str]) -> None:
        """What only the end of a scan can say: what is gone, which repo is which, what need not be looked at again."""
        catalog = self.catalog
        if whole:
            self.sources += self.databases.values()
        if self.sources or self.rows:
            self.save()
        if whole:
            self.read_files += len(self.databases)
            self._forget_vanished(roots)
        naming = name_places(catalog, self.config)
        if self.changed:
            self._count_once()
            catalog.mark_copies()
        if self.changed or self.digests:
            catalog.finish(self.digests if whole else {}, {"naming": naming})

    def _count_once(self) -> None:
        """What a session copied from another counts there."""
        jobs = recount_jobs(self.catalog)
        total = sum(job.size for job in jobs)
        for chunk, surveys in self._surveys(deque(chunks(jobs)), total):
            keep_recounted(self.catalog, self.kept_out, chunk, surveys)

    def _forget_vanished(self, roots: Sequence[str]) -> None:
        """Folders that were there before, below the places looked at, and were not met now."""
        places = (*roots, *self.vanished)
        below_places = tuple(f"{place}/" for place in places)
        for path in self.known_digests.keys() - self.folders:
            if path in places or path.startswith(below_places):
                self._miss(self.catalog.sources(path).values())
        if self.gone or self.gone_sessions:
            self.catalog.mark_gone(self.gone, self.gone_sessions)
            self.changed = True


def _report(catalog: Catalog, work: _Work, roots: Sequence[str]) -> ScanReport:
    counted = summary(catalog, roots)
    return ScanReport(
        roots=tuple(roots),
        files=work.files,
        read=work.read_files,
        resumed=work.resumed,
        unchanged=work.unchanged,
        not_sessions=counted.not_sessions,
        gone=len(work.gone),
        kept_out=work.kept_out.count,
        bytes=work.bytes,
        sessions=sum(agent.sessions for agent in counted.agents),
        empty=sum(agent.empty for agent in counted.agents),
        copies=counted.copies,
        agents=counted.agents,
        repos=counted.repos,
        damaged=counted.damaged,
        damaged_files=counted.damaged_files,
        troubles=(*work.problems, *counted.troubles),
    )
