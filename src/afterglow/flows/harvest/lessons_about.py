"""Which items of knowledge speak about a problem: those written about it, and those that know its own lines."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from msgspec.structs import replace

from afterglow.config import Config
from afterglow.records.knowledge import KnowledgeItem, waits_for_approval
from afterglow.records.problems import (
    AWAITING_APPROVAL,
    TOPIC,
    KnownLesson,
    Problem,
)
from afterglow.records.writing import OWN_WRITERS
from afterglow.store.knowledge import Knowledge
from afterglow.store.ledger_pages import LedgerPages
from afterglow.store.problem_rows import BY_RULES, TAUGHT, UNTAUGHT, WAITING, KnownBy
from afterglow.store.speaking_items import speaking_items

MAX_LESSONS = (
    5  # that are named with a problem; more of them speak about something wider
)


def add_lessons(
    config: Config, problems: Sequence[Problem], labels: Mapping[str, KnownBy]
) -> list[Problem]:
    """The problems with the items that speak about them, and how often sessions were given those. `labels` say by what
    items find them."""
    if not problems or not config.knowledge.exists():
        return list(problems)
    with Knowledge(config.knowledge) as knowledge:
        items = lessons_about(knowledge, labels)
    ids = {item.id for lessons in items.values() for item in lessons}
    times_told = _times_told(config, ids)
    return [
        replace(
            problem,
            lessons=tuple(
                _known_lesson(item, times_told.get(item.id, 0))
                for item in items[problem.id]
            ),
        )
        for problem in problems
    ]


def lessons_about(
    knowledge: Knowledge, labels: Mapping[str, KnownBy]
) -> dict[str, list[KnowledgeItem]]:
    """The items about each problem: those written about it first, then those that know its lines, active ones first."""
    topics = {TOPIC + name for each in labels.values() for name in each.names}
    prints = {text for each in labels.values() for text in each.fingerprints}
    by_topic = knowledge.all_of_topics(topics)
    by_print = knowledge.of_fingerprints(prints)
    ids = {
        id for links in (by_topic, by_print) for group in links.values() for id in group
    }
    items = speaking_items(knowledge, ids)
    about: dict[str, list[KnowledgeItem]] = {}
    for problem, each in labels.items():
        written = _linked(by_topic, (TOPIC + name for name in each.names), each, items)
        naming = _linked(by_print, each.fingerprints, each, items)
        matching = [item for item in naming if each.rule in item.fact]
        matching.sort(key=lambda item: item.status != "active")
        about[problem] = list(dict.fromkeys([*written, *matching]))[:MAX_LESSONS]
    return about


def _linked(
    links: Mapping[str, Sequence[str]],
    words: Iterable[str],
    each: KnownBy,
    items: Mapping[str, KnowledgeItem],
) -> list[KnowledgeItem]:
    """The items behind these words that hold in the problem's repository, its own first, the strongest first."""
    ids = {id for word in words for id in links.get(word, ()) if id in items}
    here = [items[id] for id in ids if items[id].repo in (each.repo, "")]
    return sorted(here, key=lambda item: (item.repo != each.repo, *_by_strength(item)))


def _by_strength(item: KnowledgeItem) -> tuple[float, int, str]:
    return -item.confidence, -item.source_count, item.id


def _known_lesson(item: KnowledgeItem, deliveries: int) -> KnownLesson:
    fact = AWAITING_APPROVAL if waits_for_approval(item) else item.fact
    return KnownLesson(item.id, fact, item.status, deliveries, item.miner)


def _times_told(config: Config, items: set[str]) -> dict[str, int]:
    if not items or not config.ledger.exists():
        return {}
    with LedgerPages(config.ledger) as ledger:
        return ledger.times_told(items)


def taught_by(lessons: Iterable[KnownLesson | KnowledgeItem]) -> int:
    """What lessons a problem has, as the catalogue notes it."""
    listed = list(lessons)
    active = [each for each in listed if each.status == "active"]
    if any(each.miner in OWN_WRITERS for each in active):
        return BY_RULES
    if active:
        return TAUGHT
    return WAITING if listed else UNTAUGHT
