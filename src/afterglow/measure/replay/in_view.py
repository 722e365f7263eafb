"""An error beside a context: was its lesson in view, and if not, why; and does the remedy in view hold."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence

from msgspec.structs import replace

from afterglow.records.context import Context, Why
from afterglow.records.knowledge import Finding, KnowledgeItem
from afterglow.records.replay import Failure, Meeting, Sight
from afterglow.records.tools import is_shell

# Of several reasons the one that kept an item out last: it had come farthest.
NEAREST: tuple[Why, ...] = (
    "budget",
    "similar",
    "worth",
    "check",
    "stale",
    "confidence",
    "status",
    "scope",
)

_CODE = re.compile(r"`([^`<>…]{6,})`")


def sight(
    failure: Failure, first: bool, telling: Sequence[KnowledgeItem], context: Context
) -> Sight:
    """What was known of an error. `telling` are all known items that tell of it, in the context or not."""
    shown = {one.item for one in context.shown}
    seen = tuple(item for item in telling if item.id in shown)
    wide = not is_shell(failure.tool) or any(is_wide(item) for item in seen or telling)
    if first:
        return Sight(failure, "first", seen, wide=wide)
    if seen:
        return Sight(
            failure,
            "in view" if any(item.remedy for item in seen) else "no remedy",
            seen,
            wide=wide,
        )
    if not telling:
        return Sight(failure, "unknown", wide=wide)
    left = {one.item: one for one in context.left_out}
    reasons = [left[item.id] for item in telling if item.id in left]
    nearest = min(
        reasons, key=lambda one: NEAREST.index(one.why), default=None
    )  # none: of another repository
    why: Why = nearest.why if nearest else "scope"
    return Sight(
        failure,
        "not shown",
        why=why,
        detail=nearest.detail if nearest else "",
        wide=wide,
    )


def is_wide(item: KnowledgeItem) -> bool:
    """About the agent's own tools, whatever the repository."""
    return bool(item.agent) and not item.repo


def judged(
    one: Sight, final: Mapping[str, KnowledgeItem], against: Collection[str]
) -> Sight:
    """The sight again, with the knowledge of hindsight: harm where a remedy in view does not hold. `final` is what is
    known in the end, `against` the topics that the session itself speaks against."""
    if one.kind == "in view":
        for item in one.items:
            if item.remedy and (
                why := wrong(item, final, against) or tried(item, one.failure)
            ):
                return replace(one, kind="harm", detail=f"{item.id}: {why}")
    return one


def wrong(
    item: KnowledgeItem, final: Mapping[str, KnowledgeItem], against: Collection[str]
) -> str:
    """Why an item that was shown turned out not to hold, or nothing."""
    last = final.get(item.id, item)
    if any(topic in against for topic in item.topics):
        return "this session speaks against it"
    rival = final.get(last.superseded_by)
    if (
        last.status == "superseded"
        and rival
        and rival.key == last.key
        and rival.value != last.value
    ):
        return f"{rival.id} says otherwise now"
    if last.against > item.against and last.status != "active":
        return f"contradicted by {last.against} sessions"
    return ""


def tried(item: KnowledgeItem, failure: Failure) -> str:
    """Whether the remedy had been tried when the error came: its code stands in the call that failed, or in one since
    the session met the same error before. A linter finds a rule broken again at another place: that says nothing."""
    if failure.fingerprint.startswith("lint: "):
        return ""
    codes = [
        " ".join(code.split())
        for code in _CODE.findall(item.remedy)
        if re.search(r"\W", code)
    ]
    done = [" ".join(deed.split()) for deed in failure.did]
    return next(
        (
            f"`{code}` did not help"
            for code in codes
            if any(code in deed for deed in done)
        ),
        "",
    )


def meetings(
    failures: Sequence[Failure],
    telling: Mapping[str, Sequence[KnowledgeItem]],
    findings: Sequence[Finding],
    repo: str,
) -> tuple[Meeting, ...]:
    """The known items whose error came in a session, and whether they held: the session, which did not know them, came
    to the same remedy by itself."""
    found = {
        one.topic
        for one in findings
        if not one.against and one.slots.get("remedy", "?")
    }
    met = {
        item.id: item
        for mark in {failure.fingerprint for failure in failures}
        for item in telling.get(mark, ())
        if item.remedy
        and item.repo in {"", repo}
        and item.status in {"active", "candidate"}
    }
    return tuple(
        Meeting(item.id, item.confidence, not found.isdisjoint(item.topics))
        for _, item in sorted(met.items())
    )
