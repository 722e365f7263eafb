"""Messages of blocks, in the shape of Anthropic's API -> an assembly: text, `tool_use` and `tool_result`.

Many agents write their history down as they sent it. What one of them does differently is a `Dialect`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from msgspec import Raw, Struct

from afterglow.records.session import Kind
from afterglow.sessions.assembly import Assembly
from afterglow.sessions.openai_chat import text_of
from afterglow.sessions.outcomes import Verdict, flagged


class Block(Struct, gc=False):
    type: str = ""
    text: str | None = None
    id: str | None = None
    name: str | None = None
    input: Raw = Raw(b"{}")
    tool_use_id: str | None = None
    content: Any = None
    is_error: bool | None = None


Content = str | list[Block] | None


def _kind(text: str, place: int) -> Kind:
    return "said"


class Dialect(NamedTuple):
    """How one agent's messages are to be understood. `kind`: a text of a user's message and its place among them -> who
    is really speaking. `verdict`: tool, arguments, result and error flag -> how the call ended."""

    kind: Callable[[str, int], Kind] = _kind
    verdict: Callable[[str, str, str, bool | None], Verdict] = flagged


PLAIN = Dialect()


def blocks_of(content: Content) -> list[Block]:
    if isinstance(content, str):
        return [Block("text", content)]
    return content or []


def hear(
    session: Assembly,
    role: str,
    content: Content,
    line: int,
    time: float | None = None,
    key: str | None = "",
    dialect: Dialect = PLAIN,
) -> None:
    """Adds one message to the session; `key` is its id, where more of the same message may follow."""
    blocks = blocks_of(content)
    if role == "assistant":
        _take_reply(session, blocks, line, time, key)
    elif role == "user":
        _take_user(session, blocks, line, time, dialect)
    elif texts := _texts(blocks):
        session.said("system", "\n".join(texts), line, time, "injected")


def _take_reply(
    session: Assembly,
    blocks: list[Block],
    line: int,
    time: float | None,
    key: str | None,
) -> None:
    draft = session.reply(key, line, time, "\n".join(_texts(blocks)))
    for block in blocks:
        if block.type == "tool_use":
            arguments = str(block.input, "utf-8", "replace")
            session.called(draft, block.id, block.name or "", arguments, line, time)


def _take_user(
    session: Assembly,
    blocks: list[Block],
    line: int,
    time: float | None,
    dialect: Dialect,
) -> None:
    """Results first: they answer the message before; then what else is said."""
    for block in blocks:
        if block.type == "tool_result":
            id, text = block.tool_use_id or "", text_of(block.content)
            tool, arguments = session.awaiting(id)
            verdict = dialect.verdict(tool, arguments, text, block.is_error)
            session.answered(id, text, line, time, verdict)
    for place, text in enumerate(_texts(blocks)):
        session.said("user", text, line, time, dialect.kind(text, place))


def _texts(blocks: list[Block]) -> list[str]:
    return [block.text for block in blocks if block.type == "text" and block.text]
