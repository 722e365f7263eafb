"""Gemini CLI: `~/.gemini/tmp/<project>/chats/session-*.json`, one document, or since 2026 `.jsonl`.

A call stands inside the message that made it, with its result. In the newer files a line is the header, a message
(again and whole whenever it changed: the last one counts), `{"$set": ...}` for what is known about the session, or
`{"$rewindTo": id}` for a person going back. As lines replace earlier ones, these files are always read from the top.
The working folder is not recorded, but newer versions leave it in `.project_root` beside `chats/`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import msgspec
from msgspec import Raw, Struct, field

from afterglow.calls import is_shell_call, shell_line
from afterglow.records.session import Call, Kind, Mark, Outcome, Session, Usage
from afterglow.sessions import json_document
from afterglow.sessions.assembly import Assembly, Draft
from afterglow.sessions.jsonl_blocks import MAX_LINE_BYTES, blocks
from afterglow.sessions.outcomes import ERROR_TEXT, UNKNOWN, Verdict, exited, flagged
from afterglow.text.times import seconds

NAME = "gemini-cli"
AGENT = "gemini-cli"


class _Response(Struct, gc=False):
    output: Raw = Raw(b"")
    error: Raw = Raw(b"")


class _FunctionResponse(Struct, gc=False):
    response: _Response | None = None


class _Part(Struct, gc=False):
    text: str | None = None
    functionResponse: _FunctionResponse | None = None


_Content = str | list[str | _Part] | _Part | None


class _ToolCall(Struct, gc=False):
    id: str = ""
    name: str = ""
    args: Raw = Raw(b"{}")
    result: _Content = None
    resultDisplay: Raw = Raw(b"")
    status: str | None = None
    timestamp: str | None = None


class _Tokens(Struct, gc=False):
    input: int | None = 0
    output: int | None = 0
    cached: int | None = 0
    thoughts: int | None = 0
    tool: int | None = 0


class _Message(Struct, gc=False):
    id: str = ""
    timestamp: str | None = None
    type: str = ""
    content: _Content = None
    displayContent: _Content = None
    toolCalls: list[_ToolCall] | None = None
    tokens: _Tokens | None = None
    model: str | None = None


class _Header(Struct, gc=False):
    sessionId: str | None = None
    startTime: str | None = None
    lastUpdated: str | None = None
    summary: str | None = None
    kind: str | None = None
    directories: list[str] | None = None
    messages: list[_Message] | None = None


class _Line(_Message, gc=False):
    sessionId: str | None = None
    facts: _Header | None = field(default=None, name="$set")
    rewind: str | None = field(default=None, name="$rewindTo")


# Where a message stands, and who is really speaking.
_Placed = tuple[int, _Message, Kind]

_lines = msgspec.json.Decoder(_Line)
_headers = msgspec.json.Decoder(_Header)
_string = msgspec.json.Decoder(str)

_KEYS = re.compile(rb'\{\s*"sessionId"\s*:[^\n]{0,300}\s*"projectHash"\s*:')
_OUTPUT = re.compile(
    r"^Output: (.*?)(?=^(?:Error|Exit Code|Signal|Background PIDs|Process Group PGID): |\Z)",
    re.DOTALL | re.MULTILINE,
)
_MENTIONED = "--- Content from referenced files ---"  # behind a prompt with @file
_EXIT = re.compile(r"^Exit Code: (-?\d+)", re.MULTILINE)


def sniff(path: Path, head: bytes) -> bool:
    return bool(_KEYS.match(head[:4096]))


def read(path: Path, since: Mark = Mark()) -> Iterator[Session]:
    session = Assembly(
        id=path.stem,
        agent=AGENT,
        format=NAME,
        source=str(path),
        cwd=_project_root(path),
    )
    with path.open("rb") as file:
        first = _header(file.readline(MAX_LINE_BYTES))
    if first is not None and first.messages is None:
        _read_lines(session, path, first)
    else:
        chat = json_document.load(path, _Header)
        _learn(session, path, chat)
        for number, message in enumerate(chat.messages or (), 1):
            _take(session, number, message, _kind(message))
    yield session.part(Mark())


def _header(line: bytes) -> _Header | None:
    try:
        return _headers.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None


def _read_lines(session: Assembly, path: Path, first: _Header) -> None:
    """Messages in the order they first appeared, each as it was written last."""
    _learn(session, path, first)
    messages: dict[str, _Placed] = {}
    for number, line in _numbered_lines(session, path):
        if line.rewind is not None:
            messages = _rewound(messages, line.rewind)
            session.facts["attended"] = True
        elif line.facts is not None:
            _learn(session, path, line.facts)
            for message in line.facts.messages or ():
                _rewritten(session, messages, number, message)
        elif line.id:
            messages[line.id] = number, line, _kind(line)
    for number, message, kind in messages.values():
        _take(session, number, message, kind)


def _numbered_lines(session: Assembly, path: Path) -> Iterator[tuple[int, _Line]]:
    """Every line that can be read, with its number; the others are told to the session."""
    with path.open("rb") as file:
        for block in blocks(file, _lines):
            session.hurt(block.damage)
            yield from zip(block.numbers, block.values, strict=True)


def _rewound(messages: dict[str, _Placed], id: str) -> dict[str, _Placed]:
    """Without `id` and all that followed; without anything if it is not known, as Gemini CLI itself does."""
    remaining: dict[str, _Placed] = {}
    if id in messages:
        for earlier, placed in messages.items():
            if earlier == id:
                break
            remaining[earlier] = placed
    return remaining


def _rewritten(
    session: Assembly, messages: dict[str, _Placed], number: int, message: _Message
) -> None:
    """A message of a rewritten history. What was there before happened; what is new is a summary and its answer."""
    text = _text(message.content)
    if message.id in messages or not text:
        return
    summary = "<state_snapshot>" in text
    if summary:
        session.compacted.append(number)
    messages[message.id] = number, message, "summary" if summary else "injected"


def _learn(session: Assembly, path: Path, header: _Header) -> None:
    if header.sessionId:
        session.facts["id"] = header.sessionId
    if header.kind == "subagent":
        session.facts["origin"] = "subagent"
        session.learn(
            cwd=(header.directories or [""])[0],
            parent=path.parent.name,
            parent_by="subagent",
        )
    session.learn(title=header.summary)
    session.tick(seconds(header.startTime))
    session.tick(seconds(header.lastUpdated))


def beside(path: Path) -> list[Path]:
    """Beside the folder of chats; a sub-agent's chat lies one folder deeper."""
    return [folder / ".project_root" for folder in path.parents[1:3]]


