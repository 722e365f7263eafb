"""start: what an agent's new session is given, noted in the ledger. Hooks, the plugin and the server all begin here.
A sub-agent, whose task is a small one, is given little.

Where a standing experiment is on, a session gets what its arm gets: nothing, the context, a template, both, or a placebo
of their length. Each text is a delivery of its own.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from afterglow.config import Config
from afterglow.errors import StoreError
from afterglow.flows.session.build_context import repo_of
from afterglow.flows.session.deliveries import record_delivery
from afterglow.flows.session.permission import Permission, permission
from afterglow.flows.session.private_sessions import PRIVATE_REASON, is_private
from afterglow.flows.session.session_parts import (
    BETWEEN,
    Ask,
    Part,
    placebo_part,
    session_parts,
)

# what a sub-agent is given, at most: two or three lines, since each of many pays for them
MAX_SUBAGENT_TOKENS = 150
NO_EXPERIMENT = Permission()


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
    """Chooses a context of at most `budget` tokens (as the settings say, if not said) and `characters`, with a template
    if the settings say so, and notes that it was given out, and to which `session` if the agent says. A session
    without a name takes no part in experiments."""
    now = time.time() if now is None else now
    if is_private(config, agent=agent, session=session, cwd=cwd, is_new=True):
        return Start("", "", 0, (), "", PRIVATE_REASON)
    budget = config.hooks.budget if budget is None else budget
    ask = Ask(cwd, agent, task, budget, characters, session, now)
    if not config.experiment or not (session or config.arm):
        return _started(config, ask)
    if config.arm:
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
    from afterglow.flows.session.subagent_task import subagent_task

    if is_private(config, agent=agent, session=session, cwd=cwd, transcript=transcript):
        return Start("", "", 0, (), "", PRIVATE_REASON)
    now = time.time() if now is None else now
    budget = min(config.hooks.budget, MAX_SUBAGENT_TOKENS)
    task = subagent_task(transcript, agent)
    ask = Ask(cwd, agent, task, budget, characters, session, now, "subagent")
    allowed = permission(config, session=session, when=ask.when)
    return _started(config, ask, allowed)


def _started(
    config: Config,
    ask: Ask,
    allowed: Permission = NO_EXPERIMENT,
    delivered: Callable[[str], None] | None = None,
) -> Start:
    """`allowed` is what an experiment says; `delivered` tells it what was given out."""
    arm = allowed.arm
    if allowed.tells == "nothing":
        reason = f"this session is in the {arm} arm"
        repo = repo_of(ask.cwd, config)
        return Start("", "", 0, (), repo, reason, allowed.trouble, arm)
    parts = session_parts(config, ask, allowed)
    is_placebo = allowed.tells == "placebo"
    if is_placebo:
        parts = [placebo_part(parts, allowed.forms)]
    given_parts = [part for part in parts if part.context.shown]
    trouble = ""
    try:
        for part in given_parts:
            _note(config, ask, part, is_placebo)
        if given_parts and delivered:
            delivered(given_parts[0].context.id)
    except StoreError as error:  # the context is worth more than the note about it
        trouble = str(error)
    reasons = [part.context.reason for part in parts if part.context.reason]
    return replace(
        _as_start(given_parts or parts[:1]),
        reason="; ".join(reasons),
        unnoted=allowed.trouble or trouble,
        arm=arm,
    )


def _as_start(parts: Sequence[Part]) -> Start:
    contexts = [part.context for part in parts]
    return Start(
        id=contexts[0].id,
        text=BETWEEN.join(context.text for context in contexts),
        tokens=sum(context.tokens for context in contexts),
        items=tuple(line.item for context in contexts for line in context.shown),
        repo=parts[0].need.repo,
    )


def _note(config: Config, ask: Ask, part: Part, is_placebo: bool) -> None:
    record_delivery(
        config,
        part.context,
        part.need,
        part.items,
        session=ask.session,
        when=ask.when,
        placebo=is_placebo,
    )
