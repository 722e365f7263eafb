"""recall: what is known about some words, here. For an agent in the middle of its work: few items, best first."""

from __future__ import annotations

import time
from pathlib import Path

from msgspec import Struct

from afterglow.config import Config
from afterglow.errors import UsageError
from afterglow.flows.knowledge.review import repo_named
from afterglow.flows.session import known_repo, repo_of
from afterglow.flows.told_knowledge import told_knowledge
from afterglow.records.knowledge import Category, KnowledgeItem, may_be_told
from afterglow.store.knowledge import Knowledge
from afterglow.store.knowledge_counts import Hit
from afterglow.text.basis import basis
from afterglow.text.words import topical_words, words

RECALL_LIMIT = 5
RECALL_MOST = 50
MAX_QUERY_CHARACTERS = 2000  # a question, or an error message as it stands
MIN_SCORE_SHARE = 0.3  # of the best match's score; what is weaker is noise
EXTRA_MATCHES = 20  # more matches than asked for are looked at, since some may have expired or be another agent's


class Recalled(Struct, frozen=True, kw_only=True):
    """An active item that speaks of what was asked. `score` compares answers to one question only; `matched` are the
    words they share, `rests_on` what is behind it in a few characters. Times are seconds since 1970; an empty `repo`
    means everywhere."""

    id: str
    fact: str
    category: Category
    situation: str
    remedy: str
    repo: str
    agent: str
    confidence: float
    source_count: int
    times: int
    worked: int
    last_confirmed: float | None
    rests_on: str
    score: float
    matched: tuple[str, ...]


def recall(
    config: Config,
    query: str,
    *,
    cwd: Path | None = None,
    repo: str | None = None,
    agent: str = "",
    limit: int = RECALL_LIMIT,
    now: float | None = None,
) -> tuple[Recalled, ...]:
    """Items that hold in `repo` (that of `cwd`, unless said) or everywhere; without either, of any repository. With
    `agent`, nothing that holds for another agent only."""
    if not query.strip():
        raise UsageError("say what to look for: an error message, a command, a topic")
    if not 1 <= limit <= RECALL_MOST:
        raise UsageError(f"limit must be from 1 to {RECALL_MOST}")
    if not config.knowledge.exists():
        return ()
    now = time.time() if now is None else now
    with told_knowledge(config) as knowledge:
        hits = _search(
            knowledge,
            query[:MAX_QUERY_CHARACTERS],
            _places(config, knowledge, cwd, repo),
            limit + EXTRA_MATCHES,
        )
    best = max((hit.score for hit in hits), default=0.0)
    fitting = [
        hit
        for hit in hits
        if may_be_told(hit.item)
        and hit.score >= MIN_SCORE_SHARE * best
        and (hit.item.expires is None or hit.item.expires > now)
        and (not agent or hit.item.agent in ("", agent))
    ]
    query_words = topical_words(query[:MAX_QUERY_CHARACTERS])
    return tuple(_recalled(hit, query_words) for hit in fitting[:limit])


def _places(
    config: Config, knowledge: Knowledge, cwd: Path | None, repo: str | None
) -> tuple[str | None, ...]:
    if repo is not None:
        return tuple(dict.fromkeys((repo_named(knowledge, repo), "")))
    if cwd is not None:
        return tuple(dict.fromkeys((known_repo(knowledge, repo_of(cwd, config)), "")))
    return (None,)


def _search(
    knowledge: Knowledge, query: str, places: tuple[str | None, ...], limit: int
) -> list[Hit]:
    hits = [
        hit
        for place in places
        for hit in knowledge.search(query, repo=place, limit=limit)
    ]
    return sorted(hits, key=lambda hit: (-hit.score, -hit.item.confidence, hit.item.id))


def _recalled(hit: Hit, query_words: list[str]) -> Recalled:
    item = hit.item
    item_words = _words(item)
    return Recalled(
        id=item.id,
        fact=item.fact,
        category=item.category,
        situation=item.situation,
        remedy=item.remedy,
        repo=item.repo,
        agent=item.agent,
        confidence=item.confidence,
        source_count=item.source_count,
        times=item.times,
        worked=item.worked,
        last_confirmed=item.last_confirmed,
        rests_on=basis(item),
        score=round(hit.score, 2),
        matched=tuple(word for word in query_words if word in item_words),
    )


def _words(item: KnowledgeItem) -> set[str]:
    return set(
        words(
            " ".join(
                (item.fact, item.situation, item.remedy, *item.tags, *item.fingerprints)
            )
        )
    )
