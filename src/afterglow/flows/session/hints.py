"""What a session that runs already is given: its context again when it forgot it, a hint before a call.

An item is handed to a session once: what the ledger says it was given is not repeated, except word for word after a
compaction, under the id it had. So nothing is counted twice.
"""

from __future__ import annotations

import os
import re
import time
from pathlib import Path

from afterglow.config import Config
from afterglow.context import choose, render
from afterglow.errors import StoreError
from afterglow.flows.session.build_context import candidates, known_repo, repo_of
from afterglow.flows.session.deliveries import DELIVERY_PATIENCE, record_delivery
from afterglow.flows.session.start_session import Start
from afterglow.records.context import Need, Shown
from afterglow.records.delivery import Delivery
from afterglow.records.knowledge import KnowledgeItem
from afterglow.store.knowledge import Knowledge
from afterglow.store.ledger import Ledger
from afterglow.text.tokens import within

LONGEST = 30 * 86400.0  # seconds that a session is taken to last
HINT = 150  # tokens
SURE = 0.75  # an item must be surer than this to be held against a call

_CODE = re.compile(r"`([^`\n]{2,300})`")


def handed(config: Config, session: str, now: float | None = None) -> list[Delivery]:
    """What a session was given, oldest first."""
    if not session or not config.ledger.exists():
        return []
    since = (time.time() if now is None else now) - LONGEST
    with Ledger(config.ledger, patience=DELIVERY_PATIENCE) as ledger:
        return ledger.handed_to(session, since)


def again(config: Config, given: Delivery) -> Start:
    """A context once more, as it was, without what does not hold any more. Nothing is noted: it was given out."""
    from afterglow.context.placebo import is_placebo, placebo

    had = tuple(one.item for one in given.items)
    if is_placebo(given.id, had):
        same = placebo(given.id, given.repo, tokens=given.budget, now=given.time)
        return Start(given.id, same.text, same.tokens, had, given.repo)
    if not config.knowledge.exists():
        return Start(given.id, "", 0, (), given.repo, "what it was made of is gone")
    with Knowledge(config.knowledge) as knowledge:
        found = knowledge.find(one.item for one in given.items)
    items = [
        found[one.item]
        for one in given.items
        if one.item in found and found[one.item].status == "active"
    ]
    shown = tuple(Shown(item.id, render.line(item), 0.0, {}) for item in items)
    text = render.text(given.id, given.repo, shown)
    return Start(
        given.id,
        text,
        within(given.budget)(text),
        tuple(item.id for item in items),
        given.repo,
    )


def hint(
    config: Config,
    *,
    agent: str,
    cwd: Path,
    tool: str,
    arguments: str,
    session: str = "",
    characters: int = 1000,
) -> Start:
    """The known pitfall of a call that is about to be made, if it names that very command or path."""
    now = time.time()
    need = Need(now=now, repo=repo_of(cwd, config), agent=agent)
    nothing = Start("", "", 0, (), need.repo, "no known pitfall of this call")
    if not config.knowledge.exists() or (
        config.experiment and _untold(config, session)
    ):
        return nothing
    had = {
        one.item for delivery in handed(config, session, now) for one in delivery.items
    }
    with Knowledge(config.knowledge) as knowledge:
        need = Need(
            now=now,
            repo=known_repo(knowledge, need.repo),
            agent=agent,
            task=arguments[:2000],
        )
        known = [
            item
            for item in candidates(knowledge, need, SURE).values()
            if item.id not in had
        ]
    fitting = _pitfalls(known, tool, arguments)
    id = f"ag-{os.urandom(5).hex()}"
    context = choose(
        fitting,
        need,
        count=within(HINT),
        budget=HINT,
        min_confidence=SURE,
        least=0.0,
        id=id,
    )
    if not context.shown or len(context.text) > characters:
        return nothing
    by_id = {item.id: item for item in fitting}
    shown = tuple(one.item for one in context.shown)
    unnoted = ""
    try:
        record_delivery(
            config, context, need, [by_id[item] for item in shown], session=session
        )
    except StoreError as error:
        unnoted = str(error)
    return Start(
        context.id,
        context.text,
        context.tokens,
        shown,
        need.repo,
        context.reason,
        unnoted,
    )


def _untold(config: Config, session: str) -> bool:
    from afterglow.flows.session.standing_experiment import untold

    return untold(config, session)


def _pitfalls(
    items: list[KnowledgeItem], tool: str, arguments: str
) -> list[KnowledgeItem]:
    """Those whose known error is that of this call. All that the situation names must stand in it: a hint that is
    beside the point is worse than none."""
    from afterglow.harvest.trail import Trail
    from afterglow.measure.remedy_signs import Sign, deed_of, subjects_of
    from afterglow.records.session import Call, Session, Turn

    turn = Turn("assistant", "", 0, calls=(Call("", tool, arguments, 0),))
    steps = Trail(Session(id="", agent="", format="", source="", turns=(turn,))).steps
    if not steps:
        return []
    deed = deed_of(steps[0])

    def fits(item: KnowledgeItem) -> bool:
        if not item.fingerprints:
            return False
        head, fails, _ = item.situation.partition(" fails")
        spans = _CODE.findall(head)
        if fails and any(" " in span for span in spans):
            return all(Sign(span).shows(deed, ()) for span in spans)
        subjects = subjects_of(item.situation)
        return bool(subjects) and all(
            one.kind == "path" and one.comes_up(deed) for one in subjects
        )

    return [item for item in items if fits(item)]
