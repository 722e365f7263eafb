"""The turns of a session without anything secret or personal in them, one by one: a session may be large."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from afterglow.config import Config
from afterglow.flows.redactor import redactor_of
from afterglow.records.catalog import Entry
from afterglow.records.session import Call, Session, Turn
from afterglow.text.redact import Redactor


def redacted_turns(config: Config, session: Session) -> Iterator[Turn]:
    redactor = redactor_of(config)
    for turn in session.turns:
        yield _turn(turn, redactor)


def redacted_head(
    config: Config, entry: Entry, session: Session
) -> tuple[Entry, Session]:
    """What is known of a session as a whole, and the session without its turns."""
    redactor = redactor_of(config)
    title, own_title = redactor.redact_many([entry.title, session.title])
    bare = replace(session, turns=(), title=own_title.text)
    return replace(entry, title=title.text), bare


def _turn(turn: Turn, redactor: Redactor) -> Turn:
    text = redactor.redact(turn.text).text
    calls = tuple(_call(call, redactor) for call in turn.calls)
    return replace(turn, text=text, calls=calls)


def _call(call: Call, redactor: Redactor) -> Call:
    arguments, result, error = redactor.redact_many(
        [call.arguments, call.result or "", call.error]
    )
    return replace(
        call,
        arguments=arguments.text,
        result=None if call.result is None else result.text,
        error=error.text,
    )
