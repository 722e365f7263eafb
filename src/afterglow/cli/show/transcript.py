"""A session as text a person can read: every turn with its place in the source, every call with its outcome."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import click

from afterglow.calls import readable_arguments
from afterglow.records.catalog import Entry
from afterglow.records.session import Call, Outcome, Session, Turn
from afterglow.text.clip import printable, uncoloured
from afterglow.text.numbers import local_time, number

# Enough to follow a session by, so that a long text does not hide the next call; `full` shows everything.
MAX_SAID_LINES = 12  # of what a person or the model said
MAX_NOTE_LINES = 2  # of what an agent put among it: summaries, skills, rules
MAX_RESULT_LINES = 6  # of what a failed call brought back
MAX_LINE_CHARACTERS = 200
MAX_ARGUMENT_CHARACTERS = 160  # a call stays on one or two lines of a terminal
INDENT = " " * 9  # below the line number and the mark

MARKS = {
    Outcome.OK: ("✓", "green"),
    Outcome.FAILED: ("✗", "red"),
    Outcome.BLOCKED: ("⊘", "yellow"),
    Outcome.CANCELLED: ("–", "yellow"),
    Outcome.UNKNOWN: ("?", "yellow"),
}


def transcript(
    entry: Entry, session: Session, turns: Iterable[Turn], *, full: bool = False
) -> Iterator[str]:
    """Turn by turn: a session may be larger than what can be held twice."""
    title = click.style(harmless(f"{entry.agent} session {session.id}"), bold=True)
    yield "\n".join([title, *map(harmless, filter(None, _head(entry, session))), ""])
    for turn in turns:
        if turn.role != "tool":
            yield "\n".join(_turn(turn, full=full))


def _head(entry: Entry, session: Session) -> list[str]:
    """What is known of the session as a whole; a line may be empty."""
    parent = f"; parent {session.parent} ({session.parent_by})"
    head = [
        entry.title,
        f"repo {entry.repo or '–'} (by {entry.repo_by})  model {session.model or '–'}  "
        f"{local_time(session.start)} … {local_time(session.end)}",
        f"{number(entry.messages)} messages, {number(entry.calls)} calls, {number(entry.failed)} failed; "
        f"outcome {entry.outcome} (by {entry.outcome_by})",
        f"from {session.source}{parent if session.parent else ''}",
    ]
    if session.damaged:
        first = session.damage[0]
        head.append(
            f"{session.damaged} damaged lines, the first: {first.line}: {first.reason}"
        )
    return head


def _turn(turn: Turn, *, full: bool) -> list[str]:
    is_said = turn.kind == "said"
    kind = "" if is_said else f" ({turn.kind})"
    colour = {"user": "cyan", "assistant": "magenta", "system": "blue"}.get(turn.role)
    title = f"{turn.line:>5}  {turn.role}{kind}"
    lines = [click.style(title, fg=colour, bold=is_said)]
    limit = MAX_SAID_LINES if is_said else MAX_NOTE_LINES
    lines += _indented(turn.text, None if full else limit)
    for call in turn.calls:
        lines += _call(call, full=full)
    return lines


def _call(call: Call, *, full: bool) -> list[str]:
    mark, colour = MARKS[call.outcome]
    note = " (a pipe hid a failure)" if call.masked else ""
    lines = [
        f"{call.line:>5}  {click.style(mark, fg=colour)} {harmless(call.tool)}: {_arguments(call, full)}{note}"
    ]
    if full:
        lines += _indented(call.result or "", None)
    elif call.masked or call.outcome is not Outcome.OK:
        lines += _indented(call.result or "", MAX_RESULT_LINES)
    return lines


def _arguments(call: Call, full: bool) -> str:
    text = readable_arguments(call.arguments)
    text = "\n".join(map(harmless, text.strip().splitlines()))
    if full:
        return text
    more = "…" if len(text) > MAX_ARGUMENT_CHARACTERS else ""
    return text.replace("\n", " ⏎ ")[:MAX_ARGUMENT_CHARACTERS] + more


def _indented(text: str, limit: int | None) -> list[str]:
    lines = [harmless(line) for line in text.strip().splitlines()]
    if limit is None:
        return [INDENT + line for line in lines]
    clipped = [INDENT + _cut(line) for line in lines[:limit]]
    if len(lines) > limit:
        clipped.append(f"{INDENT}… {len(lines) - limit} more lines")
    return clipped


def _cut(line: str) -> str:
    if len(line) <= MAX_LINE_CHARACTERS:
        return line
    return line[:MAX_LINE_CHARACTERS] + "…"


def harmless(text: str) -> str:
    """One line of a transcript that can do nothing to the terminal it is shown on."""
    return printable(uncoloured(text).expandtabs(4))
