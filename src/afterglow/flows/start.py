"""start: what an agent's new session is given, noted in the ledger. Hooks, the plugin and the server all begin here."""

from __future__ import annotations

from pathlib import Path

from msgspec import Struct

from afterglow.bootstrap import BUDGET
from afterglow.config import Config
from afterglow.errors import StoreError
from afterglow.flows.bootstrap import bootstrap
from afterglow.flows.ledger import record

SHRINK = 0.8  # a context with too many characters is chosen again for this share of its tokens


class Start(Struct, frozen=True):
    """The context's text (empty is fine: `reason` says why), its id, its items. `unnoted` says why the ledger does not
    know of it, if it does not."""

    id: str
    text: str
    tokens: int
    items: tuple[str, ...]
    repo: str
    reason: str = ""
    unnoted: str = ""


def start(
    config: Config,
    *,
    agent: str,
    cwd: Path,
    task: str = "",
    budget: int = BUDGET,
    characters: int | None = None,
    session: str = "",
) -> Start:
    """Chooses a context of at most `budget` tokens and `characters`, and notes that it was given out, and to which
    `session` if the agent says."""
    context, need, items = bootstrap(config, cwd=cwd, agent=agent, task=task, budget=budget)
    while characters is not None and len(context.text) > characters:
        budget = int(min(budget, context.tokens) * SHRINK)
        context, need, items = bootstrap(config, cwd=cwd, agent=agent, task=task, budget=budget)
    unnoted = ""
    if context.shown:
        try:
            record(config, context, need, items, session=session)
        except StoreError as error:  # the context is worth more than the note about it
            unnoted = str(error)
    shown = tuple(one.item for one in context.shown)
    return Start(context.id, context.text, context.tokens, shown, need.repo, context.reason, unnoted)
