"""Every miner over one session, and the screens over what they found. Nothing unredacted leaves this module.

Miners cut words out of their place: a flag and its value are two slots, a quote ends in the middle of a token. So what
is secret is looked for where the words stood, too, and taken out of everything that was made of them.
"""

from __future__ import annotations

from collections import Counter
from itertools import islice

from msgspec import Struct
from msgspec.structs import replace

from afterglow.harvest import MINERS
from afterglow.harvest.events import session_events
from afterglow.harvest.events.redaction import redacted as redacted_events
from afterglow.harvest.scope import topic_in
from afterglow.harvest.screen import screen_all
from afterglow.harvest.secret_values import values_in, without
from afterglow.harvest.trail import Trail
from afterglow.records.knowledge import Finding
from afterglow.records.problems import SessionEvents
from afterglow.records.session import Session
from afterglow.text import redact
from afterglow.text.clip import uncoloured
from afterglow.text.redact import Redactor

RULES = 8  # raised when screens or the trail would treat a session differently
WORDING = 6  # raised when miners would tell the same findings in other words
MOST = 500  # findings of one miner in one session: an agent that went in circles for days teaches no more than that


class MinedSession(Struct, frozen=True):
    """What one session gave: findings and events that passed the redactor, and how much it took out, by rule."""

    findings: tuple[Finding, ...]
    redacted: dict[str, int]
    events: SessionEvents = SessionEvents()


def version() -> str:
    """Changes when a session would be read differently than before."""
    rules = f"{RULES} redaction={redact.RULES} events={session_events.VERSION} "
    return rules + " ".join(
        f"{name}={MINERS.load(name).VERSION}" for name in MINERS.names()
    )


def mine_session(session: Session, repo: str, redactor: Redactor) -> MinedSession:
    """Every miner over one session. Nothing unredacted leaves this function."""
    trail = Trail(session, repo)
    counts: Counter[str] = Counter()
    findings = [
        finding
        for name in MINERS.names()
        for finding in islice(MINERS.load(name).mine(trail), MOST)
    ]
    clean = [
        topic_in(_redacted(finding, trail, redactor, counts), repo)
        for finding in screen_all(findings, trail)
    ]
    events = session_events.events_of(trail)
    clean_events = redacted_events(events, trail, redactor, counts)
    return MinedSession(tuple(clean), dict(counts), clean_events)


def _redacted(
    finding: Finding, trail: Trail, redactor: Redactor, counts: Counter[str]
) -> Finding:
    """The finding with every word of it redacted, the topic too: it is made of the same words."""
    names = list(finding.slots)
    words = map(
        uncoloured, (finding.topic, finding.fingerprint, *finding.slots.values())
    )
    texts = [*words, *(span.quote for span in finding.evidence)]
    around = list(dict.fromkeys(map(trail.around, finding.evidence)))
    results = redactor.redact_many([*texts, *around])
    clean, redacted_around = results[: len(texts)], results[len(texts) :]
    for result in clean:
        counts.update(result.counts)
    secretive = [
        text
        for text, result in zip(around, redacted_around, strict=True)
        if result.counts
    ]
    secrets = dict(pair for text in secretive for pair in values_in(text, redactor))
    topic, fingerprint, *rest = [
        without(result.text, secrets.items()) for result in clean
    ]
    slots = dict(zip(names, rest, strict=False))
    quotes = rest[len(names) :]
    evidence = tuple(
        replace(one, quote=quote)
        for one, quote in zip(finding.evidence, quotes, strict=True)
    )
    return replace(
        finding,
        topic=topic,
        fingerprint=fingerprint,
        slots=slots,
        evidence=evidence,
    )
