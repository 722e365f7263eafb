"""harvest: mine the sessions that are new or changed, and merge what they taught into knowledge.

Mining a session depends on that session alone, so it is done once and kept in the catalogue. Merging goes topic by
topic, in short transactions: whatever is committed stays, whatever is not is still pending when harvest runs again.
A session that could not be mined is told, remembered for `doctor`, and tried again next time.
"""

from __future__ import annotations

import time
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from hashlib import blake2b
from pathlib import Path

import msgspec
from msgspec.structs import replace

from afterglow.config import Config
from afterglow.errors import NotFound
from afterglow.flows.harvest.hold_to_rules import hold_to_rules
from afterglow.flows.harvest.keep_lessons import corroborate
from afterglow.flows.harvest.keep_problems import make_problems
from afterglow.flows.harvest.merge_topics import Merging
from afterglow.flows.harvest.note_packages import note_packages
from afterglow.flows.harvest.redact_again import redact_again
from afterglow.flows.harvest.retire_items import retire_unlooked
from afterglow.flows.harvest.worker import (
    MinedSource,
    SessionJob,
    SourceJob,
    mine_sources,
)
from afterglow.flows.harvest.write_by_rules import write_by_rules
from afterglow.flows.read import scan
from afterglow.flows.workers import spread
from afterglow.harvest import MINERS
from afterglow.harvest.pipeline import WORDING, version
from afterglow.records.catalog import Entry, state
from afterglow.records.knowledge import Finding, HarvestReport, MinerCount
from afterglow.records.selection import EVERYTHING, Selection
from afterglow.store.catalog import Catalog
from afterglow.store.findings import Findings, Mined, unpacked
from afterglow.store.in_memory_knowledge import Rehearsal
from afterglow.store.knowledge import SESSIONS, Knowledge
from afterglow.store.knowledge_risk import bring_risks_up_to_date

MAX_BATCH_BYTES = 8 << 20  # a worker hands over about every second
SMALL = 32 << 20  # less than this is mined here: starting workers would take longer
MAX_BATCH_SESSIONS = (
    100  # of one source in one piece of work: a database holds thousands
)
MAX_MERGED_TOPICS = 400  # in one transaction: others wait for less than a second

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
    now = time.time() if now is None else now
    unread = _scan(config, selection, jobs) if selection.paths else []
    with Catalog(config.catalog) as catalog:
        findings = Findings(catalog)
        finished, active = _finished_and_active(catalog, selection, ended, now)
        checks = findings.checks()
        if selection.paths and not dry:
            finished += _outdated(catalog, finished, checks, now)
        mining = Mining(findings, dry=dry)
        interrupted = False
        try:
            unchanged = {} if again or dry else checks
            mining.run(list(source_jobs(config, finished, unchanged)), jobs, progress)
        except KeyboardInterrupt:
            interrupted = True
        if not dry:
            note_packages(config, catalog, mining.repos)
            redact_again(config, now=now)
        merge = _rehearse if dry else _merge
        merging, statuses = merge(config, mining, now)
    report = HarvestReport(
        sessions=len(finished),
        active=active,
        mined=mining.mined,
        stumbled=mining.stumbled,
        bytes=mining.bytes,
        miners=_counts(mining.counts, merging),
        redacted=dict(mining.redacted.most_common()),
        created=merging.created,
        changed=merging.changed,
        statuses=statuses,
        troubles=(*unread, *mining.troubles, *merging.troubles),
        dry=dry,
        interrupted=interrupted,
    )
    if not dry and not interrupted:
        report = _with_lessons_of_rules(config, report, mining.repos, now)
        make_problems(config)
    return replace(report, seconds=time.monotonic() - started)


def _finished_and_active(
    catalog: Catalog, selection: Selection, ended: Collection[str], now: float
) -> tuple[list[Entry], int]:
    """The sessions selected that are over, and how many of them are not."""
    entries = [entry for entry in catalog.entries(selection) if entry.origin == "main"]
    finished = [
        entry for entry in entries if entry.id in ended or state(entry, now) != "active"
    ]
    return finished, len(entries) - len(finished)


def _with_lessons_of_rules(
    config: Config, report: HarvestReport, mined_repos: Collection[str], now: float
) -> HarvestReport:
    """The report with what rules wrote about the problems there are after this harvest."""
    written = write_by_rules(config, mined_repos, now=now)
    counted = (written.count,) if written.count.topics else ()
    return replace(
        report,
        miners=(*report.miners, *counted),
        created=report.created + written.created,
        changed=report.changed + written.changed,
        statuses=written.statuses,
    )


