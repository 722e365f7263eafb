"""What a session that runs already is given: its context again when it forgot it, a person's rule before a command.

What a session was given comes again word for word after a compaction, under the id it had. That is a moment of its own,
noted once, so nothing is counted twice. A rule is recalled once, also where it stood in the start context: that was long
ago when the command comes.
"""

from __future__ import annotations

import os
import time
from operator import itemgetter
from pathlib import Path

from msgspec.structs import replace

from afterglow.config import Config
from afterglow.context import choose, render
from afterglow.context.command_rules import rules_about
from afterglow.errors import StoreError
from afterglow.flows.session.build_context import candidates, known_repo, repo_of
from afterglow.flows.session.deliveries import (
    DELIVERY_PATIENCE,
    record_delivery,
    record_repeat,
)
from afterglow.flows.session.private_sessions import PRIVATE_REASON, is_private
from afterglow.flows.session.session_parts import BETWEEN
from afterglow.flows.session.start_session import Start
from afterglow.flows.told_knowledge import told_knowledge
from afterglow.records.context import ContextLine, Need
from afterglow.records.delivery import Delivery
from afterglow.records.knowledge import may_be_told
from afterglow.store.ledger import Ledger
from afterglow.text.tokens import estimate

MAX_SESSION_SECONDS = 30 * 86400.0  # that a session is taken to last
MAX_HINT_TOKENS = (
    150  # two or three items: a hint stands before a call, not in place of it
)
MAX_HINT_CHARACTERS = 1000  # the same, for agents that count so
MAX_ARGUMENT_CHARACTERS = 2000  # of a call that are searched for words
MIN_HINT_CONFIDENCE = 0.75  # an item must be surer than this to be held against a call


def handed(config: Config, session: str, now: float | None = None) -> list[Delivery]:
    """What a session was given, oldest first."""
    if not session or not config.ledger.exists():
        return []
    since = (time.time() if now is None else now) - MAX_SESSION_SECONDS
    with Ledger(config.ledger, patience=DELIVERY_PATIENCE) as ledger:
        return ledger.handed_to(session, since)


def beginning_again(
    config: Config, session: str, now: float | None = None
) -> Start | None:
    """All that a session began with once more: its context, then its template; None where it began with nothing."""
    by_kind: dict[bool, Delivery] = {}  # whether it is a template -> the first
    for delivery in handed(config, session, now):
        if delivery.when == "start":
            by_kind.setdefault(delivery.is_template, delivery)
    if not by_kind:
        return None
    repeats = [
        again(config, delivery, now)
        for _, delivery in sorted(by_kind.items(), key=itemgetter(0))
    ]
    still_there = [repeat for repeat in repeats if repeat.text] or repeats[:1]
    return replace(
        still_there[0],
        text=BETWEEN.join(repeat.text for repeat in still_there),
        tokens=sum(repeat.tokens for repeat in still_there),
        items=tuple(item for repeat in still_there for item in repeat.items),
        unnoted="; ".join(filter(None, (repeat.unnoted for repeat in still_there))),
    )


def again(config: Config, delivery: Delivery, now: float | None = None) -> Start:
    """A context once more, as it was, without what does not hold any more; noted as told again."""
    same = _same_context(config, delivery)
    if not same.text:
        return same
    try:
        record_repeat(config, delivery, same.items, now=now)
    except StoreError as error:  # the context is worth more than the note about it
        return replace(same, unnoted=str(error))
    return same


def _same_context(config: Config, delivery: Delivery) -> Start:
    from afterglow.context.placebo import is_placebo, placebo

    id, repo = delivery.id, delivery.repo
    delivered = tuple(entry.item for entry in delivery.items)
    if is_placebo(id, delivered):
        same = placebo(id, repo, tokens=delivery.budget, now=delivery.time)
        return Start(id, same.text, same.tokens, delivered, repo)
    if delivery.is_template:
        from afterglow.flows.warm import same_template

        same = same_template(config, delivered[0], id, delivery.budget)
        items = tuple(line.item for line in same.shown)
        return Start(id, same.text, same.tokens, items, repo, same.reason)
    if not config.knowledge.exists():
        return Start(id, "", 0, (), repo, "what it was made of is gone")
    with told_knowledge(config, is_hurried=True) as knowledge:
        items_now = knowledge.find(delivered)
    lines: list[ContextLine] = []
    for item in filter(None, map(items_now.get, delivered)):
        if may_be_told(item):
            lines.append(ContextLine(item.id, render.line(item), 0.0, {}))
    text = render.text(id, repo, tuple(lines))
    tokens = estimate(text)
    return Start(id, text, tokens, tuple(line.item for line in lines), repo)


def _recalled(config: Config, session: str, now: float) -> set[str]:
    """The items that a session was told before a call."""
    return {
        entry.item
        for delivery in handed(config, session, now)
        if delivery.when == "call"
        for entry in delivery.items
    }


def hint(
    config: Config,
    *,
    agent: str,
    cwd: Path,
    tool: str,
    arguments: str,
    session: str = "",
    characters: int = MAX_HINT_CHARACTERS,
) -> Start:
    """A person's rule about the very command that is about to be run. What failed before is told when it fails."""
    if is_private(config, agent=agent, session=session, cwd=cwd):
        return Start("", "", 0, (), "", PRIVATE_REASON)
    now = time.time()
    need = Need(now=now, repo=repo_of(cwd, config), agent=agent)
    nothing = Start("", "", 0, (), need.repo, "no rule of a person about this command")
    if not config.knowledge.exists():
        return nothing
    if config.experiment and _untold(config, session):
        return nothing
    recalled = _recalled(config, session, now)
    with told_knowledge(config, is_hurried=True) as knowledge:
        need = Need(
            now=now,
            repo=known_repo(knowledge, need.repo),
            agent=agent,
            task=arguments[:MAX_ARGUMENT_CHARACTERS],
        )
        items = candidates(knowledge, need, MIN_HINT_CONFIDENCE)
    fresh = [item for item in items.values() if item.id not in recalled]
    fitting = rules_about(fresh, tool, arguments)
    id = f"ag-{os.urandom(5).hex()}"
    context = choose(
        fitting,
        need,
        count=estimate,
        budget=MAX_HINT_TOKENS,
        min_confidence=MIN_HINT_CONFIDENCE,
        least=0.0,
        id=id,
    )
    if not context.shown or len(context.text) > characters:
        return nothing
    by_id = {item.id: item for item in fitting}
    in_context = tuple(line.item for line in context.shown)
    unnoted = ""
    try:
        rules = [by_id[item] for item in in_context]
        record_delivery(config, context, need, rules, session=session, when="call")
    except StoreError as error:
        unnoted = str(error)
    return Start(
        context.id,
        context.text,
        context.tokens,
        in_context,
        need.repo,
        context.reason,
        unnoted,
    )


def _untold(config: Config, session: str) -> bool:
    from afterglow.flows.session.permission import permission

    return permission(config, session=session, when="call").tells != "lessons"
