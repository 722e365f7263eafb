"""explain_failure: what a session would be told right after a call failed, and why; or why nothing.

A person pastes a command and what it printed; it is read as a hook would read it. Nobody is told anything and nothing is
noted.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec
from msgspec import Struct

from afterglow.config import Config
from afterglow.context.hints import hint, why_untold
from afterglow.errors import UsageError
from afterglow.flows.noise import noise_of
from afterglow.flows.session.build_context import known_repo, repo_of
from afterglow.flows.session.failure_line import items_about, opened_knowledge
from afterglow.flows.session.latest_calls import latest_calls
from afterglow.harvest.problem_topics import topics_of_event
from afterglow.harvest.problems import telling_events
from afterglow.records.context import FinishedCall, Hint
from afterglow.records.knowledge import STATUSES, KnowledgeItem
from afterglow.records.problems import Event
from afterglow.store.knowledge import Knowledge
from afterglow.text.tokens import estimate

# By which a pasted call is read, whoever will run it: the plainest of all shapes, a shell line and what it printed.
PASTED_AGENT, PASTED_TOOL = "claude-code", "Bash"
MAX_PASTED_CHARACTERS = 100_000  # of an error: what stands behind them says no more
MAX_NEAR_ITEMS = 5  # that share words with the error without being about it


class ReadFailure(Struct, frozen=True):
    """What was read of a pasted call: its program, the lines that say what is wrong, the problems it may be one of."""

    program: str
    lines: tuple[str, ...]
    problems: tuple[str, ...]
    explanation: str = ""


class ConsideredItem(Struct, frozen=True):
    """An item and why it is not told; empty for the one that is. `is_near`: it shares words with the error, no more."""

    item: KnowledgeItem
    why: str
    is_near: bool = False


class ExplainedFailure(Struct, frozen=True, kw_only=True):
    """What would be said (`text`), of which item if of one, or the `reason` why nothing is."""

    repo: str
    text: str = ""
    tokens: int = 0
    item: KnowledgeItem | None = None
    reason: str = ""
    failures: tuple[ReadFailure, ...] = ()
    considered: tuple[ConsideredItem, ...] = ()


def explain_failure(
    config: Config,
    *,
    cwd: Path,
    command: str,
    error: str,
    repo: str | None = None,
    agent: str = "",
    now: float | None = None,
) -> ExplainedFailure:
    """For a session of `repo` (that of `cwd` unless said) and `agent` that has been told nothing yet."""
    if not command.strip():
        raise UsageError("say which command failed, and paste what it printed")
    latest = latest_calls(
        config,
        agent=PASTED_AGENT,
        cwd=cwd,
        session="",
        calls=[_pasted(command, error)],
        transcript=None,
        agent_id="",
        now=now,
    )
    repo = repo_of(cwd, config) if repo is None else repo
    with opened_knowledge(config) as knowledge:
        repo = known_repo(knowledge, repo) if knowledge else repo
        noise = [noise_of(knowledge, repo)] if knowledge else []
        events = telling_events([*noise, latest.events])
        if not events:
            was_read = bool(latest.events.events)
            return ExplainedFailure(repo=repo, reason=_why_unread(was_read))
        about: dict[str, KnowledgeItem] = {}
        near: list[KnowledgeItem] = []
        if knowledge:
            for event in events:
                items = items_about(knowledge, repo, agent, event)
                about |= {item.id: item for item in items}
            near = _near(knowledge, error, repo)
    return _explained(repo, events, list(about.values()), near)


def _pasted(command: str, error: str) -> FinishedCall:
    arguments = msgspec.json.encode({"command": command.strip()}).decode()
    printed = error[:MAX_PASTED_CHARACTERS].strip()
    return FinishedCall(PASTED_TOOL, arguments, printed, failed=True)


def _why_unread(was_read: bool) -> str:
    if was_read:
        return "runs that end well print the same here: it is no failure by itself"
    return "nothing in it says that something went wrong"


def _near(knowledge: Knowledge, error: str, repo: str) -> list[KnowledgeItem]:
    """What shares words with the error, here or everywhere."""
    hits = [
        hit
        for place in dict.fromkeys((repo, ""))
        for hit in knowledge.search(
            error[:MAX_PASTED_CHARACTERS],
            repo=place,
            status=STATUSES,
            limit=MAX_NEAR_ITEMS,
        )
    ]
    strongest = sorted(hits, key=lambda hit: (-hit.score, hit.item.id))
    return [hit.item for hit in strongest[:MAX_NEAR_ITEMS]]


def _explained(
    repo: str,
    events: Sequence[Event],
    about: Sequence[KnowledgeItem],
    near: Sequence[KnowledgeItem],
) -> ExplainedFailure:
    failures = tuple(_read(repo, event) for event in events)
    line = _first_line(events, about)
    item = next((item for item in about if line and item.id == line.item), None)
    near_only = [each for each in near if each not in about]
    considered = [
        *(ConsideredItem(each, _why(each, events, item)) for each in about),
        *(ConsideredItem(each, _why(each, events, item), True) for each in near_only),
    ]
    return ExplainedFailure(
        repo=repo,
        text=line.text if line else "",
        tokens=line.tokens if line else 0,
        item=item,
        reason="" if line else _why_nothing(events, about),
        failures=failures,
        considered=tuple(considered),
    )


def _first_line(events: Sequence[Event], items: Sequence[KnowledgeItem]) -> Hint | None:
    lines = (hint(event, items, (), estimate) for event in events)
    return next((line for line in lines if line is not None), None)


def _why(
    item: KnowledgeItem, events: Sequence[Event], chosen: KnowledgeItem | None
) -> str:
    """Against the first failure it objects to least: most pastes hold one."""
    if chosen is not None and item.id == chosen.id:
        return ""
    reasons = [why_untold(item, event) for event in events]
    if all(reasons):
        return reasons[0]
    return "another line is surer, or comes first: one line is told, not two"


def _why_nothing(events: Sequence[Event], about: Sequence[KnowledgeItem]) -> str:
    if any(event.state and not event.explanation for event in events):
        return "what is wrong is plain from the session itself: nothing to add"
    if not about:
        return "nothing is known about this failure here"
    return "nothing that is known is surely about this failure"


def _read(repo: str, event: Event) -> ReadFailure:
    topics = (topic.partition(":") for topic in topics_of_event(repo, event))
    problems = tuple(id for kind, _, id in topics if kind == "problem")
    return ReadFailure(
        event.program or event.tool,
        tuple(line.text for line in event.lines),
        problems,
        event.explanation,
    )
