"""start: what an agent's new session is given, noted in the ledger. Hooks, the plugin and the server all begin here.

Where a standing experiment is on, a session gets what its arm gets: nothing, the context, or a placebo of its length.
"""

from __future__ import annotations

import time
from collections.abc import Collection
from pathlib import Path

from msgspec import Struct

from afterglow.bootstrap import BUDGET
from afterglow.config import Config
from afterglow.errors import AfterglowError, StoreError
from afterglow.flows.bootstrap import bootstrap, repo_of
from afterglow.flows.ledger import record
from afterglow.records.experiment import COLD, PLACEBO, Assignment

SHRINK = 0.8  # a context with too many characters is chosen again for this share of its tokens


class Start(Struct, frozen=True):
    """The context's text (empty is fine: `reason` says why), its id, its items. `unnoted` says why the ledger does not
    know of it, or a standing experiment of the session, if so; `arm` is what that experiment gave it."""

    id: str
    text: str
    tokens: int
    items: tuple[str, ...]
    repo: str
    reason: str = ""
    unnoted: str = ""
    arm: str = ""


def start(
    config: Config,
    *,
    agent: str,
    cwd: Path,
    task: str = "",
    budget: int = BUDGET,
    characters: int | None = None,
    session: str = "",
    now: float | None = None,
) -> Start:
    """Chooses a context of at most `budget` tokens and `characters`, and notes that it was given out, and to which
    `session` if the agent says. A session without a name takes no part in experiments."""
    now = time.time() if now is None else now
    taking_part = bool(config.experiment and session)
    mine, without, unnoted = _assigned(config, cwd, agent, session, now) if taking_part else (None, (), "")
    arm = mine.arm if mine else ""
    if arm == COLD:
        return Start("", "", 0, (), repo_of(cwd, config), "this session is in the cold arm", unnoted, arm)
    context, need, items = bootstrap(
        config, cwd=cwd, agent=agent, task=task, budget=budget, now=now, without=without
    )  # fmt: skip
    while characters is not None and len(context.text) > characters:
        budget = int(min(budget, context.tokens) * SHRINK)
        context, need, items = bootstrap(
            config, cwd=cwd, agent=agent, task=task, budget=budget, now=now, without=without
        )  # fmt: skip
    if arm == PLACEBO:
        from afterglow.bootstrap.placebo import disguised

        context, items = disguised(context, need)
    if context.shown:
        try:
            record(config, context, need, items, session=session)
            if mine and not mine.delivery:
                from afterglow.flows.holdout import delivered

                delivered(config, mine, context.id)
        except StoreError as error:  # the context is worth more than the note about it
            unnoted = unnoted or str(error)
    shown = tuple(one.item for one in context.shown)
    return Start(context.id, context.text, context.tokens, shown, need.repo, context.reason, unnoted, arm)


def _assigned(
    config: Config, cwd: Path, agent: str, session: str, now: float
) -> tuple[Assignment | None, Collection[str], str]:
    """What a standing experiment says: the arm, the sessions whose lessons are kept from it, and what went wrong: then
    the session starts as if there were no experiment."""
    from afterglow.flows.holdout import arm_for, kept_apart

    mine = None
    try:
        mine = arm_for(config, session=session, repo=repo_of(cwd, config), agent=agent, now=now)
        return mine, kept_apart(config, mine) if mine else (), ""
    except AfterglowError as error:
        return mine, (), f"[experiment] {error}"