def _scan(config: Config, selection: Selection, jobs: int) -> list[tuple[str, str]]:
    """Catalogues the paths selected. Returns the sources that could not be read, and why."""
    scanned = scan(config, selection.paths, jobs=jobs)
    if scanned.missing:
        raise NotFound(
            f"{scanned.missing[0]} is not there; give a file or folder that holds sessions"
        )
    return [
        (trouble.path, trouble.reason)
        for trouble in scanned.troubles
        if trouble.state != "ok"
    ]


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

    def run(self, jobs: list[SourceJob], processes: int, progress: Progress) -> None:
        total = sum(job.size for job in jobs)
        waiting = deque(batches(jobs))
        if total <= SMALL:
            processes = 1
        for batch, results in spread(mine_sources, waiting, processes):
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


def judge_stored_items(config: Config) -> None:
    """What older rules judged is judged by those of today, all of it."""
    if config.knowledge.exists():
        with Knowledge(config.knowledge) as knowledge:
            bring_risks_up_to_date(knowledge, most=None)


def _merge(
    config: Config, mining: Mining, now: float
) -> tuple[Merging, dict[str, int]]:
    """Merges what is pending, some topics at a time. A topic is done when its items are committed, not before."""
    findings = mining.findings
    with Knowledge(config.knowledge) as knowledge:
        bring_risks_up_to_date(knowledge, most=None)
        merging = Merging(
            knowledge, findings.newest(), findings.of_topics, findings.mined_among
        )
        told_to = _told_to(knowledge)
        if findings.merged_into() != told_to:
            findings.merge_all_again(told_to)
        while topics := findings.pending(MAX_MERGED_TOPICS):
            with knowledge.transaction():
                merging.merge(topics, now)
                deleted = knowledge.buried(topics)
            findings.drop(deleted)
            findings.done(topics)
        with knowledge.transaction():
            merging.changed += retire_unlooked(knowledge, now)
            merging.changed += hold_to_rules(knowledge, now)
            if merging.created or merging.changed:
                corroborate(knowledge, now)
        _note_sessions(knowledge, findings)
        return merging, dict(knowledge.counts().status)


def _note_sessions(knowledge: Knowledge, findings: Findings) -> None:
    """How many each repository has had."""
    sessions = msgspec.json.encode(findings.sessions(), order="sorted").decode()
    if knowledge.fact(SESSIONS) != sessions:
        knowledge.set_fact(SESSIONS, sessions)


def _told_to(knowledge: Knowledge) -> str:
    return f"{knowledge.identity} {WORDING}"


def _rehearse(
    config: Config, mining: Mining, now: float
) -> tuple[Merging, dict[str, int]]:
    """The same in memory: what would be new, and what there would be of each status."""
    rehearsal = Rehearsal()
    merging = Merging(rehearsal, mining.findings.newest(), mining.of_topics)
    merging.merge(sorted(mining.by_topic), now)
    if config.knowledge.exists():
        with Knowledge(config.knowledge) as knowledge:
            merging.created -= len(knowledge.find(rehearsal.kept))
    return merging, rehearsal.statuses()


def merge_pending(config: Config, repos: Collection[str], *, now: float) -> None:
    """Merges what is pending without mining anything, and has rules write about these repositories anew: after sessions
    were taken out of the catalogue. Where the findings are those of an older version, that is left to the next
    harvest, which mines first."""
    with Catalog(config.catalog) as catalog:
        findings = Findings(catalog)
        note_packages(config, catalog, repos)
        with Knowledge(config.knowledge) as knowledge:
            _note_sessions(knowledge, findings)
            is_current = findings.merged_into() == _told_to(knowledge)
        if not is_current:
            return
        _merge(config, Mining(findings, dry=False), now)
    write_by_rules(config, repos, now=now)


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
    for (path, format, copied), sessions in sorted(by_source.items()):
        size = Path(path).stat().st_size if Path(path).exists() else 0
        for start in range(0, len(sessions), MAX_BATCH_SESSIONS):
            batch = tuple(sessions[start : start + MAX_BATCH_SESSIONS])
            share = size * len(batch) // len(sessions)
            yield SourceJob(
                path, format, share, batch, config.names, str(config.cache), copied
            )


def _outdated(
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


def _counts(findings: Counter[str], merging: Merging) -> tuple[MinerCount, ...]:
    return tuple(
        MinerCount(
            miner=name,
            findings=findings[name],
            topics=merging.topics[name],
            items=merging.items[name],
            active=merging.active[name],
            refused=dict(merging.refused[name].most_common()),
        )
        for name in MINERS.names()
    )
