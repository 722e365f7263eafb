"""The steps of forgetting, in order; each can be done twice. First the marks, so that nothing that is read meanwhile is
kept; then what is derived from the sessions; last the files themselves, written anew without what was deleted."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path

import msgspec
from msgspec.structs import replace

from afterglow.config import Config
from afterglow.errors import StoreError, UsageError
from afterglow.flows.forget.journal import Journal
from afterglow.flows.forget.removal_plan import copies_of, databases
from afterglow.flows.harvest import log_of, merge_pending
from afterglow.flows.record import RECORDED
from afterglow.flows.supersession import resolve_decisions
from afterglow.folders import place_file
from afterglow.harvest.writing.named_by_person import rests_on_own_words
from afterglow.memory.local import open_backend
from afterglow.memory.local.of_sessions import entries_of_sessions
from afterglow.records.knowledge import (
    ONE_WITNESS,
    Finding,
    KnowledgeItem,
    approval_mark,
)
from afterglow.store.answers import Answers
from afterglow.store.catalog import Catalog
from afterglow.store.catalog_deletion import drop_sources, drop_unused, forget_sessions
from afterglow.store.erasing import drafts, overwrite_deleted, scrub
from afterglow.store.experiment_pseudonyms import rename_units
from afterglow.store.findings import Findings
from afterglow.store.forgotten import Forgotten
from afterglow.store.knowledge import NOISE, Knowledge
from afterglow.store.knowledge_erasing import (
    drop_evidence,
    drop_facts,
    erase_items,
    keep_out_of_folders,
)
from afterglow.store.knowledge_risk import PACKAGES
from afterglow.store.ledger import Ledger
from afterglow.store.templates.folder import Templates
from afterglow.store.templates.forgetting import forget_in_templates

REJECTED = "rejected by a person; a session it came from was forgotten"
MIN_WITNESSES = 2  # sessions that a lesson nobody decided about needs to be told
DRAFT_SECONDS = 600.0  # a draft this old was left by a writer that was killed
LEFT_NOTES = ("writing.json",)  # of our own doing, made again by the next round

Step = Callable[[Config, Journal], None]


def mark_sessions(config: Config, journal: Journal) -> None:
    if journal.sessions:
        forgotten = Forgotten(config.home)
        forgotten.add(journal.sessions, ambiguous=journal.ambiguous)


def forget_in_catalogue(config: Config, journal: Journal) -> None:
    if not config.catalog.exists():
        return
    keys = [session.key for session in journal.sessions]
    with Catalog(config.catalog) as catalog:
        with catalog.writing() as db:
            overwrite_deleted(db)
            forget_sessions(db, [(key,) for key in keys], journal.topics)
            drop_sources(db, [session.source for session in journal.sessions])
            drop_unused(db)
        findings = Findings(catalog)
        findings.note_stumbles(keys, {})
        findings.drop({topic for item in journal.deleted for topic in item.topics})


def forget_in_knowledge(config: Config, journal: Journal) -> None:
    """Items that cannot stay as they are go; those that others taught too are told anew by `tell_anew`."""
    if not config.knowledge.exists():
        return
    with Catalog(config.catalog) as catalog:
        findings = Findings(catalog)
        with Knowledge(config.knowledge) as knowledge:
            staying = knowledge.find(journal.outline.words_kept).values()
        topics = {topic for item in staying for topic in item.topics}
        remaining = findings.of_topics(topics)
    with Knowledge(config.knowledge) as knowledge, knowledge.transaction():
        removed = _take_out_items(knowledge, journal, remaining, by=config.person)
        deleted = [item.id for item in journal.deleted]
        knowledge.bury(deleted, by=config.person, why=journal.why, now=journal.time)
        repos = {session.repo for session in journal.sessions}
        names = [kind + repo for kind in (NOISE, PACKAGES) for repo in repos]
        drop_facts(knowledge, names)
        resolve_decisions(
            knowledge, by=config.person, now=journal.time, deleted={*removed, *deleted}
        )


def _take_out_items(
    knowledge: Knowledge,
    journal: Journal,
    findings: Mapping[str, Sequence[Finding]],
    *,
    by: str,
) -> list[str]:
    """Those that rest on the sessions; which of them went. `findings` are what others found about those that stay."""
    ids, now = journal.ids, journal.time
    links = knowledge.of_sessions(ids).values()
    touched = {item for group in links for item in group}
    touched |= {*journal.outline.removed, *journal.outline.retold}
    touched -= {item.id for item in journal.deleted}
    items = knowledge.find(touched).values()
    staying = [item for item in items if item.id in journal.outline.words_kept]
    leaving = [item for item in items if item not in staying]
    rejected = [item.id for item in leaving if _is_rejected(item)]
    knowledge.bury(rejected, by=by, why=REJECTED, now=now)
    erase_items(knowledge, [item.id for item in leaving])
    drop_evidence(knowledge, [item.id for item in staying], ids)
    stripped = [_without(item, ids, findings) for item in staying]
    knowledge.save(stripped, by=by, now=now)
    return [item.id for item in leaving]


def _is_rejected(item: KnowledgeItem) -> bool:
    return item.decided and item.status == "retired"


def _without(
    item: KnowledgeItem,
    sessions: Collection[str],
    findings: Mapping[str, Sequence[Finding]],
) -> KnowledgeItem:
    """An item that stays, with what it rests on now, and what harvest knows it by as far as others say that too."""
    changed = _with_harvest_names(item, findings) if item.edited else item
    evidence = tuple(span for span in item.evidence if span.session not in sessions)
    if len(evidence) == len(item.evidence):
        return changed
    count = len({span.session for span in evidence})
    changed = replace(changed, evidence=evidence, source_count=count)
    lacks_witness = (
        item.status == "active"
        and count < MIN_WITNESSES
        and not rests_on_own_words(item.remedy, item.situation, evidence)
    )
    if lacks_witness and not item.decided and not item.edited:
        return replace(changed, status="candidate", reason=ONE_WITNESS)
    return changed


def _with_harvest_names(
    item: KnowledgeItem, findings: Mapping[str, Sequence[Finding]]
) -> KnowledgeItem:
    """The topics and errors that sessions which remain have named."""
    topics = tuple(topic for topic in item.topics if topic in findings)
    marks = {finding.fingerprint for topic in topics for finding in findings[topic]}
    fingerprints = tuple(mark for mark in item.fingerprints if mark in marks)
    return replace(item, topics=topics, fingerprints=fingerprints)


def forget_answers(config: Config, journal: Journal) -> None:
    answers = Answers(config.answers)
    for problem in journal.problems:
        answers.drop(problem)
    answers.blank({item.id for item in journal.deleted})


def tell_anew(config: Config, journal: Journal) -> None:
    """From the sessions that remain; what a person approved stays approved if it says the same."""
    is_there = config.catalog.exists() and config.knowledge.exists()
    if not journal.sessions or not is_there:
        return
    repos = {session.repo for session in journal.sessions}
    merge_pending(config, repos, now=journal.time)
    topics = {topic: item for item in journal.approved for topic in item.topics}
    if not topics:
        return
    with Knowledge(config.knowledge) as knowledge, knowledge.transaction():
        owners = knowledge.of_topics(topics)
        retold = knowledge.find(owners.values())
        approved = [
            _approved_again(retold[id], topics[topic])
            for topic, id in owners.items()
            if approval_mark(retold[id]) == approval_mark(topics[topic])
        ]
        knowledge.save(approved, by=config.person, now=journal.time)


def _approved_again(item: KnowledgeItem, before: KnowledgeItem) -> KnowledgeItem:
    return replace(
        item,
        status=before.status,
        reason=before.reason,
        decided=True,
        approved=before.approved,
        confidence=max(item.confidence, before.confidence),
        last_confirmed=before.last_confirmed,
        expires=before.expires,
    )


def forget_in_team(config: Config, journal: Journal) -> None:
    """What the hub gave here; the hub itself hears of it with the next sync."""
    from afterglow.flows import joined_stores

    deleted = {item.id for item in journal.deleted}
    joined_stores.forget_in_team(config, set(journal.ids), deleted)


def forget_in_ledger(config: Config, journal: Journal) -> None:
    if not config.ledger.exists():
        return
    with Ledger(config.ledger) as ledger:
        keys = [session.key for session in journal.sessions]
        ledger.forget_sessions(journal.ids, keys)
        ledger.forget_words(_words_now(config, journal))


def _words_now(
    config: Config, journal: Journal
) -> Mapping[str, tuple[str, str] | None]:
    """What the items that were touched say now, as the ledger would note it."""
    ids = _touched(journal)
    if not ids or not config.knowledge.exists():
        return dict.fromkeys(ids)
    with Knowledge(config.knowledge) as knowledge:
        items = knowledge.find(ids)
    words: dict[str, tuple[str, str] | None] = dict.fromkeys(ids)
    for item in items.values():
        remedy = item.remedy or ("" if item.situation else item.fact)
        words[item.id] = (item.situation, remedy)
    return words


def _touched(journal: Journal) -> set[str]:
    outline = journal.outline
    ids = {*outline.removed, *outline.retold, *outline.words_kept}
    return ids | {item.id for item in journal.deleted}


def forget_elsewhere(config: Config, journal: Journal) -> None:
    """Experiments, templates, memory, queue, log, and what models answered."""
    ids = journal.ids
    rename_units(config.experiments_file, ids)
    forget_in_templates(Templates(config.templates), ids)
    entries = entries_of_sessions(config.memory, ids)
    if entries:
        backend = open_backend(config)
        for user, key in entries:
            backend.delete(user, key)
        backend.close()
    sources = {session.source for session in journal.sessions if session.source}
    _drop_recorded(config.home / RECORDED, sources)
    names = {name.encode("utf-8", "replace") for name in {*ids, *sources}}
    _drop_queued(config.home / "queue", names)
    _drop_lines(log_of(config).path, names)
    for name in LEFT_NOTES:
        (config.home / name).unlink(missing_ok=True)
    if journal.sessions:
        _drop_newer(config.cache / "model", journal.earliest)


def _drop_recorded(folder: Path, sources: Collection[str]) -> None:
    """Transcripts that a program handed over are ours; those of agents are not touched."""
    for source in sources:
        if Path(source).is_relative_to(folder.resolve()):
            Path(source).unlink(missing_ok=True)


def _drop_queued(folder: Path, names: Collection[bytes]) -> None:
    for path in folder.glob("*"):
        if path.is_file() and _mentions(path.read_bytes(), names):
            path.unlink(missing_ok=True)


def _drop_lines(path: Path, names: Collection[bytes]) -> None:
    if not names or not path.exists():
        return
    lines = path.read_bytes().splitlines(keepends=True)
    remaining = [line for line in lines if not _mentions(line, names)]
    if len(remaining) < len(lines):
        place_file(path, b"".join(remaining), mode=0o600)


def _mentions(content: bytes, names: Collection[bytes]) -> bool:
    return any(name in content for name in names)


def _drop_newer(folder: Path, earliest: float | None) -> None:
    """Answers of models: what they were asked is not kept, so all since the first of the sessions go."""
    for path in folder.glob("??/*"):
        if earliest is None or path.stat().st_mtime >= earliest:
            path.unlink(missing_ok=True)


def forget_in_exports(config: Config, journal: Journal) -> None:
    """The folder in the home is written anew; of others we keep what was agreed on, which loses these items."""
    from afterglow.flows.knowledge import export

    ids = _touched(journal)
    if not ids or not config.knowledge.exists():
        return
    with Knowledge(config.knowledge) as knowledge:
        keep_out_of_folders(knowledge, ids)
    if (config.home / "knowledge" / "index.json").exists():
        try:
            export(config)
        except UsageError as error:
            raise StoreError(
                f"{config.home / 'knowledge'} holds edits of yours, so it was not written anew: {error}"
            ) from error
    for path in sorted((config.home / "folders").glob("*.json")):
        _drop_facts_of(path, ids)


def _drop_facts_of(path: Path, ids: Collection[str]) -> None:
    content = msgspec.json.decode(path.read_bytes())
    facts = content.get("facts", []) if isinstance(content, dict) else []
    remaining = [fact for fact in facts if fact.get("id") not in ids]
    if len(remaining) < len(facts):
        content |= {"facts": remaining, "total_facts": len(remaining)}
        place_file(path, msgspec.json.encode(content), mode=0o600)


def scrub_files(config: Config, journal: Journal) -> None:
    """Freed pages, logs, copies that migrations made, the word index, drafts of killed writers."""
    for path in databases(config):
        scrub(path)
    if journal.sessions:
        _remove(copies_of(config, journal.earliest))
    else:
        _remove(copies_of(config, _first_seen(journal.deleted)))
    shutil.rmtree(config.knowledge_file.with_suffix(".index"), ignore_errors=True)
    before = time.time() - DRAFT_SECONDS
    folders = [config.home, config.answers, config.templates, config.home / "queue"]
    for folder in folders:
        _remove(drafts(folder, before))


def _first_seen(items: Iterable[KnowledgeItem]) -> float | None:
    times = [item.first_seen for item in items if item.first_seen is not None]
    return min(times, default=None)


def _remove(paths: Iterable[Path]) -> None:
    for path in paths:
        path.unlink(missing_ok=True)


STEPS: tuple[Step, ...] = (
    mark_sessions,
    forget_in_catalogue,
    forget_in_knowledge,
    forget_answers,
    tell_anew,
    forget_in_team,
    forget_in_ledger,
    forget_elsewhere,
    forget_in_exports,
    scrub_files,
)
