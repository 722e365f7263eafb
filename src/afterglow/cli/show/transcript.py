"""A session as text a person can read: every turn with its place in the source, every call with its outcome."""

from __future__ import annotations

import click
import msgspec

from afterglow.calls import shell_line
from afterglow.records.catalog import Entry
from afterglow.records.session import Call, Outcome, Session, Turn
from afterglow.text.clip import printable, uncoloured
from afterglow.text.numbers import local_time, number

MARKS = {
    Outcome.OK: ("✓", "green"),
    Outcome.FAILED: ("✗", "red"),
    Outcome.BLOCKED: ("⊘", "yellow"),
    Outcome.CANCELLED: ("–", "yellow"),
    Outcome.UNKNOWN: ("?", "yellow"),
}


def transcript(entry: Entry, session: Session, *, full: bool = False) -> str:
    head = [
        click.style(harmless(f"{entry.agent} session {session.id}"), bold=True),
        f"{entry.title}" if entry.title else "",
        f"repo {entry.repo or '–'} (by {entry.repo_by})  model {session.model or '–'}  "
        f"{local_time(session.start)} … {local_time(session.end)}",
        f"{number(entry.messages)} messages, {number(entry.calls)} calls, {number(entry.failed)} failed; "
        f"outcome {entry.outcome} (by {entry.outcome_by})",
        f"from {session.source}"
        + (
            f"; parent {session.parent} ({session.parent_by})" if session.parent else ""
        ),
    ]
    if session.damaged:
        head.append(
            f"{session.damaged} damaged lines, the first: {session.damage[0].line}: {session.damage[0].reason}"
        )
    body = [
        line
        for turn in session.turns
        if turn.role != "tool"
        for line in _turn(turn, full=full)
    ]
    return "\n".join(
        [head[0], *(harmless(line) for line in head[1:] if line), "", *body]
    )


def _turn(turn: Turn, *, full: bool) -> list[str]:
    kind = "" if turn.kind == "said" else f" ({turn.kind})"
    colour = {"user": "cyan", "assistant": "magenta", "system": "blue"}.get(turn.role)
    lines = [
        click.style(
            f"{turn.line:>5}  {turn.role}{kind}", fg=colour, bold=turn.kind == "said"
        )
    ]
    limit = None if full else 12 if turn.kind == "said" else 2
    lines += _indented(turn.text, limit)
    for call in turn.calls:
        lines += _call(call, full=full)
    return lines


def _call(call: Call, *, full: bool) -> list[str]:
    mark, colour = MARKS[call.outcome]
    note = " (a pipe hid a failure)" if call.masked else ""
    lines = [
        f"{call.line:>5}  {click.style(mark, fg=colour)} {harmless(call.tool)}: {_arguments(call, full)}{note}"
    ]
    if call.result and (full or call.outcome is not Outcome.OK or call.masked):
        lines += _indented(call.result, None if full else 6)
    return lines


def _arguments(call: Call, full: bool) -> str:
    text = shell_line(call.arguments)
    if not text:
        try:
            values = msgspec.json.decode(call.arguments)
        except (msgspec.DecodeError, RecursionError):
            values = None
        pairs = values.items() if isinstance(values, dict) else []
        text = ", ".join(
            f"{key}={value if isinstance(value, str) else msgspec.json.encode(value).decode()}"
            for key, value in pairs
        )
    text = "\n".join(map(harmless, (text or call.arguments).strip().splitlines()))
    return (
        text
        if full
        else (text.replace("\n", " ⏎ ")[:160] + ("…" if len(text) > 160 else ""))
    )


def _indented(text: str, limit: int | None) -> list[str]:
    lines = [harmless(line) for line in text.strip().splitlines()]
    clipped = (
        lines
        if limit is None
        else [line[:200] + ("…" if len(line) > 200 else "") for line in lines[:limit]]
    )
    more = (
        [f"         … {len(lines) - len(clipped)} more lines"]
        if len(lines) > len(clipped)
        else []
    )
    return [f"         {line}" for line in clipped] + more


def harmless(text: str) -> str:
    """One line of a transcript that can do nothing to the terminal it is shown on."""
    return printable(uncoloured(text).expandtabs(4))
