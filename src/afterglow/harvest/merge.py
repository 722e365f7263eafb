"""Findings of one topic, from however many sessions, become one item; and items find their place among one another.

All of it is plain values in and out: the flow hands in what is known already.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from hashlib import blake2b
from typing import Any

from msgspec.structs import replace

from afterglow.harvest.confidence import DAY, TRUSTED, estimate, expiry, status_of
from afterglow.harvest.screen import danger, vague
from afterglow.harvest.trust import independent
from afterglow.records.knowledge import (
    Evidence,
    Finding,
    KnowledgeItem,
    Telling,
    Trust,
    lowest,
)
from afterglow.text.clip import clip

ENOUGH = 2  # independent sessions without doubtful text, that need no other
SPANS, SPANS_OF_SESSION = (
    40,
    4,
)  # pieces of evidence an item keeps, in all and of one session
LONGEST = 500  # characters of a fact


def id_of(topic: str) -> str:
    """The same topic has the same id on every machine."""
    return (
        "k" + blake2b(topic.encode("utf-8", "surrogatepass"), digest_size=5).hexdigest()
    )


def item_of(
    told: Telling,
    findings: Sequence[Finding],
    before: KnowledgeItem | None,
    newest: Mapping[str, float],
) -> KnowledgeItem | str:
    """The item that all findings of its topics add up to, or why it is not worth keeping.

    `newest` says when each repository was last worked in: what nobody confirmed since grows old. A person's words and
    decisions stay.
    """
    findings = [findings[place] for place in told.rests_on] or findings
    fact = clip(" ".join(told.fact.split()), LONGEST)
    if reason := vague(fact):
        return f"vague: {reason}"
    known = before.evidence if before else ()
    confirming = _ordered(
        [*known, *(one for f in findings if not f.against for one in f.evidence)]
    )
    if not confirming:
        return "nothing speaks for it"
    against = len({one.session for f in findings if f.against for one in f.evidence})
    trust = lowest(one.trust for one in confirming)
    sessions = max(independent(confirming), _lost(before, findings))
    times = [one.time for one in confirming if one.time is not None]
    last = max(times, default=None)
    repo, agent = _scope(confirming, told)
    worked = max(
        (newest[one.repo] for one in confirming if one.repo in newest), default=last
    )
    idle = (worked - last) / DAY if worked is not None and last is not None else 0.0
    confidence = estimate(
        told.directness, sessions, against, _standing(confirming, trust), idle
    )
    status, reason = status_of(told.directness, confidence, sessions, against, trust)
    threat = next((f.danger for f in findings if f.danger), "") or danger(fact, trust)
    if threat:
        status, reason = "quarantined", threat
    topics = tuple(
        dict.fromkeys(
            [*(before.topics if before else ()), *sorted({f.topic for f in findings})]
        )
    )
    costs = [f.cost for f in findings if f.cost]
    item = KnowledgeItem(
        id=before.id if before else id_of(topics[0]),
        fact=fact,
        category=told.category,
        status=status,
        reason=reason,
        domain=told.domain,
        repo=repo,
        agent=agent,
        confidence=confidence,
        tags=tuple(sorted(set(told.tags))),
        source_count=sessions,
        times=told.times,
        worked=told.worked,
        against=against,
        first_seen=min(times, default=None),
        last_confirmed=last,
        expires=expiry(told.category, last),
        situation=clip(told.situation, LONGEST),
        remedy=clip(told.remedy, LONGEST),
        fingerprints=tuple(sorted({f.fingerprint for f in findings if f.fingerprint}))[
            :20
        ],
        cost=round(sum(costs) / len(costs), 1) if costs else 0.0,
        trust=trust,
        miner=findings[0].miner,
        topics=topics,
        key=told.key,
        value=told.value,
        evidence=_kept(confirming),
    )
    return _with_decisions(
        item, before, told_from=len({f.first.session for f in findings})
    )


def _lost(before: KnowledgeItem | None, findings: Sequence[Finding]) -> int:
    """How many sessions an item was known to rest on, where not all of them can be counted again."""
    if before is None or {one.session for one in before.evidence} <= {
        f.first.session for f in findings
    }:
        return 0
    return before.source_count


def _standing(evidence: Sequence[Evidence], trust: Trust) -> Trust:
    """What caps confidence: the lowest trust, unless enough sessions speak for the item without any such text."""
    doubtful = {one.session for one in evidence if one.trust not in TRUSTED}
    clean = [one for one in evidence if one.session not in doubtful]
    return lowest(one.trust for one in clean) if independent(clean) >= ENOUGH else trust


def _ordered(evidence: Iterable[Evidence]) -> list[Evidence]:
    """Each span once, oldest first."""
    unique = {
        (one.session, one.line, one.part, one.start, one.length): one
        for one in evidence
    }
    return sorted(
        unique.values(),
        key=lambda one: (one.time or 0.0, one.session, one.line, one.part, one.start),
    )


def _kept(evidence: Sequence[Evidence]) -> tuple[Evidence, ...]:
    """Enough to trace an item: the first sessions and the last ones, a few spans of each."""
    by_session: dict[str, list[Evidence]] = defaultdict(list)
    for one in evidence:
        if len(by_session[one.session]) < SPANS_OF_SESSION:
            by_session[one.session].append(one)
    groups = list(by_session.values())
    half = SPANS // 2
    head = [one for group in groups for one in group]
    return tuple(head if len(head) <= SPANS else [*head[:half], *head[-half:]])


def _scope(evidence: Sequence[Evidence], told: Telling) -> tuple[str, str]:
    """Where it held: one repository, or everywhere when several; and for one agent when it is about its tools."""
    repos, agents = (
        {one.repo for one in evidence if one.repo},
        {one.agent for one in evidence},
    )
    agent = next(iter(agents)) if told.agent_wide and len(agents) == 1 else ""
    return ("" if told.agent_wide or len(repos) != 1 else next(iter(repos))), agent


def _with_decisions(
    item: KnowledgeItem, before: KnowledgeItem | None, told_from: int
) -> KnowledgeItem:
    """What a person decided or wrote stays; words told from fewer sessions than are known do not replace others."""
    if before is None:
        return item
    kept: dict[str, Any] = {"related": before.related}
    told_from_fewer = told_from < len({one.session for one in before.evidence})
    if before.edited or told_from_fewer:
        kept |= {
            name: getattr(before, name)
            for name in ("fact", "situation", "remedy", "category", "tags", "domain")
        }
    if told_from_fewer and before.times > item.times:
        kept |= {"times": before.times, "worked": before.worked}
    if before.edited:
        kept |= {"edited": True, "repo": before.repo, "agent": before.agent}
    if before.decided:
        kept |= {"status": before.status, "reason": before.reason, "decided": True}
        kept["confidence"] = (
            max(before.confidence, item.confidence)
            if before.status == "active"
            else before.confidence
        )
        for name in ("last_confirmed", "expires"):  # a person's word confirms too
            kept[name] = max(
                filter(None, (getattr(before, name), getattr(item, name))), default=None
            )
    return replace(item, **kept)


def settle(items: Iterable[KnowledgeItem]) -> list[KnowledgeItem]:
    """What items do to one another; returns those that change.

    Of active items with the same key in the same place the newest holds, the others are superseded; an error that is
    known with its remedy needs no item that says no remedy is known.
    """
    all_ = {item.id: item for item in items}
    changed: dict[str, KnowledgeItem] = {}
    groups: dict[tuple[str, str], list[KnowledgeItem]] = defaultdict(list)
    solved: dict[str, KnowledgeItem] = {}
    for item in all_.values():
        if item.status in {"active", "superseded"} and not item.decided and item.key:
            groups[item.key, item.repo].append(item)
        if item.status == "active" and (
            item.remedy or item.edited
        ):  # who wrote its words knew what they say
            solved.update(dict.fromkeys(item.fingerprints, item))
    for group in groups.values():
        rivals = [
            item
            for item in group
            if item.status == "active" or item.superseded_by in all_
        ]
        newest = max(rivals, key=lambda item: (item.last_confirmed or 0.0, item.id))
        for item in rivals:
            if item.value != newest.value:
                changed[item.id] = _superseded(
                    item, newest, "a newer one says otherwise"
                )
    for item in all_.values():
        if item.status in {"active", "candidate"} and not (
            item.remedy or item.decided or item.edited
        ):
            known = next(
                (solved[mark] for mark in item.fingerprints if mark in solved), None
            )
            if known and known.id != item.id and known.repo in {"", item.repo}:
                changed[item.id] = _superseded(item, known, "its remedy is known")
    return [item for item in changed.values() if item != all_[item.id]]


def _superseded(item: KnowledgeItem, by: KnowledgeItem, why: str) -> KnowledgeItem:
    return replace(
        item, status="superseded", superseded_by=by.id, reason=f"{why}: {by.id}"
    )
