"""Places in transcripts -> evidence: read again, screened, redacted, so that each lesson can be traced to its lines."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from afterglow.config import Config
from afterglow.errors import UnreadableSource
from afterglow.flows.redactor import redactor_of
from afterglow.harvest.screen import screen_all, told_slots
from afterglow.harvest.secret_values import values_in, without
from afterglow.harvest.trail import QUOTE, Trail
from afterglow.records.catalog import Entry
from afterglow.records.knowledge import Evidence, Finding
from afterglow.records.writing import MINER
from afterglow.sessions import load
from afterglow.store.catalog import Catalog
from afterglow.text.redact import Redactor


class Place(Struct, frozen=True):
    """A line of a session; `words` are what is to be shown of the result there, if they stand in it; `remedy` is what
    is to rest on the line: whose it is, the session shows. `ending` is the line of what ended the failure, `speech` that of
    a person's words about it."""

    session: str
    line: int
    words: str = ""
    remedy: str = ""
    ending: int = 0
    speech: int = 0


def evidence_of(
    config: Config, places: Iterable[Place]
) -> dict[Place, tuple[Evidence, ...]]:
    """What stands at each place; nothing for places that are gone, and for text that gives orders to agents."""
    by_session: dict[str, list[Place]] = defaultdict(list)
    for place in dict.fromkeys(places):
        by_session[place.session].append(place)
    entries = _entries(config, by_session)
    redactor = redactor_of(config)
    spans: dict[Place, tuple[Evidence, ...]] = {}
    for session, listed in by_session.items():
        trail = _trail(entries.get(session))
        if trail is not None:
            spans |= _screened(trail, listed, redactor)
    return spans


def _entries(config: Config, sessions: Mapping[str, object]) -> dict[str, Entry]:
    with Catalog(config.catalog) as catalog:
        return {
            entry.id: entry
            for entry in catalog.entries()
            if entry.id in sessions and entry.origin == "main" and not entry.gone
        }


def _trail(entry: Entry | None) -> Trail | None:
    if entry is None:
        return None
    try:
        sessions = load(Path(entry.source), only={entry.id}, format=entry.format)
    except (UnreadableSource, OSError):
        return None
    return next(
        (Trail(session, entry.repo) for session in sessions if session.id == entry.id),
        None,
    )


def _screened(
    trail: Trail, places: Iterable[Place], redactor: Redactor
) -> dict[Place, tuple[Evidence, ...]]:
    findings = {
        place: Finding(MINER, "", told_slots(place.remedy), evidence)
        for place in places
        if (evidence := tuple(_evidence(trail, place)))
    }
    screened = screen_all(list(findings.values()), trail)
    return {
        place: tuple(_redacted(span, trail, redactor) for span in finding.evidence)
        for place, finding in zip(findings, screened, strict=True)
        if not finding.danger
    }


def _evidence(trail: Trail, place: Place) -> Iterator[Evidence]:
    yield from _spans(trail, place.line, place.words)
    for line in dict.fromkeys((place.ending, place.speech)):
        if line and line != place.line:
            yield from _spans(trail, line)


def _spans(trail: Trail, line: int, words: str = "") -> Iterator[Evidence]:
    steps = [step for step in trail.steps if step.call.line == line]
    for step in steps[:1]:
        yield trail.asked(step)
        if words and step.call.result:
            yield trail.got_words(step, words[:QUOTE])
    if steps:
        return
    turns = [turn for turn in trail.turns if turn.line == line and turn.text]
    for turn in turns[:1]:
        yield trail.said(turn)


def _redacted(span: Evidence, trail: Trail, redactor: Redactor) -> Evidence:
    """Redacted with what stands around it, so that nothing is met without what gives it away."""
    values = values_in(trail.around(span), redactor)
    return replace(span, quote=without(redactor.redact(span.quote).text, values))
