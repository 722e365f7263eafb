"""Mining many sources: which are new or changed, cut into pieces, spread over workers, and what came of them kept."""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from hashlib import blake2b
from pathlib import Path

from afterglow.config import Config
from afterglow.flows.harvest.worker import (
    MinedSource,
    SessionJob,
    SourceJob,
    mine_sources,
    prepare,
)
from afterglow.flows.workers import spread
from afterglow.harvest.pipeline import version
from afterglow.records.catalog import Entry, state
from afterglow.records.engine import LOCAL, Engine
from afterglow.records.knowledge import Finding
from afterglow.records.selection import Selection
from afterglow.sessions.remote_files import is_remote
from afterglow.store.catalog import Catalog
from afterglow.store.findings import Findings, Mined, unpacked

MAX_BATCH_BYTES = 4 << 20  # a worker hands over several times a second
SMALL = 32 << 20  # less than this is mined here: starting workers would take longer
MAX_BATCH_SESSIONS = (
    100  # of one source in one piece of work: a database holds thousands
)

Progress = Callable[[int, int], None]


def mine_into_catalog(
    config: Config,
    catalog: Catalog,
    entries: Iterable[Entry],
    *,
    jobs: int = 1,
    progress: Progress,
) -> list[tuple[str, str]]:
    """Mines those sessions that are new or changed, and leaves merging to the next harvest. Returns the sources that
    could not be mined, and why."""
    findings = Findings(catalog)
    mining = Mining(findings, dry=False)
    mining.run(list(source_jobs(config, entries, findings.checks())), jobs, progress)
    return mining.troubles


class Mining:
    """Sources are mined and their findings saved; counts of what came of it. A dry one keeps its findings to itself."""

    def __init__(self, findings: Findings, *, dry: bool) -> None:
        self.findings, self.dry = findings, dry
        self.mined = self.stumbled = self.bytes = 0
        self.repos: set[str] = set()  # of what was mined
        self.counts: Counter[str] = Counter()
        self.redacted: Counter[str] = Counter()
        self.troubles: list[tuple[str, str]] = []
        self.by_topic: dict[str, list[Finding]] = defaultdict(list)

    def run(
        self,
        jobs: list[SourceJob],
        processes: int,
        progress: Progress,
        engine: Engine = LOCAL,
    ) -> None:
        total = sum(job.size for job in jobs)
        waiting = deque(batches(jobs))
        if engine.is_local and total <= SMALL:
            processes = 1
        elif engine.is_local and processes > 1:
            prepare(jobs[0])
        pieces = spread(mine_sources, waiting, processes, engine=engine, lost=_lost)
        for batch, results in pieces:
            for job, result in zip(batch, results, strict=True):
                self._count(job, result)
            self._save(batch, results)
            progress(self.bytes, total)

    def _count(self, job: SourceJob, result: MinedSource) -> None:
        self.bytes += job.size
        self.mined += len(result.mined)
        if result.mined:
            self.repos.update(session.repo for session in job.sessions)
        self.stumbled += len(result.stumbles)
        self.counts.update(result.findings)
        self.redacted.update(result.redacted)
        if result.trouble:
            self.troubles.append((job.path, result.trouble))
        ids = {session.key: session.id for session in job.sessions}
        for key, reason in result.stumbles.items():
            self.troubles.append((job.path, f"session {ids[key]}: {reason}"))

    def _save(self, batch: list[SourceJob], results: list[MinedSource]) -> None:
        rows: list[Mined] = []
        stumbles: dict[int, str] = {}
        for result in results:
            rows += result.mined
            stumbles |= result.stumbles
        if self.dry:
            for finding in unpacked(rows):
                self.by_topic[finding.topic].append(finding)
            return
        self.findings.save(rows)
        tried = {session.key for job in batch for session in job.sessions}
        self.findings.note_stumbles(tried, stumbles)

    def of_topics(self, topics: Iterable[str]) -> dict[str, list[Finding]]:
        return {
            topic: self.by_topic[topic] for topic in topics if topic in self.by_topic
        }


def _lost(batch: list[SourceJob], why: str) -> list[MinedSource]:
    """In place of what nobody could mine to its end: tried again by the next harvest."""
    return [MinedSource(trouble=why) for _ in batch]


def source_jobs(
    config: Config, entries: Iterable[Entry], checks: Mapping[int, bytes]
) -> Iterator[SourceJob]:
    """The sources with something to mine, those of a database in batches. A session that looks as `checks` says it
    did when it was mined is left out."""
    rules = version()
    by_source: dict[tuple[str, str, int], list[SessionJob]] = defaultdict(list)
    for entry in entries:
        check = _check(entry, rules)
        if checks.get(entry.key) != check:
            by_source[entry.source, entry.format, entry.copied].append(
                SessionJob(entry.key, entry.id, entry.repo, check)
            )
    sizes = _remote_sizes(config, {path for path, _, _ in by_source})
    for (path, format, copied), sessions in sorted(by_source.items()):
        size = sizes[path] if path in sizes else _size_here(Path(path))
        # What has to be fetched is fetched once.
        at_once = len(sessions) if path in sizes else MAX_BATCH_SESSIONS
        for start in range(0, len(sessions), at_once):
            batch = tuple(sessions[start : start + at_once])
            share = size * len(batch) // len(sessions)
            yield SourceJob(
                path, format, share, batch, config.names, str(config.cache), copied
            )


def _size_here(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def _remote_sizes(config: Config, paths: Collection[str]) -> dict[str, int]:
    """Of what lies elsewhere, as the last scan saw it."""
    remote = sorted(filter(is_remote, paths))
    if not remote:
        return {}
    sizes = dict.fromkeys(remote, 0)
    with Catalog(config.catalog) as catalog:
        for folder in sorted({path.rpartition("/")[0] for path in remote}):
            for source in catalog.sources(folder).values():
                if source.path in sizes:
                    sizes[source.path] = source.size
    return sizes


def outdated(
    catalog: Catalog, named: Collection[Entry], checks: Mapping[int, bytes], now: float
) -> list[Entry]:
    """What was mined before in the same repositories and looks otherwise now. Where a checkout got a remote, all its
    sessions have another name: without them, what is known under the old one would be lost from sight."""
    rules = version()
    named_keys = {entry.key for entry in named}
    repos = {entry.repo for entry in named} - {""}
    outdated: list[Entry] = []
    for repo in sorted(repos):
        for entry in catalog.entries(Selection(repo=repo)):
            if entry.repo != repo or entry.key in named_keys:
                continue
            was_mined = entry.key in checks and state(entry, now) != "active"
            if was_mined and checks[entry.key] != _check(entry, rules):
                outdated.append(entry)
    return outdated


def _check(entry: Entry, rules: str) -> bytes:
    """What a session looks like: it is mined again when this changes."""
    looks = (
        entry.messages,
        entry.calls,
        entry.failed,
        entry.end,
        entry.ending,
        entry.repo,
        entry.copied,
        rules,
    )
    return blake2b(
        repr(looks).encode("utf-8", "surrogatepass"), digest_size=12
    ).digest()


def batches(jobs: Iterable[SourceJob]) -> Iterator[list[SourceJob]]:
    """Biggest first, so that the last worker is not left with the longest piece."""
    batch: list[SourceJob] = []
    size = 0
    for job in sorted(jobs, key=lambda job: -job.size):
        batch.append(job)
        size += job.size
        if size >= MAX_BATCH_BYTES or len(batch) >= MAX_BATCH_SESSIONS:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch
