"""harvest: mine the sessions that are new or changed, and merge what they taught into knowledge.

Mining a session depends on that session alone, so it is done once and kept in the catalogue. Merging goes topic by
topic, in short transactions: whatever is committed stays, whatever is not is still pending when harvest runs again.
"""

from __future__ import annotations

import time
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from hashlib import blake2b
from pathlib import Path

import msgspec

from afterglow.config import Config
from afterglow.errors import NotFound
from afterglow.flows.harvest.keep_lessons import corroborate
from afterglow.flows.harvest.merge_topics import Merging
from afterglow.flows.harvest.worker import Haul, Lode, Wanted, dig
from afterglow.flows.read import scan
from afterglow.flows.workers import spread
from afterglow.harvest import MINERS
from afterglow.harvest.pipeline import WORDING, version
from afterglow.records.catalog import Entry, state
from afterglow.records.knowledge import Finding, HarvestReport, MinerCount
from afterglow.records.selection import EVERYTHING, Selection
from afterglow.store.catalog import Catalog
from afterglow.store.findings import Findings, unpacked
from afterglow.store.in_memory_knowledge import Rehearsal
from afterglow.store.knowledge import SESSIONS, Knowledge

CHUNK = 8 << 20  # bytes a worker mines before it hands over
SMALL = 32 << 20  # less than this is mined here, without workers
BATCH = 100  # sessions of one source in one piece of work
TOPICS = 400  # merged in one transaction

Progress = Callable[[int, int], None]


def harvest(
    config: Config,
    selection: Selection = EVERYTHING,
    *,
    again: bool = False,
    dry: bool = False,
    jobs: int = 1,
    ended: Collection[str] = (),
    now: float | None = None,
    progress: Progress = lambda done, total: None,
) -> HarvestReport:
    """Harvests what the catalogue holds, or the paths selected (which are scanned first) and what they made old.
    `again` mines sessions anew that have not changed; `dry` writes nothing. Sessions in `ended` are over, however
    little time has passed. Ctrl-C keeps what is done and says so."""
    started = time.monotonic()
    unread: list[tuple[str, str]] = []
    if selection.paths:
        scanned = scan(config, selection.paths, jobs=jobs)
        if scanned.missing:
            raise NotFound(
                f"{scanned.missing[0]} is not there; give a file or folder that holds sessions"
            )
        unread = [
            (trouble.path, trouble.reason)
            for trouble in scanned.troubles
            if trouble.state != "ok"
        ]
    with Catalog(config.catalog) as catalog:
        findings = Findings(catalog)
        entries = [
            entry for entry in catalog.entries(selection) if entry.origin == "main"
        ]
        now = time.time() if now is None else now
        finished = [
            entry
            for entry in entries
            if entry.id in ended or state(entry, now) != "active"
        ]
        checks = findings.checks()
        if selection.paths and not dry:
            finished += _outdated(catalog, finished, checks, now)
        wanted = list(lodes(config, finished, {} if again or dry else checks))
        run = _Run(findings, dry=dry)
        interrupted = False
        try:
            run.mine(wanted, jobs, progress)
        except KeyboardInterrupt:
            interrupted = True
        newest = findings.newest()
        if dry:
            rehearsal = Rehearsal()
            merging = Merging(rehearsal, newest, run.kept)
            merging.merge(run.topics(), now)
            statuses = rehearsal.statuses()
            merging.created -= _known_already(config, rehearsal)
        else:
            with Knowledge(config.knowledge) as knowledge:
                merging = Merging(knowledge, newest, findings.of_topics)
                run.merge(knowledge, merging, now)
                if merging.created or merging.changed:
                    with knowledge.transaction():
                        corroborate(knowledge, now)
                noted = msgspec.json.encode(
                    findings.sessions(), order="sorted"
                ).decode()
                if knowledge.fact(SESSIONS) != noted:
                    knowledge.set_fact(SESSIONS, noted)
                statuses = dict(knowledge.counts().status)
    return HarvestReport(
        sessions=len(finished),
        active=len(entries) - len(finished),
        mined=run.mined,
        bytes=run.bytes,
        miners=_counts(run.found, merging),
        redacted=dict(run.redacted.most_common()),
        created=merging.created,
        changed=merging.changed,
        statuses=statuses,
        troubles=(*unread, *run.troubles),
        seconds=time.monotonic() - started,
        dry=dry,
        interrupted=interrupted,
    )


def mine(
    config: Config,
    catalog: Catalog,
    entries: Iterable[Entry],
    *,
    jobs: int = 1,
    progress: Progress,
) -> list[tuple[str, str]]:
    """Mines those sessions that are new or changed into the catalogue, and leaves merging to the next harvest. Returns
    the sources that could not be mined, and why."""
    findings = Findings(catalog)
    run = _Run(findings, dry=False)
    run.mine(list(lodes(config, entries, findings.checks())), jobs, progress)
    return run.troubles


class _Run:
    """One harvest in progress. A dry one keeps its findings to itself."""

    def __init__(self, findings: Findings, *, dry: bool) -> None:
        self.findings, self.dry = findings, dry
        self.mined = self.bytes = 0
        self.found: Counter[str] = Counter()
        self.redacted: Counter[str] = Counter()
        self.troubles: list[tuple[str, str]] = []
        self._kept: dict[str, list[Finding]] = defaultdict(list)

    def mine(self, lodes: list[Lode], jobs: int, progress: Progress) -> None:
        total = sum(lode.size for lode in lodes)
        waiting = deque(chunks(lodes))
        for chunk, hauls in spread(dig, waiting, jobs if total > SMALL else 1):
            for lode, haul in zip(chunk, hauls, strict=True):
                self._count(lode, haul)
            rows = [row for haul in hauls for row in haul.mined]
            if self.dry:
                for finding in unpacked(rows):
                    self._kept[finding.topic].append(finding)
            else:
                self.findings.save(rows)
            progress(self.bytes, total)

    def _count(self, lode: Lode, haul: Haul) -> None:
        self.bytes += lode.size
        self.mined += len(haul.mined)
        self.found.update(haul.found)
        self.redacted.update(haul.redacted)
        if haul.trouble:
            self.troubles.append((lode.path, haul.trouble))

    def topics(self) -> list[str]:
        return sorted(self._kept)

    def kept(self, topics: Iterable[str]) -> dict[str, list[Finding]]:
        return {topic: self._kept[topic] for topic in topics if topic in self._kept}

    def merge(self, knowledge: Knowledge, merging: Merging, now: float) -> None:
        """Merges what is pending, some topics at a time. A topic is done when its items are committed, not before."""
        told_to = f"{knowledge.identity} {WORDING}"
        if self.findings.merged_into() != told_to:
            self.findings.merge_all_again(told_to)
        while topics := self.findings.pending(TOPICS):
            with knowledge.transaction():
                merging.merge(topics, now)
            self.findings.done(topics)


def lodes(
    config: Config, entries: Iterable[Entry], known: Mapping[int, bytes]
) -> Iterator[Lode]:
    """The sources with something to mine, those of a database in batches."""
    rules = version()
    by_source: dict[tuple[str, str], list[Wanted]] = defaultdict(list)
    for entry in entries:
        check = _check(entry, rules)
        if known.get(entry.key) != check:
            by_source[entry.source, entry.format].append(
                Wanted(entry.key, entry.id, entry.repo, check)
            )
    for (path, format), wanted in sorted(by_source.items()):
        size = Path(path).stat().st_size if Path(path).exists() else 0
        for start in range(0, len(wanted), BATCH):
            some = tuple(wanted[start : start + BATCH])
            yield Lode(
                path,
                format,
                size * len(some) // len(wanted),
                some,
                config.names,
                str(config.cache),
            )


def _outdated(
    catalog: Catalog, named: Collection[Entry], checks: Mapping[int, bytes], now: float
) -> list[Entry]:
    """What was mined before in the same repositories and looks otherwise now. Where a checkout got a remote, all its
    sessions have another name: without them, what is known under the old one would be lost from sight."""
    rules, these = version(), {entry.key for entry in named}
    mined = [
        entry
        for repo in sorted({entry.repo for entry in named} - {""})
        for entry in catalog.entries(Selection(repo=repo))
        if entry.repo == repo
        and entry.key in checks
        and entry.key not in these
        and state(entry, now) != "active"
    ]
    return [entry for entry in mined if checks[entry.key] != _check(entry, rules)]


def _check(entry: Entry, rules: str) -> bytes:
    """What a session looks like: it is mined again when this changes."""
    seen = (
        entry.messages,
        entry.calls,
        entry.failed,
        entry.end,
        entry.ending,
        entry.repo,
        rules,
    )
    return blake2b(repr(seen).encode("utf-8", "surrogatepass"), digest_size=12).digest()


def chunks(lodes: Iterable[Lode]) -> Iterator[list[Lode]]:
    """Biggest first, so that the last worker is not left with the longest piece."""
    chunk: list[Lode] = []
    size = 0
    for lode in sorted(lodes, key=lambda lode: -lode.size):
        chunk.append(lode)
        size += lode.size
        if size >= CHUNK or len(chunk) >= BATCH:
            yield chunk
            chunk, size = [], 0
    if chunk:
        yield chunk


def _known_already(config: Config, rehearsal: Rehearsal) -> int:
    """How many of the items a dry run would make are there."""
    if not config.knowledge.exists():
        return 0
    with Knowledge(config.knowledge) as knowledge:
        return len(knowledge.find(rehearsal.kept))


def _counts(found: Counter[str], merging: Merging) -> tuple[MinerCount, ...]:
    return tuple(
        MinerCount(
            name, found[name], merging.topics[name], merging.items[name], merging.active[name],
            dict(merging.refused[name].most_common()),
        )
        for name in MINERS.names()
    )  # fmt: skip
