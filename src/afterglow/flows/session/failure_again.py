"""What a session would be told if a failure of the past came again now. Nothing is noted: nobody is told."""

from __future__ import annotations

from afterglow.config import Config
from afterglow.context.hints import hint, why_untold
from afterglow.flows.session.failure_line import items_about, opened_knowledge
from afterglow.records.problems import Event, SaidOnFailure
from afterglow.text.tokens import estimate

NOTHING_KNOWN = "no lesson is about this failure"
EXPLAINED = "its session's own state explains it, and there is nothing to do about it"


def said_on_failure(config: Config, repo: str, event: Event) -> SaidOnFailure:
    """The line, or why there is none."""
    with opened_knowledge(config) as knowledge:
        items = items_about(knowledge, repo, event.agent, event) if knowledge else []
    line = hint(event, items, (), estimate)
    if line is not None:
        return SaidOnFailure(text=line.text, item=line.item)
    reasons = [reason for item in items if (reason := why_untold(item, event))]
    if reasons:
        return SaidOnFailure(reason=reasons[0])
    is_explained = bool(event.state) and not event.explanation
    return SaidOnFailure(reason=EXPLAINED if is_explained else NOTHING_KNOWN)
