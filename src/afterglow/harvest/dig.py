"""Every miner over one session, and the screens over what they found. Nothing unredacted leaves this module."""

from __future__ import annotations

from collections import Counter
from itertools import islice

from msgspec import Struct
from msgspec.structs import replace

from afterglow.harvest import MINERS
from afterglow.harvest.screen import screen
from afterglow.harvest.trail import Trail
from afterglow.records.knowledge import Finding
from afterglow.records.session import Session
from afterglow.text.redact import Redactor

RULES = 1  # raised when screens or the trail would treat a session differently
TOPIC = 300  # characters
MOST = 500  # findings of one miner in one session: an agent that went in circles for days teaches no more than that


class Dug(Struct, frozen=True):
    """What one session gave: findings that passed the redactor, and how much it took out, by rule."""

    findings: tuple[Finding, ...]
    redacted: dict[str, int]


def version() -> str:
    """Changes when a session would be read differently than before."""
    return f"{RULES} " + " ".join(f"{name}={MINERS.load(name).VERSION}" for name in MINERS.names())


def mine(session: Session, repo: str, redactor: Redactor) -> Dug:
    """Every miner over one session. Nothing unredacted leaves this function."""
    trail = Trail(session, repo)
    counts: Counter[str] = Counter()
    found = [
        _redacted(screen(finding, trail), redactor, counts)
        for name in MINERS.names()
        for finding in islice(MINERS.load(name).mine(trail), MOST)
    ]
    return Dug(tuple(found), dict(counts))


def _redacted(finding: Finding, redactor: Redactor, counts: Counter[str]) -> Finding:
    """The finding with every word of it redacted, the topic too: it is made of the same words."""
    names = list(finding.slots)
    texts = [finding.topic, finding.fingerprint, *finding.slots.values(), *(one.quote for one in finding.evidence)]
    clean = redactor.redact_many(texts)
    for result in clean:
        counts.update(result.counts)
    topic, fingerprint, *rest = [result.text for result in clean]
    slots = dict(zip(names, rest, strict=False))
    quotes = rest[len(names) :]
    evidence = tuple(replace(one, quote=quote) for one, quote in zip(finding.evidence, quotes, strict=True))
    return replace(finding, topic=topic[:TOPIC], fingerprint=fingerprint, slots=slots, evidence=evidence)
