"""An item as one terse line, and lines as a context: as text, or as a message for a chat API."""

from __future__ import annotations

from afterglow.records.context import MARK, SHORT_ID, ContextLine
from afterglow.records.knowledge import KnowledgeItem
from afterglow.text.basis import basis, day, heading
from afterglow.text.clip import clip, clip_words, printable

__all__ = ["MARK", "line", "messages", "text"]

MAX_FACT_CHARACTERS = 260  # of a line that has no remedy; a remedy is never cut
# It is known again by its beginning, and every line takes room from another; a piece of code is told whole if it ends soon.
MAX_SITUATION_CHARACTERS, MAX_WITH_CODE = 70, 100


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
        return clip(printable(item.fact).rstrip(". "), MAX_FACT_CHARACTERS)
    remedy = printable(item.remedy).rstrip(". ")
    return f"{_shortened(printable(item.situation))} → {remedy}"


def _shortened(situation: str) -> str:
    start = clip_words(situation, MAX_SITUATION_CHARACTERS)
    if start.count("`") % 2 == 0:
        return start
    end = situation.find("`", len(start) - 1) + 1
    if not 0 < end <= MAX_WITH_CODE:
        return start
    return situation[:end] + ("…" if situation[end:] else "")


def text(id: str, repo: str, lines: tuple[ContextLine, ...]) -> str:
    return (
        "\n".join([heading(id, repo), *(line.line for line in lines)]) if lines else ""
    )


def messages(body: str) -> list[dict[str, str]]:
    """The context as a message any chat API takes, or no message."""
    return [{"role": "system", "content": body}] if body else []
