"""From an item back to the transcript lines behind it, cut down to what a model needs to judge it."""

from __future__ import annotations

from msgspec import Struct

from afterglow.config import Config
from afterglow.errors import NotFound, UsageError
from afterglow.flows.knowledge import Piece, explain
from afterglow.mcp.results import NOTE
from afterglow.records.knowledge import KnowledgeItem, support, waits_for_approval
from afterglow.text.numbers import round_percent


class Line(Struct, frozen=True, rename={"text": "said", "request": "asked"}):
    """A place in a session. `state`: ok, moved, changed (another text stands there), vanished, unreadable, elsewhere (on a
    teammate's machine). What stood
    there is redacted; `trust` says who wrote it: user, assistant, tool, file, external."""

    session: str
    line: int
    state: str
    trust: str
    text: str
    before: str = ""
    after: str = ""
    tool: str = ""
    outcome: str = ""
    request: str = ""


class Explained(Struct, frozen=True):
    """An item, and `lines` it stands on; `more` were not looked up."""

    id: str
    fact: str
    status: str
    confidence: float
    repo: str
    trust: str
    source_count: int
    lines: tuple[Line, ...]
    more: int = 0
    reason: str = ""
    times: int = 0
    worked: int = 0
    note: str = NOTE


def explained(config: Config, item: str, limit: int) -> tuple[str, Explained]:
    if not config.knowledge.exists():
        raise NotFound(
            "nothing is known yet; `afterglow harvest` reads finished sessions"
        )
    explanation = explain(config, item, limit=limit)
    stored = checked(explanation.item)
    lines = tuple(map(_line, explanation.pieces))
    record = Explained(
        stored.id,
        stored.fact,
        stored.status,
        stored.confidence,
        stored.repo,
        stored.trust,
        stored.source_count,
        lines,
        explanation.more,
        stored.reason,
        stored.times,
        stored.worked,
    )
    where = f"in {stored.repo}" if stored.repo else "everywhere"
    sure = round_percent(stored.confidence)
    head = f"{stored.id} ({stored.status}, {where}, {sure} sure, {support(stored)}): {stored.fact}"
    more = [f"… and {explanation.more} more"] if explanation.more else []
    return "\n".join([NOTE, head, *map(_told, lines), *more]), record


def checked(item: KnowledgeItem) -> KnowledgeItem:
    """What a screen held back, and what waits for approval, is for people to read and not for a model."""
    if item.status == "quarantined":
        raise UsageError(
            f"{item.id} is quarantined: its words may be an order to an agent. A person can read it with "
            f"`afterglow knowledge explain {item.id}`"
        )
    if waits_for_approval(item):
        raise UsageError(
            f"{item.id} is risky and waits for a person, who can read it with `afterglow knowledge explain {item.id}`"
        )
    return item


def _line(piece: Piece) -> Line:
    evidence, excerpt = piece.evidence, piece.excerpt
    at = piece.line or evidence.line
    if excerpt is None:
        return Line(evidence.session, at, piece.state, evidence.trust, evidence.quote)
    return Line(
        evidence.session,
        at,
        piece.state,
        evidence.trust,
        excerpt.span,
        excerpt.before,
        excerpt.after,
        excerpt.tool,
        excerpt.outcome,
        excerpt.request,
    )


def _told(line: Line) -> str:
    call = f", {line.tool} {line.outcome}: {line.request}" if line.tool else ""
    body = "\n".join(
        f"  > {text_line}"
        for part in (line.before, line.text, line.after)
        for text_line in part.splitlines()
    )
    return f"session {line.session} line {line.line} ({line.state}, said by {line.trust}{call})\n{body}"