def _project_root(path: Path) -> str:
    for root in beside(path):
        try:
            if root.is_file():
                return root.read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError):
            continue
    return ""


def _kind(message: _Message) -> Kind:
    if message.type == "gemini":
        return "said"
    if message.type != "user":
        return "injected"
    text = _text(message.content)
    if text.startswith("I ran the following shell command:"):
        return "command"
    return "injected" if text == "System: Please continue." else "said"


def _take(session: Assembly, number: int, message: _Message, kind: Kind) -> None:
    time = seconds(message.timestamp)
    text = _text(message.displayContent) or _text(message.content)
    if message.type == "user":
        words, mentioned, files = text.partition(_MENTIONED)
        if mentioned:
            session.said("user", files, number, time, "injected", "file")
        if words:
            session.said("user", words.rstrip(), number, time, kind)
    elif message.type != "gemini":
        session.said("system", text, number, time, kind)
    elif kind != "said":
        session.said("assistant", text, number, time, kind)
    else:
        session.learn(model=message.model)
        draft = session.reply("", number, time, text)
        if message.tokens is not None:
            draft.usage = _usage(message.tokens)
        for call in message.toolCalls or ():
            _called(session, draft, number, time, call)


def _called(
    session: Assembly, draft: Draft, number: int, time: float | None, call: _ToolCall
) -> None:
    """A call with its result. Without one it stays as it is: no tool turn says nothing."""
    result, args = _result(call), _compact(call.args)
    ended, verdict = seconds(call.timestamp), _verdict(call, args, result)
    if result:
        id = session.called(draft, call.id, call.name, args, number, time)
        session.answered(id, result, number, ended, verdict)
        return
    draft.calls.append(
        Call(
            call.id or f"call@{number}.{len(draft.calls)}",
            call.name,
            args,
            number,
            verdict.outcome,
            started=time,
            ended=ended,
        )
    )


def _usage(tokens: _Tokens) -> Usage:
    sent = tokens.input or 0
    cached = tokens.cached or 0
    of_tools = tokens.tool or 0
    written = tokens.output or 0
    thoughts = tokens.thoughts or 0
    return Usage(
        input=sent - cached + of_tools,
        output=written + thoughts,
        cache_read=cached,
        reasoning=thoughts,
        context=sent,
    )


def _text(content: _Content) -> str:
    if isinstance(content, str) or content is None:
        return content or ""
    parts = content if isinstance(content, list) else [content]
    return "".join(map(_words, parts))


def _words(part: str | _Part) -> str:
    return part if isinstance(part, str) else part.text or ""


def _result(call: _ToolCall) -> str:
    """What the model was given: outputs and errors of function responses, and text beside them."""
    result = call.result
    if result is None or isinstance(result, str):
        return result or _value(call.resultDisplay)
    parts = result if isinstance(result, list) else [result]
    texts = map(_answer_in, parts)
    return "\n".join(filter(None, texts))


def _answer_in(part: str | _Part) -> str:
    if isinstance(part, str):
        return part
    if part.text is not None:
        return part.text
    response = (part.functionResponse or _FunctionResponse()).response
    if response is None:
        return ""
    return _value(response.error) or _value(response.output)


def _value(raw: Raw) -> str:
    text = str(raw, "utf-8", "replace")
    if text.startswith('"'):
        return _string.decode(text)
    return "" if text == "null" else text


def _compact(raw: Raw) -> str:
    """Arguments on one line, however the document was laid out."""
    return msgspec.json.format(str(raw, "utf-8", "replace"), indent=-1)


def _verdict(call: _ToolCall, args: str, result: str) -> Verdict:
    if call.status == "cancelled":
        is_refused = "did not allow" in result
        outcome = Outcome.BLOCKED if is_refused else Outcome.CANCELLED
        return Verdict(outcome, result[:ERROR_TEXT], refused=is_refused)
    if call.status == "error":
        if "denied by policy" in result:
            return Verdict(Outcome.BLOCKED, result[:ERROR_TEXT])
        return flagged(call.name, args, result, is_error=True)
    if call.status != "success":
        return UNKNOWN
    code = _EXIT.search(result)
    if code and is_shell_call(call.name, args):
        return exited(shell_line(args), int(code[1]), _printed(result))
    return flagged(call.name, args, result, is_error=False)


def _printed(result: str) -> str:
    """What a command printed, out of the list of what is known about how it ended."""
    output = _OUTPUT.search(result)
    text = output[1].strip() if output else result
    return "" if text == "(empty)" else text
