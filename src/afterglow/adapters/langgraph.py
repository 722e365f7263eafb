"""LangChain and LangGraph: a middleware that lets an agent start warm.

    agent = create_agent(model, tools, middleware=[WarmMiddleware(ag, cwd=".")])

A thread of a checkpointer is one session, however often it is gone on with. In a graph of your own:

    session = ag.session(task, cwd=".")
    tools = ToolNode(tools, wrap_tool_call=tool_wrapper(session))
    session.record(chat_messages([SystemMessage(session.text), *state["messages"]]))
"""

from __future__ import annotations

from asyncio import to_thread
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypedDict

from langchain.agents.middleware import AgentMiddleware
from langchain.agents.middleware.types import PrivateStateAttr
from langchain_core.messages import (
    AnyMessage,
    BaseMessage,
    SystemMessage,
    ToolMessage,
    convert_to_openai_messages,
)

from afterglow.adapters.prompts import with_context
from afterglow.api import RunningSession

if TYPE_CHECKING:
    from afterglow.api import Afterglow

MAX_RUNNING = 1000  # sessions at the same time in one process: more than any runs

Handler = Callable[[Any], Any]
AsyncHandler = Callable[[Any], Awaitable[Any]]


class WarmState(TypedDict, total=False):
    """What a thread remembers of its session."""

    afterglow_session: Annotated[str, PrivateStateAttr]
    afterglow_context: Annotated[str, PrivateStateAttr]


class WarmMiddleware(AgentMiddleware[Any, Any, Any]):
    """Each thread is a session: told what is known at its start and when a call fails, kept at its end."""

    state_schema = WarmState

    def __init__(
        self, ag: Afterglow, *, cwd: str | Path = ".", budget: int | None = None
    ) -> None:
        super().__init__()
        self._afterglow, self._cwd, self._budget = ag, cwd, budget
        self._running: dict[str, RunningSession] = {}
        self._prompts: dict[str, str] = {}  # as the model read them

    def before_agent(self, state: Any, runtime: Any) -> dict[str, Any] | None:
        """A new thread begins a session; one that goes on has one."""
        if state.get("afterglow_session"):
            return None
        session = self._afterglow.session(
            _task(state["messages"]), cwd=self._cwd, budget=self._budget
        )
        self._hold(session)
        return {
            "afterglow_session": session.id,
            "afterglow_context": session.text,
        }

    def wrap_model_call(self, request: Any, handler: Handler) -> Any:
        return handler(self._warmed(request))

    async def awrap_model_call(self, request: Any, handler: AsyncHandler) -> Any:
        return await handler(self._warmed(request))

    def wrap_tool_call(self, request: Any, handler: Handler) -> Any:
        session = self._session(request.state)
        return with_line(session, request.tool_call, handler(request))

    async def awrap_tool_call(self, request: Any, handler: AsyncHandler) -> Any:
        session, answer = self._session(request.state), await handler(request)
        return await to_thread(with_line, session, request.tool_call, answer)

    def after_agent(self, state: Any, runtime: Any) -> None:
        """The session so far is kept; if the thread goes on, it is kept again, whole."""
        id = state["afterglow_session"]
        session = self._session(state)
        prompt = self._prompts.pop(id, state.get("afterglow_context", ""))
        system = [SystemMessage(prompt)] if prompt else []
        session.record(chat_messages([*system, *state["messages"]]))
        self._running.pop(id, None)

    def _session(self, state: Any) -> RunningSession:
        """Also of a thread that another process began."""
        id = state["afterglow_session"]
        running = self._running.get(id)
        if running is None:
            running = RunningSession(self._afterglow, id, cwd=self._cwd)
            self._hold(running)
        return running

    def _hold(self, session: RunningSession) -> None:
        """Until its end; the oldest of very many had none, because their runs raised an error."""
        if len(self._running) >= MAX_RUNNING:
            oldest = next(iter(self._running))
            self._running.pop(oldest, None)
            self._prompts.pop(oldest, None)
        self._running[session.id] = session

    def _warmed(self, request: Any) -> Any:
        text = request.state.get("afterglow_context", "")
        prompt = request.system_message
        content = with_context(prompt.content if prompt else "", text)
        if not content:
            return request
        message = SystemMessage(content=content)
        self._prompts[request.state["afterglow_session"]] = message.text
        return request.override(system_message=message)


def tool_wrapper(session: RunningSession) -> Callable[[Any, Handler], Any]:
    """The `wrap_tool_call` of a `ToolNode`."""

    def wrapped(request: Any, handler: Handler) -> Any:
        return with_line(session, request.tool_call, handler(request))

    return wrapped


def with_line(session: RunningSession, call: Any, answer: Any) -> Any:
    """The answer of a tool as the model should read it. What is no text, or no message, stays as it is."""
    if not isinstance(answer, ToolMessage) or not isinstance(answer.content, str):
        return answer
    content = session.result(
        call["name"],
        call["args"],
        answer.content,
        call=call["id"] or "",
        failed=True if answer.status == "error" else None,
    )
    return answer.model_copy(update={"content": content})


def chat_messages(messages: Sequence[AnyMessage | BaseMessage]) -> list[dict[str, Any]]:
    """Messages of LangChain as `record` takes them."""
    written: list[dict[str, Any]] = convert_to_openai_messages(list(messages))
    for message, line in zip(messages, written, strict=True):
        if isinstance(message, ToolMessage) and message.status == "error":
            line["is_error"] = True
    return written


def _task(messages: Sequence[BaseMessage]) -> str:
    """What the person asked for first."""
    requests = (message.text for message in messages if message.type == "human")
    return str(next(requests, ""))
