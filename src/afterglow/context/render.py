"""An item as one terse line, and lines as a context: as text, or as a message for a chat API."""

from __future__ import annotations

from afterglow.records.context import MARK, SHORT_ID, ContextLine
from afterglow.records.knowledge import KnowledgeItem
from afterglow.text.basis import basis, day, heading
from afterglow.text.clip import clip, printable

__all__ = ["MARK", "line", "messages", "text"]

MAX_LINE_CHARACTERS = 260  # of a line; a longer remedy makes it longer, it is never cut
MIN_SITUATION_CHARACTERS = 60  # of a situation whose remedy is long


def line(item: KnowledgeItem, sessions: int = 0) -> str:
    """Situation -> remedy; in brackets the id as far as it is needed to ask for more, what the line rests on, and the
    day it was last confirmed. `sessions` is how many there are where it is told."""
    rests_on = basis(item, sessions)
    return f"- {_body(item)} {brackets(item.id, rests_on, item.last_confirmed)}"


def brackets(id: str, rests_on: str, time: float | None) -> str:
    return f"[{' '.join(filter(None, (id[:SHORT_ID], rests_on, day(time))))}]"


def _body(item: KnowledgeItem) -> str:
    """Half a remedy is worse than none; half a situation is still known again."""
    if not (item.situation and item.remedy):
        return clip(printable(item.fact).rstrip(". "), MAX_LINE_CHARACTERS)
    remedy = printable(item.remedy).rstrip(". ")
    room = max(MAX_LINE_CHARACTERS - len(remedy) - 3, MIN_SITUATION_CHARACTERS)
    return f"{clip(printable(item.situation), room)} → {remedy}"


def text(id: str, repo: str, lines: tuple[ContextLine, ...]) -> str:
    return (
        "\n".join([heading(id, repo), *(line.line for line in lines)]) if lines else ""
    )


def messages(body: str) -> list[dict[str, str]]:
    """The context as a message any chat API takes, or no message."""
    return [{"role": "system", "content": body}] if body else []
