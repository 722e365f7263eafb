"""ShareGPT conversations: `{"conversations": [{"from", "value"}]}`, one on each line, or all in one JSON document.

Hermes Agent saves its trajectories so, with thoughts, calls and results as tags inside the text. There is no session
id: it is made from the content, so that it stays the same whatever else is in the file.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Raw, Struct

from afterglow.records.session import Mark, Session
from afterglow.sessions.assembly import Assembly
from afterglow.sessions.formats.hermes.results import HERMES
from afterglow.sessions.json_document import load
from afterglow.sessions.openai_chat import Function, Message, ToolCall, hear, text_of
from afterglow.sessions.session_per_line import read_each
from afterglow.text.times import seconds

NAME = "sharegpt"

_START = re.compile(
    rb'"conversations"\s*:\s*\[\s*\{\s*"(?:from|value|role|content)"\s*:'
)
_SPEAKERS = {
    "human": "user",
    "gpt": "assistant",
    "chatgpt": "assistant",
    "model": "assistant",
    "function_call": "assistant",
    "observation": "tool",
    "function_response": "tool",
}
_THOUGHTS = ("think", "REASONING_SCRATCHPAD")
_NAMED = re.compile(r"""["']name["']\s*:\s*["']([\w.:-]+)["']""")
_scanner = json.JSONDecoder()


class _Spoken(Message, kw_only=True):
    speaker: str | None = msgspec.field(default=None, name="from")
    value: Any = None


class _Metadata(Struct):
    model: str | None = None
    timestamp: str | float | None = None


class _Record(Struct):
    """A conversation. Everything but `conversations` is what Hermes and its batch runner add."""

    conversations: list[_Spoken]
    timestamp: str | float | None = None
    model: str | None = None
    completed: bool | None = None
    prompt_index: int | str | None = None
    metadata: _Metadata | None = None
    tool_stats: Any = None


class _Response(Struct):
    content: Raw
    tool_call_id: str | None = None
    name: str | None = None


_decoder = msgspec.json.Decoder(_Record)


def sniff(path: Path, head: bytes) -> bool:
    return head.lstrip()[:1] in (b"{", b"[") and _START.search(head) is not None


def read(path: Path, since: Mark = Mark()) -> Iterator[Session]:
    facts = {"format": NAME, "source": str(path)}
    times_of: Counter[str] = Counter()

    def sessions(record: _Record) -> Iterator[Session]:
        yield _session(record, facts, times_of)

    with path.open("rb") as file:
        first = file.readline(4096).strip()
    if first.startswith(b"[") or first == b"{":
        records = load(path, _Record | list[_Record])  # type: ignore[arg-type]
        return (_session(record, facts, times_of) for record in _listed(records))
    return read_each(path, _decoder, sessions)


def _listed(records: _Record | list[_Record]) -> list[_Record]:
    return records if isinstance(records, list) else [records]


def _session(record: _Record, facts: dict[str, str], times_of: Counter[str]) -> Session:
    extra = record.metadata or _Metadata()
    saved = record.timestamp or extra.timestamp
    content = [
        (message.speaker or message.role, text_of(_value(message)))
        for message in record.conversations
    ]
    id = hashlib.sha256(msgspec.json.encode((content, saved))).hexdigest()[:16]
    times_of[id] += 1
    again = f"-{times_of[id]}" if times_of[id] > 1 else ""
    session = Assembly(**facts, id=f"{id}{again}")
    session.learn(model=record.model or extra.model)
    _learn_from_hermes(session, record)
    # Only the moment of saving is known; a start that is some minutes late still puts the session in its place.
    session.learn(start=seconds(saved), end=seconds(saved))
    session.voice = "outside"  # a dataset; nobody can say who typed it
    for place, message in _messages(record.conversations):
        hear(session, message, place, HERMES)
    return session.part(Mark())


def _learn_from_hermes(session: Assembly, record: _Record) -> None:
    """What Hermes and its batch runner write beside a conversation, if they wrote it."""
    is_hermes = record.completed is not None or record.tool_stats is not None
    session.learn(agent="hermes" if is_hermes else NAME)
    if record.completed is not None:
        session.learn(status="completed" if record.completed else "failed")
    if record.prompt_index is not None:
        session.learn(task=str(record.prompt_index))


