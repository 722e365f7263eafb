"""What each event is answered with, and what is done after the answer.

A session that starts gets its context; one that is resumed has it in its transcript already. After a compaction what
the session was given is no longer before the model's eyes, so it gets the same again, under the same id. A sub-agent
sees nothing of that, and gets a few lines of its own. After a call that went wrong comes one line about it, if one is
known. Nothing here ever decides about a permission or stops an agent, and nothing is said when an agent stops: it would
go on, again and again.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from afterglow.config import Config
from afterglow.flows.harvest import QUEUE_PAUSE, begin, enqueue
from afterglow.hooks.event import Dialect, Event

if TYPE_CHECKING:
    from afterglow.flows.session import Start

FRESH = ("startup", "clear", "")
FORGOT = "compact"
INSIDE_SUBAGENTS = ("subagent", "ended")  # kinds that matter where a sub-agent works


def reply(config: Config, dialect: Dialect, event: Event) -> Start | None:
    """The context an event is answered with; mostly none. A private session gets none, whatever happens."""
    if config.private:
        from afterglow.flows.session import keep_private

        keep_private(config, dialect.AGENT, event.session)
        return None
    if event.subagent and event.kind not in INSIDE_SUBAGENTS:
        return None
    handler = _HANDLERS.get(event.kind)
    return handler(config, dialect, event) if handler else None


def after(config: Config, event: Event) -> None:
    """What nobody waits for: sessions that are over are harvested by a process of its own."""
    if event.kind in {"start", "pause", "end"}:
        begin(config)


def _start(config: Config, dialect: Dialect, event: Event) -> Start | None:
    if event.source == FORGOT and config.hooks.context != "never":
        from afterglow.flows.session import beginning_again

        if (same := beginning_again(config, event.session)) is not None:
            return same
    if config.hooks.context != "start" or event.source not in (*FRESH, FORGOT):
        return None
    return _context(config, dialect, event)


def _prompt(config: Config, dialect: Dialect, event: Event) -> Start | None:
    """With the first request, if that is wished: what is asked for is known then, and weighed."""
    from afterglow.flows.session import note_request

    note_request(
        config, agent=dialect.AGENT, session=event.session, request=event.prompt
    )
    if config.hooks.context != "prompt":
        return None
    from afterglow.flows.session import handed

    deliveries = handed(config, event.session)
    if any(delivery.when == "start" for delivery in deliveries):
        return None
    return _context(config, dialect, event)


def _context(config: Config, dialect: Dialect, event: Event) -> Start:
    from afterglow.flows.session import start

    return start(
        config,
        agent=dialect.AGENT,
        cwd=_cwd(event),
        task=event.prompt,
        characters=dialect.CHARACTERS,
        session=event.session,
    )


def _subagent(config: Config, dialect: Dialect, event: Event) -> Start | None:
    if config.hooks.context == "never":
        return None
    from afterglow.flows.session import start_subagent

    return start_subagent(
        config,
        agent=dialect.AGENT,
        cwd=_cwd(event),
        session=event.session,
        transcript=_transcript(config, event.transcript),
        characters=dialect.CHARACTERS,
    )


def _call(config: Config, dialect: Dialect, event: Event) -> Start | None:
    if not config.hooks.pretool:
        return None
    from afterglow.flows.session import hint

    return hint(
        config,
        agent=dialect.AGENT,
        cwd=_cwd(event),
        tool=event.tool,
        arguments=event.arguments,
        session=event.session,
    )


def _ended(config: Config, dialect: Dialect, event: Event) -> Start | None:
    """Most calls end well and are of no interest: nothing is loaded for them."""
    if not config.hooks.failures or not event.calls:
        return None
    from afterglow.flows.session import on_failure

    return on_failure(
        config,
        agent=dialect.AGENT,
        cwd=_cwd(event),
        session=event.session,
        calls=event.calls,
        transcript=_transcript(config, event.transcript),
        agent_id=event.subagent,
    )


def _over(config: Config, dialect: Dialect, event: Event) -> None:
    from afterglow.flows.session import is_private

    if not event.session or is_private(
        config, agent=dialect.AGENT, session=event.session, cwd=_cwd(event)
    ):
        return
    enqueue(
        config,
        agent=dialect.AGENT,
        source=_transcript(config, event.transcript),
        session=event.session,
        why=QUEUE_PAUSE if event.kind == "pause" else "ended",
    )


def _transcript(config: Config, path: str) -> Path | None:
    if not path:
        return None
    return config.user_home / path[2:] if path.startswith("~/") else Path(path)


def _cwd(event: Event) -> Path:
    return Path(event.cwd) if event.cwd else Path.cwd()


_HANDLERS: dict[str, Callable[[Config, Dialect, Event], Start | None]] = {
    "start": _start,
    "subagent": _subagent,
    "prompt": _prompt,
    "call": _call,
    "ended": _ended,
    "pause": _over,
    "end": _over,
}
