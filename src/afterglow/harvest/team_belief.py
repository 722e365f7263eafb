"""What a team may believe: a person's lesson reaches others after a reviewer's yes, or with a second person's sessions.

On one's own machine one's own items hold as they always did. At a hub, words that a reviewer approved stay as they were
approved, whatever further sessions would say; what people decided on their own machines counts as theirs where they
review, and is a proposal where they do not; where reviewers disagree it waits for one who looks at both.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from afterglow.harvest.confidence import MIN_WITNESSES
from afterglow.harvest.independence import witnesses, witnessing_people
from afterglow.harvest.merge import WORDS
from afterglow.records.contributions import SharedDecision
from afterglow.records.knowledge import (
    WITHDRAWN,
    KnowledgeItem,
    approval_mark,
    is_approved,
)
from afterglow.text.clip import clip

MIN_PEOPLE = 2
ONE_PERSON = "one person's sessions show it: a second person's, or a reviewer, makes it active for the team"
# How a decision is told that came from a person's own machine: it is theirs to take back.
AT_HOME = "on their own machine"
CONFIDENCE_OF_APPROVAL = 0.8  # at least, as of an approval at home
MAX_PROPOSAL = 160  # characters of the words that somebody would rather have
MAX_NAMED = 3  # proposals that a reason repeats


class MemberDecision(Struct, frozen=True):
    """What a member decided on their own machine, about an item of which repository, and whether they review there."""

    name: str
    repo: str
    reviews: bool
    decision: SharedDecision


def before_home_decisions(before: KnowledgeItem) -> KnowledgeItem:
    """Without what came of decisions on people's own machines: they are counted anew."""
    if not before.decided or AT_HOME not in before.reason:
        return before
    mark = WITHDRAWN if before.approved else ""
    return replace(before, decided=False, edited=False, approved=mark, reason="")


def believed(
    item: KnowledgeItem,
    before: KnowledgeItem | None,
    decisions: Sequence[MemberDecision] = (),
) -> KnowledgeItem:
    """The item as a team may hold it. `before` is what the hub had, `decisions` are those about its topics."""
    if before is not None and before.decided and _is_approved_here(before):
        words = {name: getattr(before, name) for name in WORDS}
        item = replace(item, **words, approved=before.approved)
    if item.decided:
        return item  # somebody looked at it here
    about = [each for each in decisions if each.repo == item.repo]
    decided = _decided(item, [each for each in about if each.reviews])
    if decided is not None:
        return decided
    proposals = [each for each in about if not each.reviews]
    return _with_proposals(_supported(item), proposals)


def outlives_support(item: KnowledgeItem, *, has_findings: bool) -> bool:
    """A no holds, and words that a reviewer wrote are theirs. What was approved goes with the last session behind it."""
    is_rejected = item.decided and item.status == "retired"
    return is_rejected or item.edited or (item.decided and has_findings)


def may_replace_others(item: KnowledgeItem) -> bool:
    """One person's newer word waits for review before it puts out of force what the team has."""
    is_of_team = item.decided or item.edited or item.status != "candidate"
    return is_of_team or witnessing_people(item.evidence) >= MIN_PEOPLE


def _is_approved_here(item: KnowledgeItem) -> bool:
    return item.status == "active" and is_approved(item)


def _supported(item: KnowledgeItem) -> KnowledgeItem:
    if item.status != "active":
        return item
    people = witnessing_people(item.evidence)
    if people < MIN_PEOPLE:
        return replace(item, status="candidate", reason=ONE_PERSON)
    count = max(witnesses(item.evidence), MIN_WITNESSES)
    return replace(item, reason=f"{count} independent sessions of {people} people")


def _decided(
    item: KnowledgeItem, decisions: Sequence[MemberDecision]
) -> KnowledgeItem | None:
    """What reviewers' decisions make of it, where there are any about exactly these words."""
    edits = [each for each in decisions if each.decision.what == "edited"]
    if len(set(map(_words, edits))) > 1:
        return _in_dispute(item, f"{_names(edits)} edited it in different words")
    worded = _worded(item, edits)
    mark = approval_mark(worded)
    yes = [each for each in decisions if _approves(each, mark)]
    no = [each for each in decisions if _takes_out(each, {approval_mark(item), mark})]
    if yes and no:
        return _in_dispute(item, f"{_names(yes)} approved it, {_names(no)} rejected it")
    if yes:
        return _approved(worded, yes, is_edited=bool(edits))
    return _taken_out(item, no) if no else None


def _in_dispute(item: KnowledgeItem, reason: str) -> KnowledgeItem:
    return replace(item, status="candidate", reason=f"{reason}: needs a review here")


def _approved(
    item: KnowledgeItem, decisions: Sequence[MemberDecision], *, is_edited: bool
) -> KnowledgeItem:
    return replace(
        item,
        status="active",
        decided=True,
        edited=is_edited,
        approved=approval_mark(item),
        confidence=max(item.confidence, CONFIDENCE_OF_APPROVAL),
        reason=f"approved by {_names(decisions)} {AT_HOME}",
    )


def _taken_out(
    item: KnowledgeItem, decisions: Sequence[MemberDecision]
) -> KnowledgeItem:
    verdicts = " and ".join(sorted({each.decision.what for each in decisions}))
    whys = sorted({each.decision.why for each in decisions} - {""})
    because = f": {clip(whys[0], MAX_PROPOSAL)}" if whys else ""
    reason = f"{verdicts} by {_names(decisions)} {AT_HOME}{because}"
    return replace(item, status="retired", decided=True, reason=reason)


def _worded(item: KnowledgeItem, edits: Iterable[MemberDecision]) -> KnowledgeItem:
    for each in edits:
        category, fact, situation, remedy = _words(each)
        return replace(
            item, category=category, fact=fact, situation=situation, remedy=remedy
        )
    return item


def _words(each: MemberDecision) -> tuple[Any, ...]:
    decision = each.decision
    return decision.category, decision.fact, decision.situation, decision.remedy


def _approves(each: MemberDecision, mark: str) -> bool:
    decision = each.decision
    is_same = decision.what == "approved" and decision.mark == mark
    return is_same or decision.what == "edited"


def _takes_out(each: MemberDecision, marks: set[str]) -> bool:
    return each.decision.what in {"rejected", "retired"} and each.decision.mark in marks


def _names(decisions: Iterable[MemberDecision]) -> str:
    return " and ".join(sorted({each.name for each in decisions}))


def _with_proposals(
    item: KnowledgeItem, proposals: Sequence[MemberDecision]
) -> KnowledgeItem:
    """What members would have, who do not review here: said to who does."""
    if not proposals or item.status not in {"active", "candidate"}:
        return item
    sentences = sorted({_proposal(each) for each in proposals})[:MAX_NAMED]
    return replace(item, reason="; ".join([item.reason, *sentences]))


def _proposal(each: MemberDecision) -> str:
    decision = each.decision
    if decision.what == "edited":
        return f"{each.name} would say: {clip(decision.fact, MAX_PROPOSAL)}"
    why = f" ({clip(decision.why, MAX_PROPOSAL)})" if decision.why else ""
    return f"{each.name} {decision.what} it {AT_HOME}{why}"
