"""An item as one terse line, and lines as a context: as text, or as a message for a chat API."""

from __future__ import annotations

from datetime import UTC, datetime

from afterglow.records.context import MARK, ContextLine
from afterglow.records.knowledge import KnowledgeItem
from afterglow.text.clip import clip, printable

__all__ = ["MARK", "head", "line", "messages", "text"]

LONGEST = 260  # characters of a line; a remedy alone may be longer, it is never cut
LEAST_SITUATION = 80  # characters of a situation that stand even before a long remedy
NAME = 100  # and of a repository's name


def line(item: KnowledgeItem) -> str:
    """Situation -> remedy, id, day it was last confirmed. Where there is no situation the remedy says it all."""
    body = _body(item)
    day = (
        f" {datetime.fromtimestamp(item.last_confirmed, UTC):%Y-%m-%d}"
        if item.last_confirmed is not None
        else ""
    )
    return f"- {body} [{item.id}{day}]"


def _body(item: KnowledgeItem) -> str:
    """The situation gives way: half of a remedy is no remedy."""
    if not (item.situation and item.remedy):
        return clip(printable(item.fact).rstrip(". "), LONGEST)
    remedy = printable(item.remedy).rstrip(". ")
    room = max(LONGEST - len(remedy), LEAST_SITUATION)
    return f"{clip(printable(item.situation), room)} → {remedy}"


def head(id: str, repo: str) -> str:
    where = f" in {clip(printable(repo), NAME)}" if repo else ""
    return f"What earlier sessions{where} taught ({id}); what you see now outranks it:"


def text(id: str, repo: str, lines: tuple[ContextLine, ...]) -> str:
    return "\n".join([head(id, repo), *(line.line for line in lines)]) if lines else ""


def messages(body: str) -> list[dict[str, str]]:
    """The context as a message any chat API takes, or no message."""
    return [{"role": "system", "content": body}] if body else []
