"""The hub's merger: the topics that contributions touched become items, by the merging of every machine.

It works for one organisation at a time, with a role that sees no tokens and cannot make active what neither a reviewer
nor a second person supports. Transactions are short; what is not committed is pending again.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence

import msgspec
from msgspec.structs import replace

from afterglow.flows.harvest import HomeRules, Merging
from afterglow.harvest.shared_lessons import LESSON_MINERS, tell_lesson
from afterglow.harvest.supersession import SPEECH
from afterglow.harvest.team_belief import (
    MemberDecision,
    before_home_decisions,
    believed,
    may_replace_others,
    outlives_support,
)
from afterglow.records.contributions import (
    DECISION,
    SharedDecision,
    hub_session,
    person_mark,
)
from afterglow.records.hub import HubPlace
from afterglow.records.knowledge import Evidence, Finding, KnowledgeItem, Telling
from afterglow.store.hub.contribution_rows import (
    StoredRow,
    claim_topics,
    names_of_people,
    person_reviews,
    rows_of_topics,
)
from afterglow.store.knowledge import Knowledge

MAX_MERGED_TOPICS = 400  # in one transaction: who reviews waits for less than a second

_finding = msgspec.json.Decoder(Finding)
_decision = msgspec.json.Decoder(SharedDecision)


def merge_pending(place: HubPlace, *, now: float | None = None) -> int:
    """Merges some of what is pending in the organisation of `place`; how many topics, 0 when nothing is left."""
    when = time.time() if now is None else now
    with Knowledge(place) as knowledge, knowledge.transaction():
        topics = claim_topics(knowledge.rows, MAX_MERGED_TOPICS)
        if topics:
            contributed = _Contributed(knowledge, place.org)
            merging = Merging(knowledge, {}, contributed.findings, rules=contributed)
            merging.merge(topics, when)
    return len(topics)


class _Contributed(HomeRules):
    """What the members of an organisation contributed, and the rules by which it becomes a team's knowledge."""

    is_whole = True

    def __init__(self, knowledge: Knowledge, org: int) -> None:
        super().__init__()
        self._rows, self._org = knowledge.rows, org
        self._decisions: dict[str, list[MemberDecision]] = {}
        self._reviews: dict[tuple[int, str], bool] = {}

    def findings(self, topics: Iterable[str]) -> dict[str, list[Finding]]:
        """Those of some topics; the decisions about them are kept for when items are judged."""
        listed = list(topics)
        by_topic: dict[str, list[Finding]] = defaultdict(list)
        decided: list[StoredRow] = []
        for row in rows_of_topics(self._rows, listed):
            if row.kind == DECISION:
                decided.append(row)
            else:
                by_topic[row.topic].append(self._finding(row))
        names = names_of_people(self._rows, {row.person for row in decided})
        for topic in listed:
            self._decisions[topic] = []
        for row in decided:
            self._decisions[row.topic].append(self._member_decision(row, names))
        return dict(by_topic)

    def _finding(self, row: StoredRow) -> Finding:
        """As the person's who brought it, whatever it says."""
        finding = _finding.decode(row.body)
        author = person_mark(self._org, row.person)
        words = finding.slots.get("words", "") if finding.miner in SPEECH else ""
        evidence = tuple(
            replace(
                span,
                author=author,
                session=hub_session(author, span.session),
                repo=row.repo,
                quote=span.quote or _spoken(span, words),
            )
            for span in finding.evidence
        )
        return replace(finding, evidence=evidence, topic=row.topic)

    def _member_decision(self, row: StoredRow, names: dict[int, str]) -> MemberDecision:
        place = row.person, row.repo
        if place not in self._reviews:
            self._reviews[place] = person_reviews(self._rows, *place)
        name = names.get(row.person, "somebody who left")
        decision = _decision.decode(row.body)
        return MemberDecision(name, row.repo, self._reviews[place], decision)

    def is_told(self, miner: str) -> bool:
        return miner in LESSON_MINERS or super().is_told(miner)

    def tell(self, findings: Sequence[Finding]) -> Telling | str:
        if findings[0].miner in LESSON_MINERS:
            return tell_lesson(findings)
        return super().tell(findings)

    def standing(self, item: KnowledgeItem) -> KnowledgeItem:
        return before_home_decisions(item)

    def outlives(self, item: KnowledgeItem, *, has_findings: bool) -> bool:
        return outlives_support(item, has_findings=has_findings)

    def basis(self, before: KnowledgeItem) -> KnowledgeItem:
        return replace(self.standing(before), evidence=(), source_count=0)

    def judged(
        self,
        item: KnowledgeItem,
        before: KnowledgeItem | None,
        topics: Collection[str],
    ) -> KnowledgeItem:
        decisions = [
            each for topic in sorted(topics) for each in self._decisions.get(topic, ())
        ]
        return believed(item, before, decisions)

    def may_replace(self, item: KnowledgeItem) -> bool:
        return may_replace_others(item)


def _spoken(span: Evidence, words: str) -> str:
    """A person's sentence, which the lesson says anyway, where quotes are not shared."""
    return words if span.trust == "user" else ""
