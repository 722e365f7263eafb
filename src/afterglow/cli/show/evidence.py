"""Evidence as text: what an item stands on, and what no longer stands."""

from __future__ import annotations

import click

from afterglow.cli.show.items import whole
from afterglow.cli.show.transcript import MARKS, harmless
from afterglow.flows.knowledge import (
    STATES,
    Excerpt,
    Explanation,
    ItemWithHistory,
    Piece,
    Verification,
)
from afterglow.records.session import Outcome
from afterglow.show.tables import table
from afterglow.text.clip import first_line, printable
from afterglow.text.numbers import count, local_day, number, short_id

WHO = {
    "user": "the user",
    "assistant": "the assistant",
    "tool": "a tool here",
    "file": "a file",
    "external": "outside text",
}
WRONG = {
    "moved": "moved: the same words now stand at line {line}",
    "changed": "changed: another text stands there now; it said",
    "vanished": "vanished: {note}; it said",
    "unreadable": "not readable: {note}; it said",
    "elsewhere": "a teammate's session, on their machine; it said",
}
OPEN, CLOSE = "⟦", "⟧"  # around the exact span, where colour is not shown


def explanation(explained: Explanation) -> str:
    blocks = [whole(ItemWithHistory(explained.item, ()))]
    blocks += ["\n".join(_piece(piece)) for piece in explained.pieces]
    if explained.more:
        blocks.append(
            f"… and {count(explained.more, 'more piece')} of evidence: --limit"
        )
    return "\n\n".join(blocks)


def _piece(piece: Piece) -> list[str]:
    """Where it is from, who said it, and the lines themselves; what was kept of them where they are not there."""
    evidence = piece.evidence
    place = f"{short_id(evidence.session)}  {evidence.agent}  {local_day(evidence.time)}  {evidence.repo or '–'}"
    head = f"{place}  line {evidence.line}, {evidence.part}, by {WHO[evidence.trust]}"
    lines = [click.style(printable(head), bold=True)]
    if piece.state == "elsewhere" and not evidence.quote:
        return [
            *lines,
            "  a teammate's session, on their machine; shared without its words",
        ]
    if piece.state in WRONG:
        trouble = WRONG[piece.state].format(
            line=piece.line, note=piece.note or "the line is gone"
        )
        lines.append(click.style(f"  {printable(trouble)}", fg="yellow"))
    if piece.state in ("ok", "moved") and piece.excerpt is not None:
        return lines + _excerpt(piece.excerpt)
    return lines + [f"  ┃ {harmless(line)}" for line in evidence.quote.splitlines()]


def _excerpt(excerpt: Excerpt) -> list[str]:
    lines = []
    if excerpt.tool:
        mark, colour = MARKS[Outcome(excerpt.outcome)]
        question = f": {excerpt.request}" if excerpt.request else ""
        note = " (a pipe hid a failure)" if excerpt.masked else ""
        lines.append(
            f"  {click.style(mark, fg=colour)} {harmless(excerpt.tool + question)}{note}"
        )
    lines += _marked(excerpt)
    return lines + ([f"  → {harmless(excerpt.result)}"] if excerpt.result else [])


def _marked(excerpt: Excerpt) -> list[str]:
    """The lines around the span, a heavy margin along those it stands in, brackets where it begins and ends."""
    above, _, head = excerpt.before.rpartition("\n")
    tail, _, below = excerpt.after.partition("\n")
    lines = [f"  │ {harmless(line)}" for line in above.splitlines()]
    span = [click.style(harmless(line), bold=True) for line in excerpt.span.split("\n")]
    span[0] = harmless(head) + OPEN + span[0]
    span[-1] += CLOSE + harmless(tail)
    return [
        *lines,
        *(f"  ┃ {line}" for line in span),
        *(f"  │ {harmless(line)}" for line in below.splitlines()),
    ]


def verification(report: Verification) -> str:
    if not report.pieces:
        return f"{count(report.items, 'item')}, no evidence to check."
    states = ", ".join(
        f"{number(report.states[state])} {state}"
        for state in STATES
        if report.states[state]
    )
    head = f"{count(report.pieces, 'piece')} of evidence of {count(report.items, 'item')}: {states}."
    if not report.rest:
        return head
    rows = [
        (
            p.state,
            p.item,
            short_id(p.evidence.session),
            p.evidence.line,
            p.evidence.part,
            f"now at line {p.line}" if p.state == "moved" else p.note or "another text",
            first_line(p.evidence.quote, 200),
        )
        for p in sorted(report.rest, key=lambda piece: -STATES.index(piece.state))
    ]
    return f"{head}\n{table(('', 'item', 'session', 'line', 'part', 'now', 'it said'), rows, right='line')}"
