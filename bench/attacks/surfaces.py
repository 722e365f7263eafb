"""Everything an agent gets to read from a home, each surface asked as an agent asks it.

A surface is a name and a function of the home, the checkout and what the attack is about. What failed in the attack's
sessions fails again here: that is when a line on failure would be given. Nobody asks for candidates. `RAW` surfaces
show transcripts to whoever writes lessons; they are data by nature, and counted apart.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import anyio
import msgspec
from msgspec import Struct

from afterglow.config import Config
from afterglow.errors import AfterglowError
from afterglow.flows import knowledge as knowledge_flow
from afterglow.flows import memory as memory_flow
from afterglow.flows import warm as warm_flow
from afterglow.flows.harvest import problems_to_write, windows
from afterglow.flows.session import (
    bootstrap,
    hint,
    keep_context,
    on_failure,
    repo_of,
    start,
    start_subagent,
)
from afterglow.mcp.server import build
from afterglow.memory.tool import USER, memory_backend
from afterglow.records.context import FinishedCall
from afterglow.records.knowledge import KnowledgeItem
from bench.attacks.attack import Attack, Held, Stored, Turn
from bench.attacks.scene import Scene, home_in_force
from mcp import Client

LARGE_BUDGET = 2000  # tokens: whatever is active has room
ASKING_AGENTS = ("claude-code", "codex", "hermes", "gemini-cli")
MAX_QUERY = 300  # characters of a payload that somebody looks for


class Question(Struct, frozen=True):
    """Who asks, where, and about what."""

    config: Config
    cwd: Path
    repo: str
    agent: str
    task: str
    failures: tuple[FinishedCall, ...]
    commands: tuple[str, ...]
    queries: tuple[str, ...]
    keys: tuple[str, ...]
    now: float

    def concerns(self, item: KnowledgeItem) -> bool:
        """Whether an item speaks to sessions here; the lessons of other repositories are theirs."""
        return item.repo in {"", self.repo}


Surface = Callable[[Question], Iterator[str]]


def question_of(attack: Attack, scene: Scene) -> Question:
    held = [act for act in attack.acts if isinstance(act, Held)]
    turns = [turn for act in held for turn in act.turns]
    agents = [act.agent for act in held if act.agent in ASKING_AGENTS]
    failed = [turn for turn in turns if turn.code]
    commands = [turn.run for turn in turns if turn.run]
    stored = [act for act in attack.acts if isinstance(act, Stored)]
    queries = [attack.task, *(mark[:MAX_QUERY] for mark in attack.marks), *commands]
    return Question(
        config=scene.config,
        cwd=scene.checkout(attack.victim),
        repo=repo_of(scene.checkout(attack.victim), scene.config),
        agent=agents[0] if agents else "claude-code",
        task=attack.task,
        failures=tuple(map(_failure, failed)),
        commands=tuple(dict.fromkeys(commands)),
        queries=tuple(dict.fromkeys(filter(str.strip, queries))),
        keys=tuple(act.key for act in stored),
        now=scene.now,
    )


def read_surfaces(question: Question) -> dict[str, str]:
    """The text of every surface; one that refuses to answer shows nothing."""
    texts = {}
    for name, surface in SURFACES.items():
        try:
            texts[name] = "\n".join(surface(question))
        except AfterglowError as refusal:
            texts[name] = ""
            del refusal
    return texts


def _failure(turn: Turn) -> FinishedCall:
    if turn.run:
        arguments = json.dumps({"command": turn.run})
        result = f"Exit code {turn.code}\n{turn.out}"
        return FinishedCall("Bash", arguments, result, failed=True)
    return FinishedCall(turn.tool, json.dumps(turn.args), turn.out, failed=True)


def _start(question: Question) -> Iterator[str]:
    """The hook at a session's start, and the same with the request in mind."""
    for task in dict.fromkeys(("", question.task)):
        yield start(
            question.config,
            agent=question.agent,
            cwd=question.cwd,
            task=task,
            now=question.now,
        ).text


def _bootstrap(question: Question) -> Iterator[str]:
    context, _, _ = bootstrap(
        question.config,
        cwd=question.cwd,
        agent=question.agent,
        task=question.task,
        budget=LARGE_BUDGET,
        now=question.now,
    )
    yield context.text


def _subagent(question: Question) -> Iterator[str]:
    yield start_subagent(
        question.config,
        agent=question.agent,
        cwd=question.cwd,
        session="s-main",
        now=question.now,
    ).text


def _failure_line(question: Question) -> Iterator[str]:
    for number, call in enumerate(question.failures):
        yield on_failure(
            question.config,
            agent="claude-code",
            cwd=question.cwd,
            session=f"s-{number}",
            calls=[call],
            now=question.now,
        ).text


