"""Findings of one topic, from however many sessions, become one item; and items find their place among one another.

All of it is plain values in and out: the flow hands in what is known already.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from afterglow.harvest.agreeing_findings import session_ids
from afterglow.harvest.confidence import (
    DAY,
    DIRECT,
    MIN_WITNESSES,
    TRUSTED,
    estimate,
    expiry,
    status_of,
)
from afterglow.harvest.independence import independent, is_obeying, witnesses
from afterglow.harvest.replaced_items import is_replaced_by_word
from afterglow.harvest.scope import scope_of
from afterglow.harvest.screen import danger, vague
from afterglow.harvest.supersession import is_own_word, resolve
from afterglow.records.knowledge import (
    Evidence,
    Finding,
    KnowledgeItem,
    Status,
    Telling,
    Trust,
    lowest,
)
from afterglow.text.clip import clip

MAX_SPANS = 40  # pieces of evidence an item keeps: enough to trace it, few enough to carry around
MAX_SPANS_OF_SESSION = 4  # one long session does not push the others out
MAX_FACT_CHARACTERS = 500  # a longer one is no sentence to be told
MAX_FINGERPRINTS = 20  # an item is found by its errors; more than these are variants

WORDS = ("fact", "situation", "remedy", "category", "tags", "domain")


def id_of(topic: str) -> str:
    """The same topic has the same id on every machine."""
    return (
        "k" + blake2b(topic.encode("utf-8", "surrogatepass"), digest_size=5).hexdigest()
    )


def in_order(findings: Iterable[Finding]) -> list[Finding]:
    """Oldest first; the same whatever order they came in."""
    return sorted(findings, key=_finding_order)


def _finding_order(finding: Finding) -> tuple[object, ...]:
    return (
        _moment(finding.first),
        finding.topic,
        sorted(finding.slots.items()),
        finding.first.session,
    )


def _moment(span: Evidence) -> tuple[object, ...]:
    """When it was said, and where in its session: which one that is says no more, for a hub has other names for them."""
    return span.time or 0.0, span.line, span.part, span.start, span.hash


class _Support(Struct, frozen=True):
    """What speaks for an item and against it, and since when."""

    spans: list[Evidence]
    sessions: int
    witnesses: int
    against: int
    trust: Trust
    first: float | None
    last: float | None
    idle_days: float


def item_of(
    telling: Telling,
    findings: Sequence[Finding],
    before: KnowledgeItem | None,
    newest: Mapping[str, float],
) -> KnowledgeItem | str:
    """The item that all findings of its topics add up to, or why it is not worth keeping.

    `newest` says when each repository was last worked in: what nobody confirmed since grows old. A person's words and
    decisions stay.
    """
    findings = [findings[place] for place in telling.rests_on] or findings
    fact = clip(" ".join(telling.fact.split()), MAX_FACT_CHARACTERS)
    if reason := vague(fact):
        return f"vague: {reason}"
    support = _support(findings, before, newest)
    if not support.spans:
        return "nothing speaks for it"
    confidence = estimate(
        telling.directness,
        support.sessions,
        support.against,
        _standing(support.spans, support.trust),
        support.idle_days,
    )
    status, reason = _status(telling, findings, fact, support, confidence)
    repo, agent = scope_of(support.spans, agent_wide=telling.agent_wide)
    topics = _topics(findings, before)
    item = KnowledgeItem(
        id=before.id if before else id_of(topics[0]),
        fact=fact,
        category=telling.category,
        status=status,
        reason=reason,
        domain=telling.domain,
        repo=repo,
        agent=agent,
        confidence=confidence,
        tags=tuple(sorted(set(telling.tags))),
        source_count=support.sessions,
        times=telling.times,
        worked=telling.worked,
        against=support.against,
        first_seen=support.first,
        last_confirmed=support.last,
        expires=expiry(telling.category, support.last),
        situation=clip(telling.situation, MAX_FACT_CHARACTERS),
        remedy=clip(telling.remedy, MAX_FACT_CHARACTERS),
        fingerprints=_fingerprints(findings),
        cost=_cost(findings),
        trust=support.trust,
        miner=findings[0].miner,
        topics=topics,
        key=telling.key,
        value=telling.value,
        evidence=_enough_to_trace(support.spans),
    )
    if before is None:
        return item
    sessions = len(session_ids(findings))
    return _with_decisions(item, before, sessions)


def _support(
    findings: Sequence[Finding],
    before: KnowledgeItem | None,
    newest: Mapping[str, float],
) -> _Support:
    spans = list(before.evidence) if before else []
    contradicting: set[str] = set()
    for finding in findings:
        if finding.against:
            contradicting.update(span.session for span in finding.evidence)
        else:
            spans += finding.evidence
    spans = _ordered(spans)
    times = [span.time for span in spans if span.time is not None]
    last = max(times, default=None)
    return _Support(
        spans=spans,
        sessions=max(independent(spans), _lost_sessions(before, findings)),
        witnesses=witnesses(spans),
        against=len(contradicting),
        trust=lowest(span.trust for span in spans),
        first=min(times, default=None),
        last=last,
        idle_days=_idle_days(spans, last, newest),
    )


def _idle_days(
    spans: Sequence[Evidence], last: float | None, newest: Mapping[str, float]
) -> float:
    """For how long its repositories went on without confirming it."""
    went_on = max(
        (newest[span.repo] for span in spans if span.repo in newest), default=last
    )
    if went_on is None or last is None:
        return 0.0
    return (went_on - last) / DAY


def _lost_sessions(before: KnowledgeItem | None, findings: Sequence[Finding]) -> int:
    """How many sessions an item was known to rest on, where not all of them can be counted again."""
    if before is None:
        return 0
    earlier = {span.session for span in before.evidence}
    if earlier <= session_ids(findings):
        return 0
    return before.source_count


def _status(
    telling: Telling,
    findings: Sequence[Finding],
    fact: str,
    support: _Support,
    confidence: float,
) -> tuple[Status, str]:
    threats = (finding.danger for finding in findings if finding.danger)
    threat = next(threats, "") or danger(fact, support.trust)
    if threat:
        return "quarantined", threat
    is_stated = telling.directness >= DIRECT
    return status_of(
        confidence,
        support.witnesses,
        support.against,
        support.trust,
        is_own_word=is_stated and is_own_word(findings[0].miner, support.spans),
        is_obeying=is_obeying(support.spans),
    )


def _topics(
    findings: Sequence[Finding], before: KnowledgeItem | None
) -> tuple[str, ...]:
    earlier = before.topics if before else ()
    topics = sorted({finding.topic for finding in findings})
    return tuple(dict.fromkeys([*earlier, *topics]))


def _fingerprints(findings: Sequence[Finding]) -> tuple[str, ...]:
    marks = {finding.fingerprint for finding in findings if finding.fingerprint}
    return tuple(sorted(marks))[:MAX_FINGERPRINTS]


def _cost(findings: Sequence[Finding]) -> float:
    costs = [finding.cost for finding in findings if finding.cost]
    if not costs:
        return 0.0
    return round(sum(costs) / len(costs), 1)


def _standing(spans: Sequence[Evidence], trust: Trust) -> Trust:
    """What caps confidence: the lowest trust, unless enough sessions speak for the item without any such text."""
    doubtful = {span.session for span in spans if span.trust not in TRUSTED}
    if not doubtful:
        return trust
    clean = [span for span in spans if span.session not in doubtful]
    if independent(clean) < MIN_WITNESSES:
        return trust
    return lowest(span.trust for span in clean)


def _ordered(spans: Iterable[Evidence]) -> list[Evidence]:
    """Each span once, oldest first."""
    unique = {
        (span.session, span.line, span.part, span.start, span.length): span
        for span in spans
    }
    return sorted(unique.values(), key=lambda span: (_moment(span), span.session))


def _enough_to_trace(spans: Sequence[Evidence]) -> tuple[Evidence, ...]:
    """The first sessions and the last ones, a few spans of each; of everybody something, where people are few."""
    by_session: dict[str, list[Evidence]] = defaultdict(list)
    for span in spans:
        if len(by_session[span.session]) < MAX_SPANS_OF_SESSION:
            by_session[span.session].append(span)
    few = [span for group in by_session.values() for span in group]
    if len(few) <= MAX_SPANS:
        return tuple(few)
    half = MAX_SPANS // 2
    chosen = (*few[:half], *few[-half:])
    unheard = {span.author for span in few} - {span.author for span in chosen}
    if not unheard:
        return chosen
    further = [span for span in few[half:-half] if span.author in unheard]
    heard = further[: MAX_SPANS // 4]
    return (*few[: half - len(heard)], *heard, *few[-half:])


def _with_decisions(
    item: KnowledgeItem, before: KnowledgeItem, sessions: int
) -> KnowledgeItem:
    """What a person decided or wrote stays; words told from fewer sessions than are known do not replace others."""
    from_fewer = sessions < len({span.session for span in before.evidence})
    stays: dict[str, Any] = {"related": before.related}
    if before.edited or from_fewer:
        stays |= {name: getattr(before, name) for name in WORDS}
    if from_fewer and before.times > item.times:
        stays |= {"times": before.times, "worked": before.worked}
    if before.edited:
        stays |= {"edited": True, "repo": before.repo, "agent": before.agent}
    if before.decided:
        stays |= _decision(item, before)
    if before.decided or is_replaced_by_word(before):
        stays |= _replacement(before)
    return replace(item, **stays)


def _replacement(before: KnowledgeItem) -> dict[str, Any]:
    """Who replaced it stays, where that does not follow from the findings."""
    if before.status != "superseded":
        return {}
    return {
        "status": before.status,
        "reason": before.reason,
        "superseded_by": before.superseded_by,
    }


def _decision(item: KnowledgeItem, before: KnowledgeItem) -> dict[str, Any]:
    """A person's word confirms, too."""
    confidence = before.confidence
    if before.status == "active":
        confidence = max(confidence, item.confidence)
    return {
        "status": before.status,
        "reason": before.reason,
        "decided": True,
        "confidence": confidence,
        "last_confirmed": _later(before.last_confirmed, item.last_confirmed),
        "expires": _later(before.expires, item.expires),
    }


