"""Whether an item says the same as what a model tells, in like words or of the same error with the same remedy; and
what it is worth with that evidence, too."""

from __future__ import annotations

import re
from collections.abc import Iterable

from msgspec.structs import replace

from afterglow.harvest.confidence import CEILING, HIGHEST, WEIGHT, expiry, status_of
from afterglow.harvest.duplicates import Twins
from afterglow.harvest.lessons.grounding import names
from afterglow.harvest.merge import MAX_SPANS
from afterglow.harvest.trust import independent
from afterglow.records.knowledge import TRUSTS, Evidence, KnowledgeItem, lowest

MARKS = 20  # fingerprints of an item

_NO = re.compile(r"\b(?:not?|never|cannot|without|avoid|unless|\w+n't)\b")


def same(told: KnowledgeItem, items: Iterable[KnowledgeItem]) -> KnowledgeItem | None:
    """The first of some items that says what `told` does; where one denies what the other says they do not."""
    known = {
        item.id: item
        for item in items
        if item.id != told.id and _denials(item.fact) == _denials(told.fact)
    }
    alike = Twins((id, item.fact) for id, item in known.items()).find(told.fact)
    if alike:
        return known[alike]
    return next((item for item in known.values() if _same_remedy(told, item)), None)


def _same_remedy(one: KnowledgeItem, other: KnowledgeItem) -> bool:
    """The same error, and the same names in what helps: templates and models put the rest in different words."""
    does = set(names(one.remedy))
    return (
        bool(does)
        and does == set(names(other.remedy))
        and bool(set(one.fingerprints) & set(other.fingerprints))
    )


def _denials(fact: str) -> int:
    return len(_NO.findall(fact.lower()))


def grown(
    item: KnowledgeItem, evidence: Iterable[Evidence], fingerprints: Iterable[str] = ()
) -> KnowledgeItem:
    """The item with further evidence, surer by each independent session in it. The item itself where there is nothing
    new, or where the text is less trusted than what it rests on: that would add nothing but doubt."""
    known = {_span(one) for one in item.evidence}
    more = [one for one in evidence if _span(one) not in known][
        : max(MAX_SPANS - len(known), 0)
    ]
    if not more or TRUSTS.index(lowest(one.trust for one in more)) > TRUSTS.index(
        item.trust
    ):
        return item
    spans = (*item.evidence, *more)
    added = independent(spans) - independent(item.evidence)
    sessions = item.source_count + added
    seen = WEIGHT + max(item.source_count - 1, 0)
    sure = max(
        item.confidence,
        min(
            (item.confidence * seen + added) / (seen + added),
            CEILING.get(item.trust, HIGHEST),
        ),
    )
    sure = round(sure, 2)
    status, reason = item.status, item.reason
    if added and status == "candidate" and not item.decided:
        status, reason = status_of(0.0, sure, sessions, item.against, item.trust)
    last = max(
        (one.time for one in spans if one.time is not None), default=item.last_confirmed
    )
    return replace(
        item,
        evidence=spans,
        source_count=sessions,
        confidence=sure,
        status=status,
        reason=reason,
        last_confirmed=max(filter(None, (last, item.last_confirmed)), default=None),
        expires=max(
            filter(None, (expiry(item.category, last), item.expires)), default=None
        ),
        fingerprints=tuple(
            dict.fromkeys((*item.fingerprints, *(fingerprints if item.remedy else ())))
        )[:MARKS],
    )


def _span(one: Evidence) -> tuple[str, int, str, int, int]:
    return one.session, one.line, one.part, one.start, one.length
