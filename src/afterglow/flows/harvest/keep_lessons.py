"""remember: what a model tells of finished sessions, checked against their lines, kept as a candidate.

A lesson lives in the knowledge store alone, with evidence of its own; harvest does not make it and does not take it
away. One telling never makes it active: that takes an independent session, told or mined, or a person.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from contextlib import suppress

import msgspec
from msgspec.structs import replace

from afterglow.config import Config
from afterglow.errors import UsageError
from afterglow.flows.harvest.check_lessons import LessonChecks, Refused
from afterglow.flows.session import refuse_if_private
from afterglow.harvest.lessons.duplicates import grown, same
from afterglow.records.knowledge import (
    KnowledgeItem,
)
from afterglow.records.lessons import MINER, Citation, Lesson, Remembered
from afterglow.store.knowledge import Knowledge
from afterglow.store.knowledge_rows import fact_mark

__all__ = [
    "Citation",
    "Lesson",
    "Remembered",
    "corroborate",
    "items_of",
    "remember",
    "remember_all",
    "remember_json",
]

MAX_ITEMS_COMPARED = 20  # the nearest by their words: what says the same is among them
MAX_TOLD_ITEMS = 1000  # looked at after a harvest, so that it stays quick


def remember(
    config: Config,
    *,
    fact: str,
    category: str,
    citations: Sequence[Citation],
    situation: str = "",
    remedy: str = "",
    repo: str | None = None,
    agent: str = "",
    by: str,
    now: float | None = None,
) -> Remembered:
    """Keeps one lesson, or says why not. `by` names who tells: an agent, a model."""
    lesson = Lesson(
        fact=fact,
        category=category,
        citations=tuple(citations),
        situation=situation,
        remedy=remedy,
        repo=repo,
        agent=agent,
    )
    return remember_all(config, [lesson], by=by, now=now)[0]


def remember_all(
    config: Config, lessons: Sequence[Lesson], *, by: str, now: float | None = None
) -> tuple[Remembered, ...]:
    """What became of each, in order. One that is refused does not keep the others out."""
    refuse_if_private(config)
    checks = LessonChecks(config)
    when = time.time() if now is None else now
    return tuple(_remembered(config, checks, lesson, by, when) for lesson in lessons)


def items_of(config: Config, lessons: Iterable[Lesson]) -> list[KnowledgeItem]:
    """What those lessons that hold would be as items, without looking at what is known; nothing is kept."""
    checks = LessonChecks(config)
    items = []
    for lesson in lessons:
        with suppress(Refused):
            items.append(checks.item(lesson))
    return items


def remember_json(
    config: Config, text: bytes, *, by: str, now: float | None = None
) -> tuple[Remembered, ...]:
    """The same for a JSON list of lessons; one that is no lesson is refused like one that does not hold."""
    try:
        decoded = msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise UsageError(
            f"not JSON: {error}; a list of lessons would work, see `afterglow remember --help`"
        ) from error
    rows = decoded if isinstance(decoded, list) else [decoded]
    read = [_read(row) for row in rows]
    results = iter(
        remember_all(
            config,
            [lesson for lesson in read if isinstance(lesson, Lesson)],
            by=by,
            now=now,
        )
    )
    return tuple(
        next(results) if isinstance(lesson, Lesson) else lesson for lesson in read
    )


def _read(row: object) -> Lesson | Remembered:
    try:
        return msgspec.convert(row, Lesson)
    except msgspec.ValidationError as error:
        why = f"not a lesson: {error}; fact, category and citations of session, line and quote are needed"
        return Remembered(outcome="refused", refused=why, kind="no lesson")


def _remembered(
    config: Config, checks: LessonChecks, lesson: Lesson, by: str, now: float
) -> Remembered:
    try:
        item = checks.item(lesson)
        with Knowledge(config.knowledge) as knowledge, knowledge.transaction():
            return _keep(knowledge, item, f"{MINER}:{by}" if by else MINER, now)
    except Refused as error:
        return Remembered(
            outcome="refused",
            refused=str(error),
            kind=error.kind,
            missing=error.missing,
        )


def _keep(knowledge: Knowledge, item: KnowledgeItem, by: str, now: float) -> Remembered:
    """Inside the store's transaction: a new item, more evidence for one that says the same, or nothing new."""
    if knowledge.buried([item.id, fact_mark(item.fact), *item.topics]):
        raise Refused("set aside", "a person deleted this; it stays deleted")
    existing = knowledge.find([item.id]).get(item.id) or _same(knowledge, item)
    if existing is None:
        knowledge.save([item], by=by, now=now)
        saved = knowledge.find([item.id])[item.id]
        if saved.status == "retired":
            raise Refused("set aside", f"{saved.reason}; it stays set aside")
        return Remembered(
            outcome="kept", id=item.id, status=saved.status, reason=saved.reason
        )
    if existing.status == "quarantined" or (
        existing.status == "retired" and existing.decided
    ):
        raise Refused(
            "set aside",
            f"{existing.id} says the same and was set aside: {existing.reason}",
        )
    more = grown(existing, item.evidence, item.fingerprints)
    if more == existing:
        return Remembered(
            outcome="known",
            id=existing.id,
            status=existing.status,
            reason=existing.reason,
        )
    knowledge.save([more], by=by, now=now)
    return Remembered(
        outcome="added", id=more.id, status=more.status, reason=more.reason
    )


