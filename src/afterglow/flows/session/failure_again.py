"""What sessions would be told if failures of the past came again now. Nothing is noted: nobody is told."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from afterglow.config import Config
from afterglow.context.hints import hint, why_untold
from afterglow.flows.session.failure_line import items_about, opened_knowledge
from afterglow.records.context import Hint
from afterglow.records.knowledge import KnowledgeItem
from afterglow.records.problems import Event, SaidOnFailure
from afterglow.text.tokens import estimate

NO_LESSON = "no lesson is about this failure"
EXPLAINED = "its session's own state explains it, and there is nothing to do about it"


def said_on_failure(
    config: Config, repo: str, events: Sequence[Event]
) -> SaidOnFailure:
    """To each of these failures, the newest last."""
    lines: list[tuple[Event, Hint]] = []
    reasons: Counter[str] = Counter()
    with opened_knowledge(config) as knowledge:
        for event in reversed(events):
            items: list[KnowledgeItem] = []
            if knowledge:
                items = items_about(knowledge, repo, event.agent, event)
            line = hint(event, items, (), estimate)
            if line is None:
                reasons[_reason(event, items)] += 1
            else:
                lines.append((event, line))
    if not lines:
        reason = reasons.most_common(1)[0][0] if reasons else NO_LESSON
        return SaidOnFailure(failures=len(events), reason=reason)
    event, line = lines[0]
    return SaidOnFailure(
        failures_told=len(lines),
        failures=len(events),
        command=event.command,
        text=line.text,
        item=line.item,
    )


def _reason(event: Event, items: Sequence[KnowledgeItem]) -> str:
    for item in items:
        if reason := why_untold(item, event):
            return reason
    is_explained = bool(event.state) and not event.explanation
    return EXPLAINED if is_explained else NO_LESSON
