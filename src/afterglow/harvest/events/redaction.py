"""Events without anything secret or personal in them.

As with findings, what is secret is looked for where the words stood, too: a value cut off from its name gives itself
away only there.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator

from msgspec.structs import replace

from afterglow.harvest.events.claims import LINE_END
from afterglow.harvest.events.keys import keyed
from afterglow.harvest.events.runs import joined_runs
from afterglow.harvest.secret_values import values_in, without
from afterglow.harvest.trail import Trail
from afterglow.records.problems import Event, FollowingCall, SessionEvents, TellingLine
from afterglow.text.clip import printable, uncoloured
from afterglow.text.redact import Redactor

_LINE_ENDS = re.compile(r"\s*\n\s*")
Clean = Callable[[str], str]
# Of each text around an event in which secrets are looked for, at either end.
MAX_SOURCE_CHARACTERS = 1_500


def redacted(
    session: SessionEvents, trail: Trail, redactor: Redactor, counts: Counter[str]
) -> SessionEvents:
    """The events of a session, each word of them redacted, with keys made of what is left."""
    texts = {text for event in session.events for text in _texts(event)}
    texts |= {*session.environment, *session.runs, *session.packages}
    order = sorted(texts)
    results = redactor.redact_many([uncoloured(text) for text in order])
    for result in results:
        counts.update(result.counts)
    secrets = _secrets(session, trail, redactor)
    clean = {
        text: one_line(without(result.text, secrets))
        for text, result in zip(order, results, strict=True)
    }

    def cleaned(text: str) -> str:
        return clean[text] if text else ""

    events = tuple(keyed(_event(event, cleaned)) for event in session.events)
    facts = tuple(map(cleaned, session.environment))
    runs = joined_runs({cleaned(form): run} for form, run in session.runs.items())
    packages = tuple(name for name in session.packages if cleaned(name) == name)
    return replace(
        session, events=events, environment=facts, runs=runs, packages=packages
    )


def one_line(text: str) -> str:
    return printable(_LINE_ENDS.sub(f" {LINE_END} ", text.strip()))


def _secrets(
    session: SessionEvents, trail: Trail, redactor: Redactor
) -> list[tuple[str, str]]:
    """Values that are secret where they stand in the texts the events are made of."""
    sources = list(dict.fromkeys(_sources(session, trail)))
    results = redactor.redact_many(sources)
    values: dict[str, str] = {}
    for text, result in zip(sources, results, strict=True):
        if result.counts:
            values.update(values_in(text, redactor))
    return list(values.items())


def _sources(session: SessionEvents, trail: Trail) -> Iterator[str]:
    """The calls and results of the events and of what followed, and what was said there."""
    lines = {event.line for event in session.events}
    later = {call.line for event in session.events for call in event.following}
    for step in trail.steps:
        call = step.call
        if call.line in lines or call.line in later:
            yield _ends(call.arguments)
            yield _ends(call.result or call.error)
    for turn in trail.turns:
        if turn.line in lines and turn.text:
            yield _ends(turn.text)


def _ends(text: str) -> str:
    if len(text) <= 2 * MAX_SOURCE_CHARACTERS:
        return text
    return f"{text[:MAX_SOURCE_CHARACTERS]}\n{text[-MAX_SOURCE_CHARACTERS:]}"


def _texts(event: Event) -> list[str]:
    texts = [
        event.tool, event.program, event.command, event.directory, event.target,
        event.state, event.explanation, event.fingerprint, event.because, event.person,
        event.host,
        *(line.text for line in event.lines), *event.rules,
    ]  # fmt: skip
    for call in event.following:
        texts += [call.tool, call.command, call.printed, call.got, *call.mends]
    return [text for text in texts if text]


def _event(event: Event, clean: Clean) -> Event:
    return replace(
        event,
        tool=clean(event.tool),
        program=clean(event.program),
        command=clean(event.command),
        directory=clean(event.directory),
        target=clean(event.target),
        state=clean(event.state),
        explanation=clean(event.explanation),
        fingerprint=clean(event.fingerprint),
        host=clean(event.host),
        because=clean(event.because),
        person=clean(event.person),
        lines=tuple(
            TellingLine(clean(line.text), line.good, line.strength)
            for line in event.lines
        ),
        rules=tuple(map(clean, event.rules)),
        tried=tuple(_call(call, clean) for call in event.tried),
        remedy=_call(event.remedy, clean) if event.remedy else None,
    )


def _call(call: FollowingCall, clean: Clean) -> FollowingCall:
    return replace(
        call,
        tool=clean(call.tool),
        command=clean(call.command),
        printed=clean(call.printed),
        mends=tuple(map(clean, call.mends)),
        got=clean(call.got),
    )