def _same(
    knowledge: Knowledge, item: KnowledgeItem, *, mined: bool = False
) -> KnowledgeItem | None:
    """What says the same already, in the same place or everywhere; only what miners found, if so said."""
    near = knowledge.search(
        item.fact,
        limit=MAX_ITEMS_COMPARED,
        status=("active", "candidate", "quarantined", "retired"),
    )
    marked = knowledge.of_fingerprints(item.fingerprints)
    similar = knowledge.find(
        {
            *(hit.item.id for hit in near),
            *(id for ids in marked.values() for id in ids),
        }
    )
    candidates = [
        existing
        for _, existing in sorted(similar.items())
        if _comparable(existing, item) and not (mined and existing.miner == MINER)
    ]
    return same(item, candidates)


def _comparable(existing: KnowledgeItem, item: KnowledgeItem) -> bool:
    """Holds where the item holds, and has not made place for another."""
    here = existing.repo in {item.repo, ""} and existing.agent in {item.agent, ""}
    replaced = existing.status == "superseded"
    faded = existing.status == "retired" and not existing.decided
    return here and not replaced and not faded


def corroborate(knowledge: Knowledge, now: float) -> int:
    """After a harvest, inside the store's transaction: what was told and a miner has found too. Where the mined item is
    active it holds alone; where it waits as well, and other sessions stand behind it, the two together are enough."""
    changed: dict[str, KnowledgeItem] = {}
    waiting = knowledge.items(
        miner=MINER, status=("candidate", "active"), limit=MAX_TOLD_ITEMS, evidence=True
    )
    for item in waiting:
        if item.decided or item.edited:
            continue
        mined = _same(knowledge, item, mined=True)
        if mined is not None:
            changed |= _joined(item, changed.get(mined.id, mined))
    return knowledge.save(changed.values(), by="harvest", now=now) if changed else 0


def _joined(lesson: KnowledgeItem, mined: KnowledgeItem) -> dict[str, KnowledgeItem]:
    """What changes where a lesson and a mined item say the same."""
    if mined.status == "active":
        # It is surer by the sessions that only the lesson knew.
        surer = grown(mined, lesson.evidence, lesson.fingerprints)
        replaced = replace(
            lesson,
            status="superseded",
            superseded_by=mined.id,
            reason=f"mined as well: {mined.id}",
        )
        return {lesson.id: replaced, surer.id: surer}
    if lesson.status == "candidate" and mined.status == "candidate":
        both = grown(lesson, mined.evidence)
        if both.status == "active":
            return {lesson.id: replace(both, reason=f"{both.reason}, with {mined.id}")}
    return {}
