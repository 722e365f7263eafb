"""Claude Code: one JSON line per event in `~/.claude/projects/<folder>/<session>.jsonl`.

One model message is spread over several `assistant` lines with the same `message.id`. A `user` line may be a person, a
tool result, both at once, or machinery (hooks, skills, slash commands, summaries). What hooks told the model stands in
`attachment` lines. Lines of other types are progress, snapshots and bookkeeping. Sub-agents live in files of their own
or, in older versions, as side chains in between.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import msgspec
from msgspec import Raw, Struct

from afterglow.records.session import Kind, Mark, Session, Usage, Voice
from afterglow.sessions.appended_file import Desk, read_journal
from afterglow.sessions.assembly import Assembly
from afterglow.sessions.formats.claude_code_voice import (
    INTERACTIVE_LINES,
    INTERACTIVE_NOTICES,
    REJECTED,
    Origin,
    voice_of,
)
from afterglow.sessions.outcomes import flagged
from afterglow.text.times import seconds

NAME = "claude-code"
AGENT = "claude-code"


class _Inner(Struct, gc=False):
    type: str = ""
    text: str | None = None


class _Block(Struct, gc=False):
    type: str = ""
    text: str | None = None
    id: str = ""
    name: str = ""
    input: Raw = Raw(b"{}")
    tool_use_id: str = ""
    content: str | list[_Inner] | _Inner | None = None
    is_error: bool | None = None


class _Usage(Struct, gc=False):
    input_tokens: int | None = 0
    output_tokens: int | None = 0
    cache_creation_input_tokens: int | None = 0
    cache_read_input_tokens: int | None = 0


class _Message(Struct, gc=False):
    id: str | None = None
    model: str | None = None
    content: str | list[_Block] | None = None
    usage: _Usage | None = None


class _File(Struct, gc=False):
    content: str | None = None


class _Mentioned(Struct, gc=False):
    file: _File | None = None


class _Attachment(Struct, gc=False):
    type: str = ""
    hookEvent: str | None = None
    content: str | list[str] | _Mentioned | None = None
    prompt: str | list[_Inner] | None = None
    commandMode: str | None = None
    origin: Origin | None = None


class _Fork(Struct, gc=False):
    sessionId: str | None = None


class _Line(Struct, gc=False):
    type: str = ""
    attachment: Raw = Raw(b"")
    subtype: str | None = None
    message: _Message | None = None
    timestamp: str | None = None
    sessionId: str | None = None
    cwd: str | None = None
    gitBranch: str | None = None
    isMeta: bool | None = None
    isSidechain: bool | None = None
    isCompactSummary: bool | None = None
    agentId: str | None = None
    promptSource: str | None = None
    origin: Origin | None = None
    entrypoint: str | None = None
    planContent: str | None = None
    thinkingMetadata: Raw = Raw(b"")
    toolUseResult: Raw = Raw(b"")
    forkedFrom: _Fork | None = None


# Bookkeeping before the first message stands in the first lines; the same words may be in any message.
FIRST_LINES_BYTES = 4096

_MESSAGE_KEYS = (b'"sessionId"', b'"parentUuid"', b'"userType"')
_BOOKKEEPING = (b'"leafUuid"', b'"type":"file-history-snapshot"')
_COMPACTIONS = frozenset({"compact_boundary", "microcompact_boundary"})
_decoder = msgspec.json.Decoder(_Line)
_attachments = msgspec.json.Decoder(_Attachment)
_TO_MODEL = re.compile(
    rb'"type"\s*:\s*"(?:hook_(?:additional_context|success)|file|selected_lines_in_ide|queued_command)"'
)
QUEUED = (
    "queued_command"  # typed while the agent was at work, and handed to it in between
)
_HOOKS = frozenset({"hook_additional_context"})
_FILES = frozenset({"file", "selected_lines_in_ide"})
# Events where what a hook prints goes to the model as it is.
_PRINTED_TO_MODEL = frozenset({"SessionStart", "UserPromptSubmit"})

_KINDS: tuple[tuple[str, Kind], ...] = (
    ("<command-", "command"),
    ("<local-command-", "command"),
    ("<bash-", "command"),
    ("[Request interrupted", "command"),
    ("Caveat: The messages below", "injected"),
    ("<system-reminder>", "injected"),
    ("<task-notification>", "injected"),
    ("<user-prompt-submit-hook>", "injected"),
    ("Base directory for this skill", "injected"),
    ("Operation stopped by hook", "injected"),
    ("Stop hook feedback", "injected"),
    ("This session is being continued from a previous conversation", "summary"),
)

# Machinery that repeats what a hook printed or a background agent reported.
_FROM_OUTSIDE = (
    "<task-notification>",
    "<user-prompt-submit-hook>",
    "Operation stopped by hook",
    "Stop hook feedback",
)


def sniff(path: Path, head: bytes) -> bool:
    if not head.startswith(b"{"):
        return False
    if all(key in head for key in _MESSAGE_KEYS):
        return True
    first_lines = head[:FIRST_LINES_BYTES]
    if b'"type":"queue-operation"' in first_lines:
        return b'"sessionId"' in first_lines
    return any(mark in first_lines for mark in _BOOKKEEPING)


def read(path: Path, since: Mark = Mark()) -> Iterator[Session]:
    stem = path.stem
    # Behind a mark, only the lines can say whose they are.
    id = "" if since.offset else stem
    facts = {"id": id, "agent": AGENT, "format": NAME, "source": str(path)}
    session_ids: set[str] = set()

    def translate(desk: Desk, number: int, line: _Line) -> None:
        kind, message = line.type, line.message
        if line.forkedFrom is not None:
            # A copy: what it says counts in the session it is from.
            parent = line.forkedFrom.sessionId
            desk.main.learn(parent=parent, parent_by="branch")
        elif message is not None and kind == "assistant":
            _assistant(session_of(desk, line), number, line, message)
        elif message is not None and kind == "user":
            _user(session_of(desk, line), number, line, message)
        elif kind == "attachment":
            words, turn_kind, voice = _attached(line)
            if words:
                time, session = seconds(line.timestamp), session_of(desk, line)
                session.said("user", words, number, time, turn_kind, voice)
        elif kind == "system" and line.subtype in _COMPACTIONS:
            desk.main.compacted.append(number)
        if "attended" not in desk.main.facts and _is_interactive(line):
            desk.main.facts["attended"] = True

    def session_of(desk: Desk, line: _Line) -> Assembly:
        session = desk.main
        if line.isSidechain or line.agentId:
            session = _side(desk, line, stem)
        elif line.sessionId and line.sessionId not in session_ids:
            session_ids.add(line.sessionId)
            _identify(session, line.sessionId, stem)
        if "cwd" not in session.facts:
            session.learn(cwd=line.cwd, branch=line.gitBranch)
        return session

    return read_journal(path, _decoder, translate, facts, since)


def _is_interactive(line: _Line) -> bool:
    """Whether a line shows, in a version that does not say so, that a person sat in front of the program."""
    if line.type == "system":
        return line.subtype in INTERACTIVE_NOTICES
    return line.type in INTERACTIVE_LINES or bool(line.thinkingMetadata)


def _attached(line: _Line) -> tuple[str, Kind, Voice]:
    """What a hook, a mentioned file, or a person while the agent was at work told the model; empty for attachments of
    other kinds, and for what the model does not get to see."""
    if not _TO_MODEL.search(line.attachment):
        return "", "injected", "outside"
    try:
        attached = _attachments.decode(line.attachment)
    except msgspec.DecodeError:
        return "", "injected", "outside"
    if attached.type == QUEUED:
        voice = voice_of(None, attached.origin, line.entrypoint)
        is_prompt = attached.origin is not None and attached.commandMode == "prompt"
        words = attached.prompt if isinstance(attached.prompt, str) else ""
        return words if is_prompt else "", "steer", voice
    if attached.type in _FILES:
        return _text_of(attached), "injected", "file"
    is_shown = attached.type in _HOOKS or attached.hookEvent in _PRINTED_TO_MODEL
    return _text_of(attached) if is_shown else "", "injected", "outside"


def _text_of(attached: _Attachment) -> str:
    content = attached.content
    if isinstance(content, _Mentioned):
        content = content.file.content if content.file else ""
    if isinstance(content, list):
        content = "\n".join(content)
    return content or ""


def _identify(session: Assembly, id: str, stem: str) -> None:
    """A resumed session starts with a copy of the old one; the file carries the name of the new one. What was copied
    counts where it was said first."""
    earlier_id = session.facts["id"]
    is_copy = earlier_id not in ("", stem)
    if id == stem and is_copy:
        session.facts.update(parent=earlier_id, parent_by="branch", id=stem)
        session.forget_copied()
    elif id == stem or (not is_copy and not session.items):
        session.facts["id"] = id


def _side(desk: Desk, line: _Line, stem: str) -> Assembly:
    """The session of a sub-agent: a file of its own, or a thread between the lines of its parent."""
    alone = not desk.main.items and len(desk.threads) == 1
    name = line.agentId or "sidechain"
    if alone or desk.main.facts.get("origin") == "subagent":
        session = desk.main
        session.facts["id"] = stem
    else:
        session = desk.thread(name)
        session.facts["id"] = f"{stem}/{name}"
    session.facts["origin"] = "subagent"
    session.learn(parent=line.sessionId, parent_by="subagent")
    return session


def _assistant(session: Assembly, number: int, line: _Line, message: _Message) -> None:
    time = seconds(line.timestamp)
    draft = session.reply(message.id, number, time)
    content = message.content
    if isinstance(content, list):
        for block in content:
            if block.type == "tool_use":
                arguments = str(block.input, "utf-8", "replace")
                session.called(draft, block.id, block.name, arguments, number, time)
            elif block.type == "text" and block.text:
                draft.add_text(block.text)
                session.weight += len(block.text)
    elif content:
        draft.text = content
    if message.usage is not None:
        draft.usage = _usage(message.usage)
    if "model" not in session.facts and message.model != "<synthetic>":
        session.learn(model=message.model)


def _usage(usage: _Usage) -> Usage:
    sent = usage.input_tokens or 0
    read = usage.cache_read_input_tokens or 0
    wrote = usage.cache_creation_input_tokens or 0
    return Usage(
        input=sent,
        output=usage.output_tokens or 0,
        cache_read=read,
        cache_write=wrote,
        context=sent + read + wrote,
    )


def _user(session: Assembly, number: int, line: _Line, message: _Message) -> None:
    time = seconds(line.timestamp)
    content = message.content
    if not isinstance(content, list):
        if content:
            voice = _voice(line, content)
            session.said("user", content, number, time, _kind(line, content), voice)
        return
    for block in content:
        if block.type == "tool_result":
            inner = block.content
            text = inner if type(inner) is str else _texts(inner)
            tool, arguments = session.awaiting(block.tool_use_id)
            verdict = flagged(tool, arguments, text, block.is_error)
            if _is_rejected(line):
                verdict = verdict._replace(refused=True)
            session.answered(block.tool_use_id, text, number, time, verdict)
        elif block.type == "text" and block.text:
            kind, voice = _kind(line, block.text), _voice(line, block.text)
            session.said("user", block.text, number, time, kind, voice)
        elif block.type == "image":
            kind, voice = _kind(line, ""), _voice(line, "")
            session.said("user", "[image]", number, time, kind, voice)


def _is_rejected(line: _Line) -> bool:
    """The field may hold a whole file, so it is measured before it is read."""
    filed = line.toolUseResult
    return len(filed) == len(REJECTED) and bytes(filed) == REJECTED


def _voice(line: _Line, text: str) -> Voice:
    if text.startswith(_FROM_OUTSIDE):
        return "outside"
    if line.planContent:
        return "file"  # a plan that was approved, out of its file, begins a session
    return voice_of(line.promptSource, line.origin, line.entrypoint)


def _texts(inner: object) -> str:
    if isinstance(inner, _Inner):
        inner = [inner]
    if not isinstance(inner, list):
        return ""
    texts: list[str] = []
    for part in inner:
        texts.append(f"[{part.type}]" if part.text is None else part.text)
    return "\n".join(texts)


def _kind(line: _Line, text: str) -> Kind:
    if line.isCompactSummary:
        return "summary"
    if line.isMeta:
        return "injected"
    for start, kind in _KINDS:
        if text.startswith(start):
            return kind
    return "said"
