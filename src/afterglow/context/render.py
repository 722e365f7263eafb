"""An item as one terse line, and lines as a context: as text, or as a message for a chat API."""

from __future__ import annotations

from datetime import UTC, datetime

from afterglow.records.context import MARK, SHORT_ID, ContextLine
from afterglow.records.knowledge import KnowledgeItem
from afterglow.text.clip import clip, printable

__all__ = ["MARK", "head", "line", "messages", "text"]

MAX_LINE_CHARACTERS = 260  # of a line; a longer remedy makes it longer, it is never cut
MIN_SITUATION_CHARACTERS = 60  # of a situation whose remedy is long
NAME = 100  # and of a repository's name


def line(item: KnowledgeItem) -> str:
    """Situation -> remedy, the id as far as it is needed to ask for more, and the day it was last confirmed: what is
    older than a year is not told, so no year is."""
    return f"- {_body(item)} [{item.id[:SHORT_ID]}{_day(item.last_confirmed)}]"


def _day(time: float | None) -> str:
    if time is None:
        return ""
    date = datetime.fromtimestamp(time, UTC)
    return f" {date.day} {date:%b}"


def _body(item: KnowledgeItem) -> str:
    """Half a remedy is worse than none; half a situation is still known again."""
    if not (item.situation and item.remedy):
        return clip(printable(item.fact).rstrip(". "), MAX_LINE_CHARACTERS)
    remedy = printable(item.remedy).rstrip(". ")
    room = max(MAX_LINE_CHARACTERS - len(remedy) - 3, MIN_SITUATION_CHARACTERS)
    return f"{clip(printable(item.situation), room)} → {remedy}"


def head(id: str, repo: str) -> str:
    where = f" in {clip(printable(repo), NAME)}" if repo else ""
    return f"What earlier sessions{where} taught ({id}); what you see now outranks it:"


def text(id: str, repo: str, lines: tuple[ContextLine, ...]) -> str:
    return "\n".join([head(id, repo), *(line.line for line in lines)]) if lines else ""


def messages(body: str) -> list[dict[str, str]]:
    """The context as a message any chat API takes, or no message."""
    return [{"role": "system", "content": body}] if body else []
