"""Spans -> sessions: the spans of one conversation, in the order of their time.

A request to a model carries all that was said before it, so of each request only what is new counts. What a tool was
asked and what it answered stands in a span of its own, or in the next request; it is taken once.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any

from msgspec import Struct

from afterglow.records.session import Damage, Mark, Session, Usage
from afterglow.sessions.assembly import Assembly
from afterglow.sessions.formats.traces.messages import (
    Message,
    ToolCall,
    in_messages,
    out_messages,
    plain_text,
)
from afterglow.sessions.outcomes import flagged

AGENT = "traces"
# Names by which a span says which conversation it belongs to, the plainest first.
_CONVERSATION = (
    "gen_ai.conversation.id",
    "session.id",
    "langfuse.session.id",
    "copilot_chat.chat_session_id",
    "conversation.id",
    "thread.id",
)
_MODEL = ("gen_ai.response.model", "gen_ai.request.model", "llm.model_name")
_SENT = ("gen_ai.usage.input_tokens", "llm.token_count.prompt")
_RECEIVED = ("gen_ai.usage.output_tokens", "llm.token_count.completion")
_CACHED = (
    "gen_ai.usage.cache_read.input_tokens",
    "llm.token_count.prompt_details.cache_read",
)
_TOOL = ("gen_ai.tool.name", "tool.name", "tool_name")
_CALL_ID = ("gen_ai.tool.call.id", "tool_call.id", "tool.id", "tool_use_id")
_ARGUMENTS = (
    "gen_ai.tool.call.arguments", "tool.parameters", "tool_input", "tool_parameters", "input.value",
)  # fmt: skip
_RESULT = ("gen_ai.tool.call.result", "tool.output", "tool_output", "output.value")
_CHAT = frozenset({"chat", "text_completion", "generate_content", "llm"})
_TOOLS = frozenset({"execute_tool", "tool"})


class Span(Struct, kw_only=True):
    """One span. `error` is why it failed, empty if it did not; `line` its place in the source."""

    id: str = ""
    trace: str = ""
    parent: str = ""
    name: str = ""
    start: float | None = None
    end: float | None = None
    is_error: bool = False
    error: str = ""
    attributes: dict[str, Any] = {}
    service: str = ""
    line: int = 0

    def value(self, names: Iterable[str]) -> Any:
        """The first of these attributes that says something."""
        for name in names:
            if self.attributes.get(name) not in (None, ""):
                return self.attributes[name]
        return None

    @property
    def kind(self) -> str:
        """What was done: `chat`, `tool`, or something that only holds others together."""
        operation = str(self.attributes.get("gen_ai.operation.name") or "").lower()
        role = str(self.attributes.get("openinference.span.kind") or "").lower()
        words = {operation, role}
        if words & _TOOLS or (not operation and not role and self.value(_TOOL)):
            return "tool"
        return "chat" if words & _CHAT else ""


def sessions_of(
    spans: Iterable[Span],
    format: str,
    source: str,
    damage: Iterable[Damage] = (),
) -> Iterator[Session]:
    """Every conversation that somebody said something in. The first tells of the damage."""
    untold = list(damage)
    for id, members in _conversations(spans).items():
        session = Assembly(id=id, agent=AGENT, format=format, source=source)
        session.voice = "outside"  # what an application sends, nobody typed
        telling = _Telling(session)
        for span in members:
            telling.take(span)
        if session.items:
            session.hurt(untold)
            untold = []
            yield session.part(Mark())


def _conversations(spans: Iterable[Span]) -> dict[str, list[Span]]:
    """Spans by conversation. A trace is of one: helpers inside it may count their own."""
    members = sorted(spans, key=lambda span: (span.start or 0.0, span.line))
    of_trace: dict[str, str] = {}
    for span in sorted(members, key=lambda span: bool(span.parent)):
        if id := span.value(_CONVERSATION):
            of_trace.setdefault(span.trace, str(id))
    grouped: dict[str, list[Span]] = defaultdict(list)
    for span in members:
        grouped[of_trace.get(span.trace) or span.trace].append(span)
    return grouped


class _Telling:
    """A session in the making, and what of its conversation has been told."""

    def __init__(self, session: Assembly) -> None:
        self.session = session
        self.told: set[tuple[object, ...]] = set()
        self.answered: set[str] = set()

    def take(self, span: Span) -> None:
        self.session.tick(span.start)
        self.session.tick(span.end)
        if span.service and self.session.facts["agent"] == AGENT:
            self.session.facts["agent"] = span.service
        if span.kind == "chat":
            self._take_request(span)
        elif span.kind == "tool":
            self._take_tool(span)

    def _take_request(self, span: Span) -> None:
        counts: dict[tuple[object, ...], int] = defaultdict(int)
        for message in in_messages(span.attributes):
            self._take_message(span, message, counts)
        for message in out_messages(span.attributes):
            self._take_message(span, message, counts)
        self.session.learn(model=str(span.value(_MODEL) or ""))
        if span.is_error and span.error:
            self.session.said("system", span.error, span.line, span.end, "injected")
        self.session.spend(_usage(span))

    def _take_message(
        self,
        span: Span,
        message: Message,
        counts: dict[tuple[object, ...], int],
    ) -> None:
        """A message that an earlier request held already is not told again, but said twice it is."""
        mark = (message.role, message.text, *(call.id for call in message.calls))
        counts[mark] += 1
        for id, text in message.results:
            self._answer(id, text, span.line, span.start, is_error=False)
        if (*mark, counts[mark]) in self.told:
            return
        self.told.add((*mark, counts[mark]))
        if message.role == "assistant":
            draft = self.session.reply("", span.line, span.end, message.text)
            for call in message.calls:
                self.session.called(
                    draft, call.id, call.name, call.arguments, span.line, span.end
                )
        elif message.text and not message.results:
            self._say(span, message)

    def _say(self, span: Span, message: Message) -> None:
        if message.role == "user":
            self.session.said("user", message.text, span.line, span.start)
        else:
            self.session.said("system", message.text, span.line, span.start, "injected")

    def _answer(
        self, id: str, text: str, line: int, time: float | None, *, is_error: bool
    ) -> None:
        if id in self.answered or id not in self.session.open:
            return
        self.answered.add(id)
        tool, arguments = self.session.awaiting(id)
        verdict = flagged(tool, arguments, text, is_error)
        self.session.answered(id, text, line, time, verdict)

    def _take_tool(self, span: Span) -> None:
        """A call that a request told of, or, where requests are not recorded, one by itself."""
        call = _call_of(span)
        text = span.error or plain_text(span.value(_RESULT))
        id = call.id if call.id in self.session.open else self._open_alike(call)
        if not id and call.id in self.answered:
            return
        if not id:
            draft = self.session.reply("", span.line, span.start)
            id = self.session.called(
                draft, call.id, call.name, call.arguments, span.line, span.start
            )
        self._answer(id, text, span.line, span.end, is_error=span.is_error)

    def _open_alike(self, call: ToolCall) -> str:
        """Of a span without an id: the oldest open call of its tool."""
        if call.id:
            return ""
        ids = [
            id for id in self.session.open if self.session.awaiting(id)[0] == call.name
        ]
        return ids[0] if ids else ""


def _call_of(span: Span) -> ToolCall:
    name = span.value(_TOOL) or span.name.removeprefix("execute_tool ")
    arguments = plain_text(span.value(_ARGUMENTS)) or "{}"
    return ToolCall(str(span.value(_CALL_ID) or ""), str(name), arguments)


def _usage(span: Span) -> Usage:
    sent = _number(span.value(_SENT))
    cached = min(_number(span.value(_CACHED)), sent)
    received = _number(span.value(_RECEIVED))
    return Usage(input=sent - cached, output=received, cache_read=cached, context=sent)


def _number(value: Any) -> int:
    if isinstance(value, int | float):
        return int(value)
    return int(value) if isinstance(value, str) and value.isdecimal() else 0