def _value(message: _Spoken) -> Any:
    return message.value if message.value is not None else message.content


def _messages(conversation: list[_Spoken]) -> Iterator[tuple[int, Message]]:
    """The conversation as chat messages, each with its place."""
    texts = [text_of(_value(spoken)) for spoken in conversation]
    for place, spoken in enumerate(conversation, 1):
        name = (spoken.speaker or spoken.role).lower()
        role = _SPEAKERS.get(name, name)
        text = texts[place - 1]
        if spoken.tool_calls or spoken.tool_call_id:
            spoken.role, spoken.content = role, text
            yield place, spoken
        elif role == "assistant":
            following = "".join(texts[place : place + 1])
            yield place, _assistant(name, text, following)
        elif role == "tool":
            for result in _results(text) or [Message(role, text, name=spoken.name)]:
                yield place, result
        else:
            yield place, Message(role, text)


def _assistant(name: str, text: str, following: str) -> Message:
    """A message with its calls, each under the id that its result in the `following` message names."""
    if name == "function_call":
        text, functions = "", [_function(text)]
    else:
        text, functions = _calls(text)
    ids = [result.tool_call_id for result in _results(following)]
    ids += [None] * len(functions)
    calls = list(map(ToolCall, ids, functions))
    return Message("assistant", text, calls)


def _without(text: str, start: str, end: str) -> str:
    """Text without what stands between two tags; a thought nobody ended goes on to the next call, or to the end."""
    outside = []
    while (begin := text.find(start)) >= 0:
        outside.append(text[:begin])
        close = text.find(end, begin)
        if close >= 0:
            text = text[close + len(end) :].lstrip()
        else:
            call = text.find("<tool_call>", begin)
            if call >= 0:
                outside.append(_dropped(text[call:], start))
            return "".join(outside)
    return "".join([*outside, text])


def _dropped(text: str, start: str) -> str:
    """No end tag is left: each further thought goes on to the next call."""
    head, *thoughts = text.split(start)
    calls = [thought.partition("<tool_call>")[1:] for thought in thoughts]
    for tag, call in calls:
        head += tag + call
    return head


def _calls(text: str) -> tuple[str, list[Function]]:
    """What the assistant said and what it called, without what it thought."""
    for tag in _THOUGHTS:
        text = _without(text, f"<{tag}>", f"</{tag}>")
    outside, bodies = _tagged(text, "tool_call")
    return outside.strip(), [_function(body) for body in bodies]


def _function(body: str) -> Function:
    """A call as JSON; where it is not, at least the name of the tool."""
    try:
        return msgspec.json.decode(body, type=Function)
    except (msgspec.DecodeError, RecursionError):
        named = _NAMED.search(body)
        name = named[1] if named else "unknown"
        return Function(name, Raw(msgspec.json.encode(body)))


def _results(text: str) -> list[Message]:
    return [_result(body) for body in _tagged(text, "tool_response")[1]]


def _result(body: str) -> Message:
    try:
        response = msgspec.json.decode(body, type=_Response)
        content = bytes(response.content)
        if content.startswith(b'"'):
            text = msgspec.json.decode(content, type=str)
        else:
            text = content.decode()
    except (msgspec.DecodeError, RecursionError):
        return Message("tool", body)
    return Message("tool", text, tool_call_id=response.tool_call_id, name=response.name)


def _tagged(text: str, tag: str) -> tuple[str, list[str]]:
    """The text outside of `<tag>` blocks, and what is in each of them. JSON inside may hold the closing tag itself."""
    opening, closing = f"<{tag}>", f"</{tag}>"
    outside: list[str] = []
    bodies: list[str] = []
    place = 0
    while (start := text.find(opening, place)) >= 0:
        outside.append(text[place:start])
        body = start + len(opening)
        body += len(text[body:]) - len(text[body:].lstrip())
        try:
            _, end = _scanner.raw_decode(text, body)
        except (ValueError, RecursionError):
            end = body
        stop = text.find(closing, end)
        stop = len(text) if stop < 0 else stop
        bodies.append(text[body:stop].strip())
        place = min(stop + len(closing), len(text))
    return "".join([*outside, text[place:]]), bodies
