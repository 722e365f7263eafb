"""Every miner over one session, and the screens over what they found. Nothing unredacted leaves this module.

Miners cut words out of their place: a flag and its value are two slots, a quote ends in the middle of a token. So what
is secret is looked for where the words stood, too, and taken out of everything that was made of them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice, takewhile

from msgspec import Struct
from msgspec.structs import replace

from afterglow.harvest import MINERS
from afterglow.harvest.screen import screen_all
from afterglow.harvest.trail import Trail
from afterglow.records.knowledge import Finding
from afterglow.records.session import Session
from afterglow.text.clip import uncoloured
from afterglow.text.redact import Redactor

RULES = 3  # raised when screens or the trail would treat a session differently
WORDING = 2  # raised when miners would tell the same findings in other words
TOPIC = 300  # characters
MOST = 500  # findings of one miner in one session: an agent that went in circles for days teaches no more than that
SHORTEST, CUT = (
    4,
    8,
)  # characters of a value that is looked for, and of the piece of one that still gives it away


class MinedSession(Struct, frozen=True):
    """What one session gave: findings that passed the redactor, and how much it took out, by rule."""

    findings: tuple[Finding, ...]
    redacted: dict[str, int]


def version() -> str:
    """Changes when a session would be read differently than before."""
    return f"{RULES} " + " ".join(
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
        _redacted(finding, trail, redactor, counts)
        for finding in screen_all(findings, trail)
    ]
    return MinedSession(tuple(clean), dict(counts))


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
        topic=topic[:TOPIC],
        fingerprint=fingerprint,
        slots=slots,
        evidence=evidence,
    )


def values_in(text: str, redactor: Redactor) -> Iterator[tuple[str, str]]:
    """Each value that is secret where it stands, and what stands for it elsewhere."""
    for hit in redactor.find(text):
        value = text[hit.start : hit.end].strip("\"'")
        if hit.kind == "home" or len(value) < SHORTEST:
            continue
        label = f"secret:{hit.rule}" if hit.kind == "secret" else hit.kind
        yield value, f"<{label}>"


def without(text: str, values: Iterable[tuple[str, str]]) -> str:
    """A text without these values, in small letters or large, whole or cut off."""
    for value, placeholder in values:
        for start, end in reversed(list(_pieces(text, value))):
            text = text[:start] + placeholder + text[end:]
    return text


def _pieces(text: str, value: str) -> Iterator[tuple[int, int]]:
    past = 0
    for match in re.finditer(re.escape(value[:CUT]), text, re.IGNORECASE):
        start = match.start()
        end = match.end() + _same_letters(text[match.end() :], value[CUT:])
        is_whole = CUT < len(value) == end - start
        is_cut_off = not text[end : end + 1].isalnum()
        if start >= past and (is_whole or is_cut_off):
            past = end
            yield start, end


def _same_letters(text: str, value: str) -> int:
    """How many letters both begin with, small or large."""
    pairs = zip(text, value, strict=False)
    same = takewhile(lambda pair: pair[0].lower() == pair[1].lower(), pairs)
    return len(list(same))
