"""Whether an item says the same as what a model tells, in like words or of the same error with the same remedy; and
what it is worth with that evidence, too."""

from __future__ import annotations

import re
from collections.abc import Iterable

from msgspec.structs import replace

from afterglow.harvest.confidence import CEILING, HIGHEST, WEIGHT, expiry, status_of
from afterglow.harvest.duplicates import Twins
from afterglow.harvest.independence import (
    acting_witnesses,
    independent,
)
from afterglow.harvest.lessons.grounding import names
from afterglow.harvest.merge import MAX_SPANS
from afterglow.records.knowledge import TRUSTS, Evidence, KnowledgeItem, lowest

MAX_FINGERPRINTS = 20  # of an item: more would be no single problem

_NO = re.compile(r"\b(?:not?|never|cannot|without|avoid|unless|\w+n't)\b")


def same(lesson: KnowledgeItem, items: Iterable[KnowledgeItem]) -> KnowledgeItem | None:
    """The first of some items that says what `lesson` does; where one denies what the other says they do not."""
    denials = _denials(lesson.fact)
    alike = {
        item.id: item
        for item in items
        if item.id != lesson.id and _denials(item.fact) == denials
    }
    twin = Twins((id, item.fact) for id, item in alike.items()).find(lesson.fact)
    if twin:
        return alike[twin]
    return next((item for item in alike.values() if _same_remedy(lesson, item)), None)


def _same_remedy(lesson: KnowledgeItem, item: KnowledgeItem) -> bool:
    """The same error, and the same names in what helps: templates and models put the rest in different words."""
    remedy_names = set(names(lesson.remedy))
    if not remedy_names or remedy_names != set(names(item.remedy)):
        return False
    return not set(lesson.fingerprints).isdisjoint(item.fingerprints)


def _denials(fact: str) -> int:
    return len(_NO.findall(fact.lower()))


def grown(
    item: KnowledgeItem, evidence: Iterable[Evidence], fingerprints: Iterable[str] = ()
) -> KnowledgeItem:
    """The item with further evidence, surer by each independent session in it. The item itself where there is nothing
    new, or where the text is less trusted than what it rests on: that would add nothing but doubt."""
    more = _further(item, evidence)
    if not more or _is_less_trusted(more, item):
        return item
    spans = (*item.evidence, *more)
    added = independent(spans) - independent(item.evidence)
    sessions = item.source_count + added
    confidence = _surer(item, added)
    status, reason = item.status, item.reason
    if added and status == "candidate" and not item.decided:
        status, reason = status_of(
            confidence, acting_witnesses(spans), item.against, item.trust
        )
    times = (span.time for span in spans if span.time is not None)
    last = max(times, default=item.last_confirmed)
    further = fingerprints if item.remedy else ()
    return replace(
        item,
        evidence=spans,
        source_count=sessions,
        confidence=confidence,
        status=status,
        reason=reason,
        last_confirmed=_later(last, item.last_confirmed),
        expires=_later(expiry(item.category, last), item.expires),
        fingerprints=tuple(dict.fromkeys((*item.fingerprints, *further)))[
            :MAX_FINGERPRINTS
        ],
    )


def _further(item: KnowledgeItem, evidence: Iterable[Evidence]) -> list[Evidence]:
    """What an item does not rest on yet, as much as there is room for."""
    places = {_place(span) for span in item.evidence}
    more = [span for span in evidence if _place(span) not in places]
    return more[: max(MAX_SPANS - len(places), 0)]


def _is_less_trusted(spans: Iterable[Evidence], item: KnowledgeItem) -> bool:
    least = lowest(span.trust for span in spans)
    return TRUSTS.index(least) > TRUSTS.index(item.trust)


def _surer(item: KnowledgeItem, added: int) -> float:
    """Each further session pulls the confidence up, as far as its trust lets it; never down."""
    weight = WEIGHT + max(item.source_count - 1, 0)
    pulled = (item.confidence * weight + added) / (weight + added)
    ceiling = CEILING.get(item.trust, HIGHEST)
    return round(max(item.confidence, min(pulled, ceiling)), 2)


def _later(first: float | None, second: float | None) -> float | None:
    return max(filter(None, (first, second)), default=None)


def _place(span: Evidence) -> tuple[str, int, str, int, int]:
    return span.session, span.line, span.part, span.start, span.length
