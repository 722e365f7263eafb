"""What forgetting would take away, worked out before anything is touched: for the person who is asked, and for the
steps that do it."""

from __future__ import annotations

import time
from collections.abc import Collection, Sequence
from pathlib import Path

from afterglow.config import Config
from afterglow.flows.forget.choose_sessions import ambiguous_names
from afterglow.flows.forget.item_fates import ItemFates, SessionWords, fates
from afterglow.flows.forget.journal import Journal
from afterglow.flows.harvest import problem_index
from afterglow.memory.local.of_sessions import entries_of_sessions
from afterglow.records.forgetting import DoomedSession, Forgetting
from afterglow.records.knowledge import KnowledgeItem
from afterglow.sessions.remote_files import is_remote
from afterglow.store.answers import Answers
from afterglow.store.catalog import Catalog
from afterglow.store.erasing import migration_copies
from afterglow.store.experiment_pseudonyms import units_of
from afterglow.store.findings import Findings
from afterglow.store.knowledge import Knowledge
from afterglow.store.ledger import Ledger
from afterglow.store.templates.folder import Templates
from afterglow.store.templates.forgetting import concerned

COPIED_ELSEWHERE = "transcripts, and exports and backups outside of the home, are yours: delete them or write them anew"


def journal_of(config: Config, sessions: Sequence[DoomedSession]) -> Journal:
    """Everything the steps need to know, while the stores can still be asked."""
    unclear = ambiguous_names(config, sessions)
    ids = {
        session.id for session in sessions if (session.agent, session.id) not in unclear
    }
    keys = [session.key for session in sessions]
    with Catalog(config.catalog) as catalog:
        topics = {finding.topic for finding in Findings(catalog).of_sessions(keys)}
        items = _items_of(config, ids, topics)
        session_words = SessionWords(catalog, keys)
        item_fates = fates(items, ids, session_words)
    problems = _problems_of(config, sessions, ids)
    retold = [item for item in items if item.id in item_fates.retold]
    approved = [item for item in retold if _is_approved(item)]
    bare = Journal(outline=Forgetting(sessions=tuple(sessions)))
    outline = _outline(config, sessions, ids, item_fates, problems, bare.earliest)
    return Journal(
        outline=outline,
        ambiguous=tuple(sorted(unclear)),
        problems=tuple(sorted(problems)),
        topics=tuple(sorted({topic for item in retold for topic in item.topics})),
        approved=tuple(approved),
        time=time.time(),
    )


def _items_of(
    config: Config, ids: Collection[str], topics: Collection[str]
) -> list[KnowledgeItem]:
    """By their evidence, of which an item of many sessions does not keep all, and by what the sessions spoke about."""
    if not config.knowledge.exists():
        return []
    with Knowledge(config.knowledge) as knowledge:
        links = (knowledge.of_sessions(ids), knowledge.all_of_topics(topics))
        item_ids = {item for each in links for items in each.values() for item in items}
        return sorted(knowledge.find(item_ids).values(), key=lambda item: item.id)


def _is_approved(item: KnowledgeItem) -> bool:
    return item.decided and item.status == "active"


def _problems_of(
    config: Config, sessions: Sequence[DoomedSession], ids: Collection[str]
) -> set[str]:
    """Problems that writers were asked about with lines of these sessions, by all their names."""
    if not config.answers.exists():
        return set()
    repos = {session.repo for session in sessions}
    names: set[str] = set()
    for problem in problem_index(config, least=1, repos=repos).problems:
        if not set(problem.sessions).isdisjoint(ids):
            names.update(problem.names)
    for answered in Answers(config.answers).every():
        cited = {place.session for answer in answered.answers for place in answer.cited}
        if not cited.isdisjoint(ids):
            names.add(answered.problem)
    return names


def _outline(
    config: Config,
    sessions: Sequence[DoomedSession],
    ids: Collection[str],
    item_fates: ItemFates,
    problems: Collection[str],
    earliest: float | None,
) -> Forgetting:
    templates = concerned(Templates(config.templates), ids)
    answers = Answers(config.answers)
    sources = sorted({session.source for session in sessions if session.source})
    return Forgetting(
        sessions=tuple(sessions),
        removed=item_fates.removed,
        retold=item_fates.retold,
        words_kept=item_fates.words_kept,
        answers=sum(answers.of(problem) is not None for problem in problems),
        deliveries=_deliveries(config, ids),
        units=len(units_of(config.experiments_file, ids)),
        templates_removed=templates.removed,
        templates_changed=templates.changed,
        memories=len(entries_of_sessions(config.memory, ids)),
        copies=tuple(map(str, copies_of(config, earliest))),
        transcripts=tuple(filter(_remains, sources)),
        remaining=(COPIED_ELSEWHERE,),
    )


def _remains(source: str) -> bool:
    """A transcript in a store is not ours to look for; it is told, so that a person can see to it."""
    return is_remote(source) or Path(source).exists()


def _deliveries(config: Config, ids: Collection[str]) -> int:
    if not config.ledger.exists():
        return 0
    with Ledger(config.ledger) as ledger:
        return sum(delivery.session in ids for delivery in ledger.deliveries())


def databases(config: Config) -> tuple[Path, ...]:
    """Those that may hold words of a session."""
    return (
        config.catalog,
        config.knowledge_file,
        config.ledger_file,
        config.experiments_file,
        config.memory,
        config.membership,
    )


def copies_of(config: Config, earliest: float | None) -> list[Path]:
    return [
        copy for path in databases(config) for copy in migration_copies(path, earliest)
    ]