def _later(*times: float | None) -> float | None:
    return max(filter(None, times), default=None)


def settle(
    items: Iterable[KnowledgeItem],
    erased: Collection[str] = (),
    may_replace: Callable[[KnowledgeItem], bool] = lambda item: True,
) -> list[KnowledgeItem]:
    """What items do to one another; returns those that change. `erased` ones replace nobody any more.

    Of two decisions on one matter the newer holds; an error that is known with its remedy needs no item that says no
    remedy is known.
    """
    by_id = {item.id: item for item in sorted(items, key=lambda item: item.id)}
    deciding = filter(may_replace, by_id.values())
    changed = {item.id: item for item in resolve(deciding, deleted=erased)}
    changed |= {item.id: item for item in _solved(by_id)}
    return [item for item in changed.values() if item != by_id[item.id]]


def _solved(by_id: Mapping[str, KnowledgeItem]) -> Iterator[KnowledgeItem]:
    """Those that know no remedy of an error, where another does."""
    remedies: dict[str, KnowledgeItem] = {}
    for item in by_id.values():
        # Who wrote an item's words knew what they say.
        if item.status == "active" and (item.remedy or item.edited):
            remedies.update(dict.fromkeys(item.fingerprints, item))
    for item in filter(_is_open, by_id.values()):
        solution = _solution(item, remedies)
        if solution is not None:
            reason = f"its remedy is known: {solution.id}"
            yield replace(
                item, status="superseded", superseded_by=solution.id, reason=reason
            )


def _solution(
    item: KnowledgeItem, remedies: Mapping[str, KnowledgeItem]
) -> KnowledgeItem | None:
    """What solves the first of an item's errors that has a remedy, if it holds where the item does."""
    solvable = [mark for mark in item.fingerprints if mark in remedies]
    if not solvable:
        return None
    solution = remedies[solvable[0]]
    holds_there = solution.repo in {"", item.repo}
    return solution if holds_there and solution.id != item.id else None


def _is_open(item: KnowledgeItem) -> bool:
    if item.remedy or item.decided or item.edited:
        return False
    return item.status in {"active", "candidate"}
