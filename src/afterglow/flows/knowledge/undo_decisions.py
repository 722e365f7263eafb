"""Taking decisions back. What was is put back if nobody changed it since; to undo an undo is to do it again."""

from __future__ import annotations

import time
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from afterglow.config import Config
from afterglow.errors import Conflict, NotFound, UsageError
from afterglow.flows.knowledge.decide import (
    after_steps,
    item_mark,
    last_change,
    without_secrets,
)
from afterglow.flows.supersession import resolve_decisions
from afterglow.flows.told_knowledge import join_again
from afterglow.records.knowledge import WITHDRAWN, Change, KnowledgeItem
from afterglow.store.knowledge import Knowledge
from afterglow.store.knowledge_decisions import (
    DecidedItem,
    RecordedDecision,
    decision,
    latest_decisions,
    note_history,
    record_decision,
)
from afterglow.text.numbers import local_time

TAKEN_BACK = "taken back by a person"
WORDS = ("fact", "situation", "remedy")


class Undone(Struct, frozen=True):
    """A decision that was taken back, the number of doing so (by which it is done again), and its items now."""

    decision: RecordedDecision
    number: int
    items: tuple[KnowledgeItem, ...]


def decisions(
    config: Config, *, limit: int = 20, before: int = 0
) -> list[RecordedDecision]:
    """What people decided, the newest first; those before the number `before`, if one is given."""
    with Knowledge(config.knowledge) as knowledge:
        return latest_decisions(knowledge, limit, before=before)


def undo(
    config: Config, number: int = 0, *, last: int = 1, now: float | None = None
) -> list[Undone]:
    """The decision of that number, or else the `last` ones that stand, the newest first: all of them or none."""
    when = time.time() if now is None else now
    with Knowledge(config.knowledge) as knowledge, knowledge.transaction():
        chosen = [_named(knowledge, number)] if number else _last(knowledge, last)
        undone = [_undone(knowledge, config, taken, when) for taken in chosen]
    join_again(config)
    return undone


def _named(knowledge: Knowledge, number: int) -> RecordedDecision:
    taken = decision(knowledge, number)
    if taken is None:
        raise NotFound(
            f"no decision {number}; `afterglow knowledge decisions` lists those that can be undone"
        )
    if taken.undone_by:
        by = decision(knowledge, taken.undone_by)
        who = f" by {by.by}, {local_time(by.time)}" if by else ""
        raise UsageError(
            f"decision {number} is undone already{who}; `undo {taken.undone_by}` does it again"
        )
    return taken


def _last(knowledge: Knowledge, last: int) -> list[RecordedDecision]:
    chosen = latest_decisions(knowledge, last, standing=True)
    if not chosen:
        raise NotFound("nothing to undo: no decision stands")
    return chosen


def _undone(
    knowledge: Knowledge, config: Config, taken: RecordedDecision, now: float
) -> Undone:
    _refuse_if_gone(taken)
    present = knowledge.find(item.id for item in taken.items)
    named_first = sorted(taken.items, key=lambda item: not item.is_named)
    before, after = [], []
    for decided in named_first:
        item = present.get(decided.id)
        if decided.is_named or not _has_changed(decided, item):
            before.append(_unchanged(knowledge, taken, decided, item))
            after.append(_put_back(config, before[-1], decided))
    verb = "redone" if taken.undoes else "undone"
    with knowledge.recording() as steps:
        for item in after:
            # One by one: what the first leaves decides whether the next may come in.
            knowledge.save([item], by=config.person, now=now)
        resolve_decisions(
            knowledge, by=config.person, now=now, around=[*before, *after]
        )
    number = record_decision(
        knowledge,
        steps,
        {item.id for item in taken.items if item.is_named},
        what=verb,
        by=config.person,
        now=now,
        undoes=taken.number,
    )
    words = f"{taken.what} {local_time(taken.time)}"
    note_history(
        knowledge,
        [Change(item.id, now, config.person, verb, after=words) for item in after],
    )
    return Undone(taken, number, tuple(after_steps(item, steps) for item in after))


def _refuse_if_gone(taken: RecordedDecision) -> None:
    if taken.what == "deleted":
        raise UsageError(
            f"decision {taken.number} deleted {', '.join(item.id for item in taken.items)} for good: no word of it is "
            "left to put back; `undo NUMBER` takes back another one"
        )
    if not taken.items:
        raise Conflict(
            f"decision {taken.number} cannot be undone: its items were forgotten since, and nothing is left to put back"
        )


def _has_changed(decided: DecidedItem, item: KnowledgeItem | None) -> bool:
    if item is None or decided.after is None:
        return True
    return item_mark(item) != item_mark(decided.after)


def _unchanged(
    knowledge: Knowledge,
    taken: RecordedDecision,
    decided: DecidedItem,
    item: KnowledgeItem | None,
) -> KnowledgeItem:
    if item is None or decided.after is None:
        raise Conflict(
            f"decision {taken.number} cannot be undone: {decided.id} was forgotten since, and nothing is left to put back"
        )
    if _has_changed(decided, item):
        changed = ", ".join(_differences(decided.after, item))
        raise Conflict(
            f"decision {taken.number} cannot be undone: {item.id} has changed since"
            f"{last_change(knowledge, item)}: {changed}. Nothing was done; undo that first, or decide anew"
        )
    return item


def _differences(then: KnowledgeItem, item: KnowledgeItem) -> list[str]:
    names = (*WORDS, "category", "status", "repo", "agent", "risk")
    return [
        f"{name} was {getattr(then, name)!r}, is {getattr(item, name)!r}"
        for name in names
        if getattr(then, name) != getattr(item, name)
    ]


def _put_back(
    config: Config, item: KnowledgeItem, decided: DecidedItem
) -> KnowledgeItem:
    """What the decision changed is as it was; what harvest has counted since stays."""
    before, after = decided.before, decided.after
    if before is None or after is None:
        return replace(item, status="retired", reason=TAKEN_BACK, decided=True)
    earlier: dict[str, Any] = {
        name: getattr(before, name)
        for name in KnowledgeItem.__struct_fields__
        if name != "evidence"
        if getattr(before, name) != getattr(after, name)
        if getattr(item, name) == getattr(after, name)
    }
    if earlier.get("approved") == "":
        earlier["approved"] = WITHDRAWN
    for name in WORDS:
        if name in earlier:  # rules of redaction may have come since
            earlier[name] = without_secrets(config, earlier[name])
    return replace(item, **earlier)
