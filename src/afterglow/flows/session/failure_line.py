"""What a session is told right after a call went wrong: one line, or nothing.

A lesson that stood in the start context is told again here, once: who runs into it all the same did not have it in
mind. A line that cannot be noted is not said, for nobody could see to it that it is said once.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from afterglow.config import Config
from afterglow.flows.session.private_sessions import PRIVATE_REASON, is_private
from afterglow.flows.session.start_session import Start
from afterglow.records.context import Context, ContextLine, FinishedCall, Hint, Need
from afterglow.records.tools import tool_kind

if TYPE_CHECKING:
    from afterglow.flows.session.latest_calls import LatestCalls
    from afterglow.flows.session.permission import Permission
    from afterglow.records.knowledge import KnowledgeItem
    from afterglow.records.problems import Event
    from afterglow.store.knowledge import Knowledge

# Tools that say themselves whether they failed: where one did not, there is nothing to read in its result.
TELLING_TOOLS = frozenset({"read", "list", "find", "search", "edit", "write"})
FLAGGING_AGENTS = frozenset({"claude-code"})  # that pass this on beside the result
TRANSCRIPTS = ("claude-code", "codex")  # formats that hooks hand over most
REFUSED_CALL = (
    "<tool_use_error>"  # how the result of a call begins that its tool refused
)


class _Session(Struct, frozen=True):
    """Who listens, and when (None: now). `id` is that of the session or, inside it, of a sub-agent, which sees nothing
    of what its session was told."""

    agent: str
    id: str
    allowed: Permission
    now: float | None = None


class _Choice(Struct, frozen=True):
    """A hint, the event it answers, the item it is of if there is one, and the repository."""

    hint: Hint
    event: Event
    item: KnowledgeItem | None
    repo: str


def on_failure(
    config: Config,
    *,
    agent: str,
    cwd: Path,
    session: str,
    calls: Sequence[FinishedCall],
    transcript: Path | None = None,
    agent_id: str = "",
    now: float | None = None,
) -> Start:
    """The line for the first of these calls that has one, noted in the ledger. Calls that ended well are read too:
    their output may say otherwise."""
    if all(_ended_well(agent, call) for call in calls):
        return _silent("nothing went wrong")
    if is_private(config, agent=agent, session=session, cwd=cwd, transcript=transcript):
        return _silent(PRIVATE_REASON)
    from afterglow.flows.session.permission import permission

    allowed = permission(config, session=session, when="failure")
    if allowed.tells == "nothing":
        return _silent("this session is told nothing on failure", allowed)
    from afterglow.flows.session.latest_calls import latest_calls

    latest = latest_calls(
        config,
        agent=agent,
        cwd=cwd,
        session=session,
        calls=calls,
        transcript=transcript,
        agent_id=agent_id,
        now=now,
    )
    if not latest.events.events:
        return _silent("nothing went wrong", allowed)
    id = f"{session}/{agent_id}" if session and agent_id else session
    listener = _Session(agent, id, allowed, now)
    choice = _choice(config, listener, latest)
    if choice is None:
        return _silent("nothing that is known is surely about this failure", allowed)
    return _given_out(config, listener, choice, calls)


def rehearse_failure(config: Config) -> None:
    """Chooses a line for an invented failure and tells nobody: all that is needed for a real one is loaded then."""
    from afterglow.flows.session.latest_calls import latest_calls
    from afterglow.flows.session.permission import permission
    from afterglow.sessions import FORMATS
    from afterglow.text.tokens import estimate

    arguments = '{"command": "cd dock && npm run build --wet | tail -3"}'
    error = "Exit code 1\ncd: no such file or directory: dock\nerror: unknown option"
    latest = latest_calls(
        config,
        agent="claude-code",
        cwd=config.home,
        session="",
        calls=[FinishedCall("Bash", arguments, error, failed=True)],
        transcript=None,
        agent_id="",
    )
    allowed = permission(config, session="", when="failure")
    _choice(config, _Session("claude-code", "", allowed), latest)
    estimate(error)
    for name in TRANSCRIPTS:
        FORMATS.load(name)


def _ended_well(agent: str, call: FinishedCall) -> bool:
    """Surely so, as far as can be seen at once."""
    if call.failed or agent not in FLAGGING_AGENTS:
        return False
    is_telling = tool_kind(call.tool) in TELLING_TOOLS
    return is_telling and not call.result.startswith(REFUSED_CALL)


def _silent(reason: str, allowed: Permission | None = None) -> Start:
    arm, trouble = (allowed.arm, allowed.trouble) if allowed else ("", "")
    return Start("", "", 0, (), "", reason, trouble, arm)


def _choice(config: Config, listener: _Session, latest: LatestCalls) -> _Choice | None:
    """The first hint there is for what went wrong, as far as that is not noise in this repository."""
    from afterglow.context.hints import hint, told_topics
    from afterglow.flows.noise import noise_of
    from afterglow.flows.session.build_context import known_repo, repo_of
    from afterglow.flows.session.deliveries import topics_told
    from afterglow.flows.session.hints import handed
    from afterglow.harvest.problems import telling_events
    from afterglow.text.tokens import estimate

    deliveries = handed(config, listener.id, listener.now)
    repo = repo_of(latest.home, config)
    with opened_knowledge(config) as knowledge:
        repo = known_repo(knowledge, repo) if knowledge else repo
        noise = [noise_of(knowledge, repo)] if knowledge else []
        for event in telling_events([*noise, latest.events]):
            items = _items(knowledge, repo, listener, event) if knowledge else []
            topics = {*event.keys, event.fingerprint}.union(*map(told_topics, items))
            before = topics_told(deliveries, topics)
            line = hint(event, items, before, estimate)
            if line is not None:
                item = next((item for item in items if item.id == line.item), None)
                return _Choice(line, event, item, repo)
    return None


@contextmanager
def opened_knowledge(config: Config) -> Iterator[Knowledge | None]:
    """What is known; nothing is made where there is nothing yet: a session's own state may explain a failure."""
    if not config.knowledge.exists():
        yield None
        return
    from afterglow.flows.told_knowledge import told_knowledge

    with told_knowledge(config, is_hurried=True) as knowledge:
        yield knowledge


