"""A person decides about items: approve, reject, retire, delete. Harvest leaves that alone, and it can be undone.

Every decision names who took it and when. It is about what the person saw: an item that has changed since is a
`Conflict`, and nothing is done.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from hashlib import blake2b

from msgspec import Struct
from msgspec.structs import replace

from afterglow.config import Config
from afterglow.errors import Conflict, UsageError
from afterglow.flows.knowledge.review import named
from afterglow.flows.supersession import resolve_decisions
from afterglow.flows.told_knowledge import adopt_shown, join_again
from afterglow.records.knowledge import (
    KnowledgeItem,
    Status,
    approval_mark,
    waits_for_approval,
)
from afterglow.store.knowledge import Knowledge, Step
from afterglow.store.knowledge_decisions import record_decision, record_deletion
from afterglow.text.numbers import local_time

CONFIDENCE_OF_APPROVAL = (
    0.8  # at least, by a person's word: surer than any single session
)

Marks = Mapping[str, str]  # id -> `item_mark` of what the person saw
Change = Callable[[KnowledgeItem], KnowledgeItem]


class Decision(Struct, frozen=True):
    """An item before and after a person decided about it; nothing after it was deleted. `number` is what `undo` takes:
    the same for all that were decided together, 0 where nothing changed."""

    before: KnowledgeItem
    after: KnowledgeItem | None
    number: int = 0

    @property
    def changed(self) -> bool:
        return self.before != self.after


def item_mark(item: KnowledgeItem) -> str:
    """Of what a person sees when they decide: the words, the status, where it holds, what is risky about it."""
    parts = (
        approval_mark(item),
        item.category,
        item.status,
        item.repo,
        item.agent,
        item.risk,
    )
    return blake2b(
        "\0".join(parts).encode("utf-8", "replace"), digest_size=8
    ).hexdigest()


def approve(
    config: Config,
    ids: Sequence[str],
    *,
    note: str = "",
    even_quarantined: bool = False,
    risky: bool = False,
    expected: Marks | None = None,
    now: float | None = None,
) -> list[Decision]:
    """Makes items active for good and confirms them as of now. What a screen held back, and what is risky, has to be
    asked for by name. What is approved are the words as they stand: other words have to be approved again."""
    now = time.time() if now is None else now
    words = without_secrets(config, note)

    def approved(item: KnowledgeItem) -> KnowledgeItem:
        if item.status == "quarantined" and not even_quarantined:
            raise UsageError(
                f"{item.id} is quarantined: {item.reason or 'no reason kept'}; nothing was changed. "
                f"Read `afterglow knowledge explain {item.id}`; --even-quarantined approves it all the same"
            )
        if needs_risky(item) and not risky:
            raise UsageError(
                f"{item.id} is risky: {item.risk}; nothing was changed. Its words are: {item.fact!r}. "
                f"Read `afterglow knowledge explain {item.id}`; --risky approves exactly these words"
            )
        holds = (
            None if item.expires is not None and item.expires <= now else item.expires
        )
        sure = max(item.confidence, CONFIDENCE_OF_APPROVAL)
        return replace(
            _decided(item, "active", "approved", words),
            confidence=sure,
            last_confirmed=now,
            expires=holds,
            approved=approval_mark(item),
        )

    return decide(config, ids, approved, what="approved", expected=expected, now=now)


def needs_risky(item: KnowledgeItem) -> bool:
    """Whether to approve an item takes more than a word: its remedy is risky, and not merely unknown."""
    from afterglow.harvest.risk import is_merely_unknown

    return waits_for_approval(item) and not is_merely_unknown(item.risk)


def reject(
    config: Config,
    ids: Sequence[str],
    *,
    why: str,
    expected: Marks | None = None,
    now: float | None = None,
) -> list[Decision]:
    """Wrong or useless from the start: it is not offered again, however often harvest meets it."""
    return _take_out(config, ids, "rejected", why, expected, now)


def retire(
    config: Config,
    ids: Sequence[str],
    *,
    why: str,
    expected: Marks | None = None,
    now: float | None = None,
) -> list[Decision]:
    """True once, no longer."""
    return _take_out(config, ids, "retired", why, expected, now)


def _take_out(
    config: Config,
    ids: Sequence[str],
    verdict: str,
    why: str,
    expected: Marks | None,
    now: float | None,
) -> list[Decision]:
    """They are told to nobody any more; the history says by which verdict."""
    words = _reason(config, why)

    def taken_out(item: KnowledgeItem) -> KnowledgeItem:
        return _decided(item, "retired", verdict, words)

    return decide(config, ids, taken_out, what=verdict, expected=expected, now=now)


def delete(
    config: Config,
    ids: Sequence[str],
    *,
    why: str,
    expected: Marks | None = None,
    now: float | None = None,
) -> list[Decision]:
    """Takes items out of every store with all their words; what stays are hashes that keep them from coming back. This
    cannot be undone."""
    from afterglow.flows.forget import forget_items

    words = _reason(config, why)
    with Knowledge(config.knowledge) as knowledge:
        adopt_shown(config, knowledge, ids)
        items = named(knowledge, ids)
        for item in items:
            refuse_if_changed(knowledge, item, expected or {})
    forget_items(config, items, why=words, now=now)
    when = time.time() if now is None else now
    with Knowledge(config.knowledge) as knowledge:
        deleted = [item.id for item in items]
        record_deletion(knowledge, deleted, by=config.person, now=when)
    return [Decision(item, None) for item in items]


def decide(
    config: Config,
    ids: Sequence[str],
    change: Change,
    *,
    what: str,
    expected: Marks | None = None,
    now: float | None = None,
) -> list[Decision]:
    """All of them or none."""
    when = time.time() if now is None else now
    with Knowledge(config.knowledge) as knowledge, knowledge.transaction():
        adopt_shown(config, knowledge, ids)
        items = named(knowledge, ids)
        for item in items:
            refuse_if_changed(knowledge, item, expected or {})
        with knowledge.recording() as steps:
            changed = [change(item) for item in items]
            save_decided(knowledge, items, changed, by=config.person, now=when)
        number = record_decision(
            knowledge,
            steps,
            {item.id for item in items},
            what=what,
            by=config.person,
            now=when,
        )
    join_again(config)
    return [Decision(item, after_steps(item, steps), number) for item in items]


def save_decided(
    knowledge: Knowledge,
    before: Sequence[KnowledgeItem],
    after: Sequence[KnowledgeItem],
    *,
    by: str,
    now: float,
) -> None:
    """Saves what a person decided, and what follows for others."""
    if knowledge.save(after, by=by, now=now):
        resolve_decisions(knowledge, by=by, now=now, around=[*before, *after])


def after_steps(item: KnowledgeItem, steps: Sequence[Step]) -> KnowledgeItem:
    """An item as it was left."""
    states = [after for _, after in steps if after.id == item.id]
    return states[-1] if states else item


def refuse_if_changed(
    knowledge: Knowledge, item: KnowledgeItem, expected: Marks
) -> None:
    mark = expected.get(item.id, "")
    if mark and mark != item_mark(item):
        raise Conflict(
            f"{item.id} has changed since you looked{last_change(knowledge, item)}: it is {item.status} now, and says: "
            f"{item.fact!r}. Nothing was done; look at it again"
        )


def last_change(knowledge: Knowledge, item: KnowledgeItem) -> str:
    """Who changed it last, and when."""
    history = knowledge.history(item.id)
    if not history:
        return ""
    return f" ({history[-1].by}, {local_time(history[-1].time)})"


def _decided(
    item: KnowledgeItem, status: Status, verdict: str, words: str
) -> KnowledgeItem:
    if item.status == status and item.decided:
        return item
    # A person who approves it says that it holds.
    later = item.superseded_by if status != "active" else ""
    reason = f"{verdict}: {words}" if words else f"{verdict} by a person"
    return replace(
        item, status=status, reason=reason, superseded_by=later, decided=True
    )


def _reason(config: Config, why: str) -> str:
    if not why.strip():
        raise UsageError("say why, in a few words: --why 'the flag is back since 2.0'")
    return without_secrets(config, why)


def without_secrets(config: Config, words: str) -> str:
    """A person's words, kept like everything that is kept."""
    if not words.strip():
        return ""
    from afterglow.flows.redactor import redactor_of

    return redactor_of(config).redact(words.strip()).text
