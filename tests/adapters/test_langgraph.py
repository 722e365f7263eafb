"""Agents of LangChain and graphs of LangGraph, with a model that follows a script."""

from __future__ import annotations

import asyncio

import pytest

pytest.importorskip("langchain")
from langchain.agents import create_agent
from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, SystemMessage, ToolMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode

from afterglow.adapters.langgraph import WarmMiddleware, chat_messages, tool_wrapper
from harbour_home import FAILED, REMEDY, learned_home, proved


class Scripted(GenericFakeChatModel):
    """Says what it is told to say; `prompts` is the system prompt it read each time."""

    prompts: list[str] = []  # noqa: RUF012  (pydantic copies it)

    def bind_tools(self, tools, **options):
        return self

    def _generate(self, messages, *words, **options):
        first = messages[0]
        self.prompts.append(first.text if first.type == "system" else "")
        return super()._generate(messages, *words, **options)


def bash(command: str) -> str:
    """Runs a command line."""
    return FAILED if command == "./build-pier" else "locked"


def call(number: int, command: str) -> AIMessage:
    use = {"name": "bash", "args": {"command": command}, "id": f"c{number}"}
    return AIMessage("", tool_calls=[use])


def model(*answers: AIMessage) -> Scripted:
    return Scripted(messages=iter(answers))


def work(first: int = 1) -> list[AIMessage]:
    """New ones each time: a graph knows messages again."""
    return [call(first, "./build-pier"), call(first + 1, REMEDY), AIMessage("Built.")]


ASKED = {"messages": [("user", "build the pier")]}


@pytest.fixture
def home(tmp_path):
    return learned_home(tmp_path)


def recorded(ag) -> list[str]:
    files = (ag.home / "recorded").rglob("*.jsonl")
    return sorted(file.stem for file in files if "earlier" not in file.name)


def outcomes(ag, session: str) -> list[str]:
    from afterglow.flows.read import open_session

    _, read = open_session(ag._config, session)
    return [call.outcome.value for turn in read.turns for call in turn.calls]


def running(ag, place):
    from afterglow.api import RunningSession

    (id,) = recorded(ag)
    return RunningSession(ag, id, cwd=place)


@pytest.mark.parametrize("way", ["sync", "async"])
def test_an_agent_is_told_at_its_start_and_behind_the_call_that_failed(home, way):
    ag, place = home
    chat = model(*work())
    warm = WarmMiddleware(ag, cwd=place)
    agent = create_agent(chat, [bash], system_prompt="Be careful.", middleware=[warm])
    if way == "sync":
        result = agent.invoke(ASKED)
    else:
        result = asyncio.run(agent.ainvoke(ASKED))
    assert all(prompt.startswith("Be careful.\n\n") for prompt in chat.prompts)
    assert all(REMEDY in prompt for prompt in chat.prompts)
    first, second = [m.text for m in result["messages"] if m.type == "tool"]
    assert (first.startswith(FAILED), first.count(REMEDY)) == (True, 1)
    assert second == "locked"
    assert set(result) == {"messages"}, "nothing of ours in what the caller gets"
    session = running(ag, place)
    assert proved(session) == {"start", "failure"}
    assert outcomes(ag, session.id) == ["failed", "ok"]


def test_a_thread_is_one_session_also_in_another_process(home):
    ag, place = home
    memory = InMemorySaver()
    thread = {"configurable": {"thread_id": "t"}}
    prompts = []
    for first in (1, 3):
        chat = model(*work(first))
        warm = WarmMiddleware(ag, cwd=place)
        agent = create_agent(chat, [bash], middleware=[warm], checkpointer=memory)
        agent.invoke(ASKED, thread)
        prompts += chat.prompts
    assert len(set(prompts)) == 1
    session = running(ag, place)
    assert outcomes(ag, session.id) == ["failed", "ok"] * 2
    assert "start" in proved(session)


def test_threads_at_the_same_time_do_not_mix(home):
    ag, place = home
    warm = WarmMiddleware(ag, cwd=place)

    async def both():
        agents = [create_agent(model(*work()), [bash], middleware=[warm]) for _ in "ab"]
        return await asyncio.gather(*(agent.ainvoke(ASKED) for agent in agents))

    for result in asyncio.run(both()):
        first = next(m.text for m in result["messages"] if m.type == "tool")
        assert REMEDY in first
    assert len(recorded(ag)) == 2


def test_a_tool_that_says_it_failed_is_recorded_so(home):
    ag, _ = home
    answer = ToolMessage("no such pier", tool_call_id="c1", status="error")
    written = chat_messages([call(1, "./find-pier"), answer])
    assert written[1]["is_error"] is True
    ag.record([{"role": "user", "content": "go"}, *written], session="flagged")
    assert outcomes(ag, "flagged") == ["failed"]


def test_a_graph_of_ones_own_is_told_too(home):
    ag, place = home
    session = ag.session("build the pier", cwd=place)
    graph = StateGraph(MessagesState)
    graph.add_node("tools", ToolNode([bash], wrap_tool_call=tool_wrapper(session)))
    graph.add_edge(START, "tools")
    first = [SystemMessage(session.text), call(1, "./build-pier")]
    messages = graph.compile().invoke({"messages": first})["messages"]
    assert REMEDY in messages[-1].text
    assert session.record(chat_messages(messages))
    assert proved(session) == {"start", "failure"}