def _items(
    knowledge: Knowledge, repo: str, listener: _Session, event: Event
) -> list[KnowledgeItem]:
    """Without what only other arms of an experiment taught."""
    from afterglow.flows.session.build_context import is_only_from

    here = items_about(knowledge, repo, listener.agent, event)
    without = listener.allowed.without
    return [item for item in here if not is_only_from(without, item)]


def items_about(
    knowledge: Knowledge, repo: str, agent: str, event: Event
) -> list[KnowledgeItem]:
    """What is known about the problems of an event, for this repository and this agent."""
    from afterglow.harvest.problem_topics import topics_of_event

    topics = topics_of_event(repo, event)
    by_topic = knowledge.all_of_topics(topics)
    by_key = knowledge.of_keys(topics)
    by_error = knowledge.of_fingerprints({event.fingerprint} - {""})
    ids = [
        id
        for ids in (*by_topic.values(), *by_key.values(), *by_error.values())
        for id in ids
    ]
    return [
        item
        for item in knowledge.find(ids).values()
        if item.repo in {"", repo} and item.agent in {"", agent}
    ]


def _given_out(
    config: Config, listener: _Session, choice: _Choice, calls: Sequence[FinishedCall]
) -> Start:
    from afterglow.flows.session.deliveries import record_delivery

    hint, items = choice.hint, [choice.item] if choice.item else []
    if listener.allowed.tells == "placebo":
        from afterglow.context.placebo import disguised_hint

        hint, items = disguised_hint(
            hint, seed=f"{listener.id} {choice.event.keys[:1]}"
        )
    lines = [ContextLine(item.id, hint.text, 0.0, {}, hint.tokens) for item in items]
    context = Context(
        id=f"ag-{os.urandom(5).hex()}",
        text=hint.text,
        tokens=hint.tokens,
        budget=hint.tokens,
        shown=tuple(lines),
    )
    now = time.time() if listener.now is None else listener.now
    need = Need(now=now, repo=choice.repo, agent=listener.agent)
    failed = [call.id for call in calls if call.failed] or [call.id for call in calls]
    record_delivery(
        config,
        context,
        need,
        items,
        session=listener.id,
        when="failure",
        topics=hint.topics,
        call=failed[0],
        placebo=listener.allowed.tells == "placebo",
    )
    return Start(
        context.id,
        hint.text,
        hint.tokens,
        tuple(item.id for item in items),
        choice.repo,
        "",
        listener.allowed.trouble,
        listener.allowed.arm,
    )
