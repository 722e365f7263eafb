"""Lessons that people of a team share, as findings: the same words are the same topic, so they are merged as all else is.

A machine's own id of a lesson says nothing about its words, and anybody could send any: at a hub its id comes from them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from hashlib import blake2b

import msgspec

from afterglow.records import lessons, writing
from afterglow.records.knowledge import (
    CATEGORIES,
    Evidence,
    Finding,
    KnowledgeItem,
    Telling,
)

LESSON_MINERS = (lessons.MINER, writing.MINER, writing.BY_RULES)
# How sure one session of one person makes a lesson, however sure its writer was.
MAX_DIRECTNESS = 0.7

_tags = msgspec.json.Decoder(tuple[str, ...])


def lesson_topic(item: KnowledgeItem) -> str:
    """Of the words an agent would read, and where they hold."""
    parts = (item.category, item.fact, item.situation, item.remedy)
    plain = "\0".join(" ".join(part.casefold().split()) for part in parts)
    mark = blake2b(plain.encode("utf-8", "surrogatepass"), digest_size=10).hexdigest()
    return f"lesson|{item.miner}|{mark} @ {item.repo}"


def lesson_findings(item: KnowledgeItem) -> Iterator[Finding]:
    """What each session of a lesson says for it."""
    by_session: dict[str, list[Evidence]] = defaultdict(list)
    for span in item.evidence:
        by_session[span.session].append(span)
    slots = {
        "fact": item.fact,
        "situation": item.situation,
        "remedy": item.remedy,
        "category": item.category,
        "domain": item.domain,
        "tags": msgspec.json.encode(item.tags).decode(),
        "sure": f"{item.confidence:.2f}",
    }
    topic, errors = lesson_topic(item), item.fingerprints or ("",)
    for spans in by_session.values():
        yield Finding(
            item.miner, topic, slots, tuple(spans), errors[0], cost=int(item.cost)
        )
    for error in errors[1:] if by_session else ():
        yield Finding(
            item.miner, topic, slots, (item.evidence[0],), error, cost=int(item.cost)
        )


def tell_lesson(findings: Sequence[Finding]) -> Telling | str:
    """In the words that most people have; of several, those that came first."""
    people: dict[tuple[str, str, str], set[str]] = defaultdict(set)
    for finding in findings:
        people[_words(finding)].add(finding.first.author)
    words = max(people, key=lambda each: len(people[each]))
    slots = next(finding.slots for finding in findings if _words(finding) == words)
    category = next(name for name in CATEGORIES if name == slots["category"])
    fact, situation, remedy = words
    return Telling(
        fact,
        category,
        situation,
        remedy,
        min(float(slots["sure"]), MAX_DIRECTNESS),
        slots["domain"],
        _tags.decode(slots["tags"]),
    )


def _words(finding: Finding) -> tuple[str, str, str]:
    slots = finding.slots
    return slots["fact"], slots["situation"], slots["remedy"]
