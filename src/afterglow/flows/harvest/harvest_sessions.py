"""harvest: mine the sessions that are new or changed, and merge what they taught into knowledge.

Mining a session depends on that session alone, so it is done once and kept in the catalogue. Merging goes topic by
topic, in short transactions: whatever is committed stays, whatever is not is still pending when harvest runs again.
A session that could not be mined is told, remembered for `doctor`, and tried again next time.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Collection

import msgspec
from msgspec.structs import replace

from afterglow.config import Config
from afterglow.errors import NotFound
from afterglow.flows.harvest.hold_to_rules import hold_to_rules
from afterglow.flows.harvest.keep_lessons import corroborate
from afterglow.flows.harvest.keep_problems import make_problems
from afterglow.flows.harvest.merge_topics import Merging
from afterglow.flows.harvest.mining import Mining, Progress, outdated, source_jobs
from afterglow.flows.harvest.note_packages import note_packages
from afterglow.flows.harvest.redact_again import redact_again
from afterglow.flows.harvest.retire_items import retire_unlooked
from afterglow.flows.harvest.write_by_rules import WrittenByRules, write_by_rules
from afterglow.flows.read import scan
from afterglow.flows.told_knowledge import join_again
from afterglow.flows.workers import in_use
from afterglow.harvest import MINERS
from afterglow.harvest.pipeline import WORDING
from afterglow.records.catalog import Entry, state
from afterglow.records.engine import LOCAL, Engine
from afterglow.records.knowledge import HarvestReport, MinerCount
from afterglow.records.selection import EVERYTHING, Selection
from afterglow.store.catalog import Catalog
from afterglow.store.findings import Findings
from afterglow.store.in_memory_knowledge import Rehearsal
from afterglow.store.knowledge import SESSIONS, Knowledge
from afterglow.store.knowledge_risk import bring_risks_up_to_date

MAX_MERGED_TOPICS = 400  # in one transaction: others wait for less than a second


def harvest(
    config: Config,
    selection: Selection = EVERYTHING,
    *,
    again: bool = False,
    dry: bool = False,
    jobs: int = 1,
    engine: Engine = LOCAL,
    ended: Collection[str] = (),
    now: float | None = None,
    progress: Progress = lambda done, total: None,
) -> HarvestReport:
    """Harvests what the catalogue holds, or the paths selected (which are scanned first) and what they made old.
    `again` mines sessions anew that have not changed; `dry` writes nothing. Sessions in `ended` are over, however
    little time has passed. Ctrl-C keeps what is done and says so."""
    started = time.monotonic()
    now = time.time() if now is None else now
    with in_use(engine):
        unread = _scan(config, selection, jobs, engine) if selection.paths else []
        with Catalog(config.catalog) as catalog:
            findings = Findings(catalog)
            finished, active = _finished_and_active(catalog, selection, ended, now)
            checks = findings.checks()
            if selection.paths and not dry:
                finished += outdated(catalog, finished, checks, now)
            mining = Mining(findings, dry=dry)
            interrupted = False
            try:
                unchanged = {} if again or dry else checks
                sources = list(source_jobs(config, finished, unchanged))
                mining.run(sources, jobs, progress, engine)
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
        written = write_by_rules(config, mining.repos, now=now)
        report = _with_lessons_of_rules(report, written)
        make_problems(config, written.counted)
    if not dry:
        join_again(config)
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
    report: HarvestReport, written: WrittenByRules
) -> HarvestReport:
    """The report with what rules wrote about the problems there are after this harvest."""
    counted = (written.count,) if written.count.topics else ()
    return replace(
        report,
        miners=(*report.miners, *counted),
        created=report.created + written.created,
        changed=report.changed + written.changed,
        statuses=written.statuses,
    )


def _scan(
    config: Config, selection: Selection, jobs: int, engine: Engine
) -> list[tuple[str, str]]:
    """Catalogues the paths selected. Returns the sources that could not be read, and why."""
    scanned = scan(config, selection.paths, jobs=jobs, engine=engine)
    if scanned.missing:
        raise NotFound(
            f"{scanned.missing[0]} is not there; give a file or folder that holds sessions"
        )
    return [
        (trouble.path, trouble.reason)
        for trouble in scanned.troubles
        if trouble.state != "ok"
    ]


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
