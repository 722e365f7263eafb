"""An error beside a context: was its lesson in view, and if not, why; and does the remedy in view hold."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence

from msgspec.structs import replace

from afterglow.harvest.replaced_items import is_replaced
from afterglow.records.context import Context, Why
from afterglow.records.knowledge import Finding, KnowledgeItem
from afterglow.records.replay import Failure, Kind, Meeting, Sight
from afterglow.records.tools import is_shell

# Of several reasons the one that kept an item out last: it had come farthest.
NEAREST: tuple[Why, ...] = (
    "budget",
    "similar",
    "worth",
    "moment",
    "check",
    "stale",
    "confidence",
    "status",
    "scope",
)

_CODE = re.compile(r"`([^`<>…]{6,})`")
_LEFT_OUT = re.compile(r"\bwithout `([^`<>…]+)`")


def sight(
    failure: Failure, first: bool, telling: Sequence[KnowledgeItem], context: Context
) -> Sight:
    """What was known of an error. `telling` are all known items that tell of it, in the context or not."""
    ids_in_view = {choice.item for choice in context.shown}
    in_view = tuple(item for item in telling if item.id in ids_in_view)
    wide = not is_shell(failure.tool) or any(map(is_wide, in_view or telling))
    if first:
        return Sight(failure, "first", in_view, wide=wide)
    if in_view:
        return Sight(failure, _kind_in_view(in_view), in_view, wide=wide)
    if not telling:
        return Sight(failure, "unknown", wide=wide)
    why, detail = _nearest_reason(telling, context)
    return Sight(failure, "not shown", why=why, detail=detail, wide=wide)


def _kind_in_view(items: Sequence[KnowledgeItem]) -> Kind:
    has_remedy = any(item.remedy for item in items)
    return "in view" if has_remedy else "no remedy"


def _nearest_reason(
    telling: Sequence[KnowledgeItem], context: Context
) -> tuple[Why, str]:
    """Why none of the items stood in the context; one that was not weighed at all is of another repository."""
    left_out = {omission.item: omission for omission in context.left_out}
    reasons = [left_out[item.id] for item in telling if item.id in left_out]
    if not reasons:
        return "scope", ""
    nearest = min(reasons, key=lambda omission: NEAREST.index(omission.why))
    return nearest.why, nearest.detail


def is_wide(item: KnowledgeItem) -> bool:
    """About the agent's own tools, whatever the repository."""
    return bool(item.agent) and not item.repo


def judged(
    sight: Sight, final: Mapping[str, KnowledgeItem], against: Collection[str]
) -> Sight:
    """The sight again, with the knowledge of hindsight: harm where a remedy in view does not hold. `final` is what is
    known in the end, `against` the topics that the session itself speaks against."""
    if sight.kind != "in view":
        return sight
    for item in sight.items:
        if not item.remedy:
            continue
        why = wrong(item, final, against) or tried(item, sight.failure)
        if why:
            return replace(sight, kind="harm", detail=f"{item.id}: {why}")
    return sight


def wrong(
    item: KnowledgeItem, final: Mapping[str, KnowledgeItem], against: Collection[str]
) -> str:
    """Why an item that was shown turned out not to hold, or nothing."""
    last = final.get(item.id, item)
    if any(topic in against for topic in item.topics):
        return "this session speaks against it"
    if is_replaced(last) and last.superseded_by in final:
        return f"{last.superseded_by} says otherwise now"
    if last.against > item.against and last.status != "active":
        return f"contradicted by {last.against} sessions"
    return ""


def tried(item: KnowledgeItem, failure: Failure) -> str:
    """Whether the remedy had been tried when the error came: its code stands in the call that failed, or in one since
    the session met the same error before. A linter finds a rule broken again at another place: that says nothing. A
    call with what the remedy says to leave out (`bun test` without `rtk`) does not try it."""
    if failure.fingerprint.startswith("lint: "):
        return ""
    left_out = _LEFT_OUT.findall(item.remedy)
    attempts = [
        " ".join(deed.split())
        for deed in failure.did
        if not any(_has_word(deed, code) for code in left_out)
    ]
    for span in _CODE.findall(item.remedy):
        is_word = re.search(r"\W", span) is None
        code = " ".join(span.split())
        if not is_word and any(code in attempt for attempt in attempts):
            return f"`{code}` did not help"
    return ""


def _has_word(text: str, word: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text) is not None


def meetings(
    failures: Sequence[Failure],
    telling: Mapping[str, Sequence[KnowledgeItem]],
    findings: Sequence[Finding],
    repo: str,
) -> tuple[Meeting, ...]:
    """The known items whose error came in a session, and whether they held: the session, which did not know them, came
    to the same remedy by itself."""
    confirmed_topics: set[str] = set()
    for finding in findings:
        if not finding.against and finding.slots.get("remedy", "?"):
            confirmed_topics.add(finding.topic)
    met: dict[str, KnowledgeItem] = {}
    for mark in {failure.fingerprint for failure in failures}:
        for item in telling.get(mark, ()):
            if _may_hold(item, repo):
                met[item.id] = item
    results = []
    for id in sorted(met):
        item = met[id]
        held = not confirmed_topics.isdisjoint(item.topics)
        results.append(Meeting(id, item.confidence, held))
    return tuple(results)


def _may_hold(item: KnowledgeItem, repo: str) -> bool:
    """It has a remedy, is of this repository or of any, and was not put aside."""
    if not item.remedy or item.repo not in {"", repo}:
        return False
    return item.status in {"active", "candidate"}
