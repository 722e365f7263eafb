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
    return replace(before, decided=False, edited=False, approved="", reason="")


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
    worded = _worded(item, edits)
    mark, about = approval_mark(worded), {approval_mark(item)}
    yes = [each for each in decisions if _approves(each, mark)]
    no = [each for each in decisions if _takes_out(each, about | {mark})]
    if len({_words(each) for each in edits}) > 1:
        names = _names(edits)
        return replace(
            item, status="candidate", reason=f"{names} edited it in different words"
        )
    if yes and no:
        reason = (
            f"{_names(yes)} approved it, {_names(no)} rejected it: needs a review here"
        )
        return replace(item, status="candidate", reason=reason)
    if yes:
        return replace(
            worded,
            status="active",
            decided=True,
            edited=bool(edits),
            approved=mark,
            confidence=max(item.confidence, CONFIDENCE_OF_APPROVAL),
            reason=f"approved by {_names(yes)} {AT_HOME}",
        )
    if no:
        whats = " and ".join(sorted({each.decision.what for each in no}))
        why = next((each.decision.why for each in no if each.decision.why), "")
        reason = f"{whats} by {_names(no)} {AT_HOME}" + (
            f": {clip(why, MAX_PROPOSAL)}" if why else ""
        )
        return replace(item, status="retired", decided=True, reason=reason)
    return None


def _worded(item: KnowledgeItem, edits: Iterable[MemberDecision]) -> KnowledgeItem:
    for each in edits:
        made = each.decision
        return replace(
            item,
            category=made.category,
            fact=made.fact,
            situation=made.situation,
            remedy=made.remedy,
        )
    return item


def _words(each: MemberDecision) -> tuple[Any, ...]:
    made = each.decision
    return made.category, made.fact, made.situation, made.remedy


def _approves(each: MemberDecision, mark: str) -> bool:
    made = each.decision
    return made.what == "edited" or (made.what == "approved" and made.mark == mark)


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
    told = sorted({_proposal(each) for each in proposals})[:MAX_NAMED]
    return replace(item, reason="; ".join([item.reason, *told]))


def _proposal(each: MemberDecision) -> str:
    made = each.decision
    if made.what == "edited":
        return f"{each.name} would say: {clip(made.fact, MAX_PROPOSAL)}"
    why = f" ({clip(made.why, MAX_PROPOSAL)})" if made.why else ""
    return f"{each.name} {made.what} it {AT_HOME}{why}"
