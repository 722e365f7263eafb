"""tau2-bench: one JSON document of many simulated conversations between an agent and a simulated user.

Both may hold tools. Calls requested by the assistant are the agent's; what the simulated user does with its phone is
kept as injected user turns, because nobody said it and the agent did not do it.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec
from msgspec import Raw, Struct, field

from afterglow.records.session import Mark, Session, Usage
from afterglow.sessions import json_document
from afterglow.sessions.assembly import Assembly
from afterglow.sessions.outcomes import flagged
from afterglow.text.times import seconds

NAME = "tau2-bench"
AGENT = "tau2-bench"


class _Call(Struct, gc=False):
    id: str | None = ""
    name: str = ""
    arguments: Raw = Raw(b"{}")


class _Tokens(Struct, gc=False):
    prompt_tokens: int | None = 0
    completion_tokens: int | None = 0


class _Message(Struct, gc=False):
    role: str = ""
    content: str | None = None
    tool_calls: list[_Call] | None = None
    timestamp: str | None = None
    usage: _Tokens | None = None
    id: str | None = None
    requestor: str | None = None
    error: bool | None = None


class _Reward(Struct):
    reward: float | None = None


class _Simulation(Struct, kw_only=True):
    id: str | int = ""
    task_id: str | int | None = None
    messages: list[_Message]
    start_time: str | None = None
    end_time: str | None = None
    termination_reason: str | None = ""
    agent_cost: float | None = 0.0
    reward_info: _Reward | None = None


class _Agent(Struct):
    llm: str | None = ""


class _Info(Struct):
    agent_info: _Agent = field(default_factory=_Agent)


class _Results(Struct):
    simulations: list[_Simulation]
    info: _Info = field(default_factory=_Info)


def sniff(path: Path, head: bytes) -> bool:
    if not head.startswith(b"{") or b'"info"' not in head[:256]:
        return False
    return b'"num_trials"' in head and b'"user_info"' in head


def read(path: Path, since: Mark = Mark()) -> Iterator[Session]:
    results = json_document.load(path, _Results)
    for number, simulation in enumerate(results.simulations, 1):
        task = simulation.task_id
        session = Assembly(
            id=str(simulation.id) or f"{path.stem}-{number}",
            agent=AGENT,
            format=NAME,
            source=str(path),
            task="" if task is None else str(task),
            status=simulation.termination_reason or "",
            model=results.info.agent_info.llm or "",
            score=simulation.reward_info and simulation.reward_info.reward,
        )
        if simulation.termination_reason in {"user_stop", "agent_stop"}:
            session.facts["ending"] = "closed"
        session.voice = "outside"  # a model plays the user
        session.spent.append(Usage(cost=simulation.agent_cost or 0.0))
        session.tick(seconds(simulation.start_time))
        session.tick(seconds(simulation.end_time))
        for line, message in enumerate(simulation.messages, 1):
            _translate(session, line, message)
        yield session.part(Mark())


def _translate(session: Assembly, line: int, message: _Message) -> None:
    time, text = seconds(message.timestamp), message.content or ""
    if message.role == "assistant":
        _assistant(session, line, time, message)
    elif message.role == "tool" and message.requestor != "user":
        id = message.id or ""
        verdict = flagged(*session.awaiting(id), text, message.error)
        session.answered(id, text, line, time, verdict)
    elif message.role == "tool":
        session.said("user", text, line, time, "injected")
    elif message.role == "system":
        session.said("system", text, line, time)
    else:
        _simulated_user(session, line, time, message)


def _assistant(
    session: Assembly, line: int, time: float | None, message: _Message
) -> None:
    draft = session.reply("", line, time, message.content)
    if tokens := message.usage:
        sent = tokens.prompt_tokens or 0
        draft.usage = Usage(sent, tokens.completion_tokens or 0, context=sent)
    for call in message.tool_calls or ():
        arguments = _compact(call.arguments)
        session.called(draft, call.id, call.name, arguments, line, time)


def _simulated_user(
    session: Assembly, line: int, time: float | None, message: _Message
) -> None:
    if message.content:
        session.said("user", message.content, line, time)
    for call in message.tool_calls or ():
        text = f"{call.name} {_compact(call.arguments)}"
        session.said("user", text, line, time, "injected")


def _compact(arguments: Raw) -> str:
    """Without the line breaks and blanks the whole document is indented with."""
    return msgspec.json.format(bytes(arguments), indent=-1).decode()