def _before_call(question: Question) -> Iterator[str]:
    for number, command in enumerate(question.commands):
        yield hint(
            question.config,
            agent=question.agent,
            cwd=question.cwd,
            tool="Bash",
            arguments=json.dumps({"command": command}),
            session=f"s-before-{number}",
        ).text


def _context_file(question: Question) -> Iterator[str]:
    path = question.cwd / "AGENTS.md"
    keep_context(question.config, path, cwd=question.cwd)
    if path.exists():
        yield path.read_text("utf-8")
        path.unlink()


def _mcp_recall(question: Question) -> Iterator[str]:
    calls = [("recall", {"query": query}) for query in question.queries]
    return _mcp(question, calls)


def _mcp_context(question: Question) -> Iterator[str]:
    return _mcp(question, [("context", {"task": question.task})])


def _mcp_failed_before(question: Question) -> Iterator[str]:
    calls = [
        (
            "failed_before",
            {"output": call.result, "arguments": call.arguments, "tool": call.tool},
        )
        for call in question.failures
    ]
    return _mcp(question, calls)


def _mcp_templates(question: Question) -> Iterator[str]:
    task = question.task or "work on it"
    return _mcp(question, [("warm_select", {"task": task})])


def _mcp(question: Question, calls: list[tuple[str, dict[str, Any]]]) -> Iterator[str]:
    """Answers of the tools, and the list of items that the server offers."""

    async def ask() -> list[str]:
        server = build(question.config, question.cwd)
        async with Client(server) as client:
            texts = []
            for name, arguments in calls:
                answer = await client.call_tool(name, arguments)
                texts += [getattr(part, "text", "") for part in answer.content]
            return texts

    yield from anyio.run(ask)


def _mcp_resources(question: Question) -> Iterator[str]:
    async def ask() -> list[str]:
        server = build(question.config, question.cwd)
        async with Client(server) as client:
            texts = []
            for uri in ("afterglow://items", "afterglow://templates"):
                answer = await client.read_resource(uri)
                texts += [getattr(part, "text", "") for part in answer.contents]
            return texts

    yield from anyio.run(ask)


def _listing(question: Question) -> Iterator[str]:
    listing = knowledge_flow.list_items(question.config, limit=100)
    yield from map(_words, filter(question.concerns, listing.items))


def _search(question: Question) -> Iterator[str]:
    for query in question.queries:
        items = [hit.item for hit in knowledge_flow.search(question.config, query)]
        yield from map(_words, filter(question.concerns, items))


def _export(question: Question) -> Iterator[str]:
    folder = question.config.home / "exported"
    knowledge_flow.export(question.config, folder, force=True)
    for path in sorted(folder.rglob("*.md")):
        place = path.relative_to(folder).as_posix()
        if not place.startswith("repos/") or place == f"repos/{question.repo}.md":
            yield path.read_text("utf-8")


def _template(question: Question) -> Iterator[str]:
    """What a session would start with, whichever template is chosen."""
    for entry in warm_flow.list_templates(question.config).templates:
        try:
            delivered = warm_flow.deliver(
                question.config, entry.template.id, question.task or "work on it"
            )
        except AfterglowError:  # nobody approved it
            continue
        yield msgspec.json.encode(delivered.warm.messages).decode()
        yield delivered.warm.system


def _memory(question: Question) -> Iterator[str]:
    """As the agent's tool and the command tell it."""
    with home_in_force(question.config):
        for key in question.keys:
            yield memory_backend("retrieve", key=key)
        for query in question.queries:
            yield memory_backend("query", query=query)
    for query in question.queries:
        for entry in memory_flow.query(question.config, USER, query):
            yield entry.value


def _dossiers(question: Question) -> Iterator[str]:
    waiting = problems_to_write(question.config, again=True, limit=50, tokens=100_000)
    yield from (problem.text for problem in waiting.problems)
    yield msgspec.json.encode(windows(question.config).windows).decode()


def _words(item: Any) -> str:
    return f"{item.fact}\n{item.situation}\n{item.remedy}"


SURFACES: dict[str, Surface] = {
    "start": _start,
    "bootstrap": _bootstrap,
    "subagent": _subagent,
    "failure": _failure_line,
    "before a call": _before_call,
    "context file": _context_file,
    "mcp recall": _mcp_recall,
    "mcp context": _mcp_context,
    "mcp failed_before": _mcp_failed_before,
    "mcp resources": _mcp_resources,
    "mcp template": _mcp_templates,
    "template": _template,
    "list": _listing,
    "search": _search,
    "export": _export,
    "memory": _memory,
    "dossiers": _dossiers,
}
RAW = ("dossiers",)
