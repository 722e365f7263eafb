"""start: what an agent's new session is given, noted in the ledger. Hooks, the plugin and the server all begin here.
A sub-agent, whose task is a small one, is given little.

Where a standing experiment is on, a session gets what its arm gets: nothing, the context, or a placebo of its length.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from afterglow.config import Config
from afterglow.errors import StoreError
from afterglow.flows.session.build_context import bootstrap, repo_of
from afterglow.flows.session.deliveries import record_delivery
from afterglow.flows.session.private_sessions import PRIVATE_REASON, is_private
from afterglow.records.context import Context, Need
from afterglow.records.delivery import When
from afterglow.records.knowledge import KnowledgeItem

if TYPE_CHECKING:
    from afterglow.flows.session.permission import Permission

# a context with too many characters is chosen again for this share of its tokens:
# once or twice is enough, and little room is lost
SHRINK = 0.8
# what a sub-agent is given, at most: two or three lines, since each of many pays for them
MAX_SUBAGENT_TOKENS = 150


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
    budget: int | None = None,
    characters: int | None = None,
    session: str = "",
    now: float | None = None,
) -> Start:
    """Chooses a context of at most `budget` tokens (as the settings say, if not said) and `characters`, and notes that
    it was given out, and to which `session` if the agent says. A session without a name takes no part in
    experiments."""
    now = time.time() if now is None else now
    if is_private(config, agent=agent, session=session, cwd=cwd, is_new=True):
        return Start("", "", 0, (), "", PRIVATE_REASON)
    budget = config.hooks.budget if budget is None else budget
    ask = _Ask(cwd, agent, task, budget, characters, session, now)
    if not config.experiment or not (session or config.arm):
        return _started(config, ask)
    if config.arm:
        from afterglow.flows.session.permission import permission

        return _started(config, ask, permission(config, session=session, when="start"))
    from afterglow.flows.session.standing_experiment import seated

    with seated(
        config, session=session, repo=repo_of(cwd, config), agent=agent, now=now
    ) as seat:
        return _started(config, ask, seat.permission, seat.delivered)


def start_subagent(
    config: Config,
    *,
    agent: str,
    cwd: Path,
    session: str,
    transcript: Path | None = None,
    characters: int | None = None,
    now: float | None = None,
) -> Start:
    """The same for a sub-agent of a session that runs already: it sees nothing of what the session was given. Its task
    is looked for in the session's `transcript`."""
    from afterglow.flows.session.permission import permission
    from afterglow.flows.session.subagent_task import subagent_task

    if is_private(config, agent=agent, session=session, cwd=cwd, transcript=transcript):
        return Start("", "", 0, (), "", PRIVATE_REASON)
    now = time.time() if now is None else now
    budget = min(config.hooks.budget, MAX_SUBAGENT_TOKENS)
    task = subagent_task(transcript, agent)
    ask = _Ask(cwd, agent, task, budget, characters, session, now, "subagent")
    allowed = permission(config, session=session, when=ask.when)
    return _started(config, ask, allowed)


class _Ask(Struct, frozen=True):
    """What `start` was asked for."""

    cwd: Path
    agent: str
    task: str
    budget: int
    characters: int | None
    session: str
    now: float
    when: When = "start"


def _started(
    config: Config,
    ask: _Ask,
    allowed: Permission | None = None,
    delivered: Callable[[str], None] | None = None,
) -> Start:
    """`allowed` is what an experiment says; `delivered` tells it what was given out."""
    arm = allowed.arm if allowed else ""
    if allowed and allowed.tells == "nothing":
        reason = f"this session is in the {arm} arm"
        repo = repo_of(ask.cwd, config)
        return Start("", "", 0, (), repo, reason, allowed.trouble, arm)
    context, need, items = _chosen(config, ask, allowed.without if allowed else ())
    is_placebo = allowed is not None and allowed.tells == "placebo"
    if is_placebo:
        from afterglow.context.placebo import disguised

        context, items = disguised(context, need)
    unnoted = allowed.trouble if allowed else ""
    if context.shown:
        try:
            record_delivery(
                config,
                context,
                need,
                items,
                session=ask.session,
                when=ask.when,
                placebo=is_placebo,
            )
            if delivered:
                delivered(context.id)
        except StoreError as error:  # the context is worth more than the note about it
            unnoted = unnoted or str(error)
    return Start(
        id=context.id,
        text=context.text,
        tokens=context.tokens,
        items=tuple(line.item for line in context.shown),
        repo=need.repo,
        reason=context.reason,
        unnoted=unnoted,
        arm=arm,
    )


def _chosen(
    config: Config, ask: _Ask, without: Collection[str]
) -> tuple[Context, Need, list[KnowledgeItem]]:
    """The context, chosen again for fewer tokens as long as it has too many characters."""
    budget = ask.budget
    while True:
        context, need, items = bootstrap(
            config,
            cwd=ask.cwd,
            agent=ask.agent,
            task=ask.task,
            budget=budget,
            now=ask.now,
            without=without,
        )
        if ask.characters is None or len(context.text) <= ask.characters:
            return context, need, items
        budget = int(min(budget, context.tokens) * SHRINK)
