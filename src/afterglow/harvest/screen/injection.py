"""Tells an order to an agent from the ordinary imperatives of programs and manuals, by weighing cues."""

from __future__ import annotations

import re
from functools import lru_cache

from afterglow.harvest.screen.cues_actions import DEEDS
from afterglow.harvest.screen.cues_tone import VOICES
from afterglow.harvest.screen.normalise import plain, without_digits
from afterglow.records.knowledge import Trust

CUES = (*VOICES, *DEEDS)

ENOUGH = 3  # weight at which a text from outside is held back
# The model may speak of orders without giving them ("I will ignore that rule"): one cue does not decide there.
ENOUGH_FROM_THE_MODEL = 5
NEAR = 150  # characters around a cue within which a weaker one belongs to it
HIDDEN = 2  # what hiding adds: honest text has no reason to

LONGEST = 20_000  # characters of a message that are looked at
_PASTED = re.compile(
    r"```.*?(?:```|\Z)|<!--.*?-->|(?:^[ \t]*>[^\n]*(?:\n|\Z))+",
    re.DOTALL | re.MULTILINE,
)


def danger(text: str, trust: Trust) -> str:
    """Why a text that comes from a span of this trust must not become active knowledge; empty when it may.

    A person's own words are never held back for being orders; what a person pasted is.
    """
    if trust == "user":
        return next(
            (
                f"pasted text {why}"
                for part in pasted(text)
                if (why := _judge(part, ENOUGH))
            ),
            "",
        )
    return _judge(text, ENOUGH_FROM_THE_MODEL if trust == "assistant" else ENOUGH)


def pasted(text: str) -> list[str]:
    """The stretches of a person's message that somebody else wrote."""
    return [text[start:end] for start, end in pasted_at(text)]


def pasted_at(text: str) -> list[tuple[int, int]]:
    """Where code fences, quoted lines and comments stand in a message."""
    if "```" not in text and ">" not in text:
        return []
    return [found.span() for found in _PASTED.finditer(text[:LONGEST])]


@lru_cache(maxsize=8192)
def _judge(text: str, enough: int) -> str:
    seen, uncovered = plain(text)
    found = weigh(seen)
    other = without_digits(seen)
    if other != seen and any(
        word in other and word not in seen
        for word in ("ignore", "instruct", "previous")
    ):
        found = max(found, weigh(other), key=lambda cues: sum(cues.values()))
    if uncovered and weigh(uncovered):
        found["is hidden from the eye"] = HIDDEN
    if sum(found.values()) < enough:
        return ""
    strongest = sorted(found, key=lambda name: -found[name])
    return " and ".join(strongest[:2])


def weigh(text: str) -> dict[str, int]:
    """The cues a text shows, each counted once. A weak cue counts only close to one that it can make an order of."""
    lowered = text.lower()
    anchors = [
        (cue, match)
        for cue in CUES
        if cue.anchor and (match := cue.search(text, lowered))
    ]
    found = {cue.name: cue.weight for cue, _ in anchors}
    if not found:
        return found
    near = [
        text[max(0, match.start() - NEAR) : match.end() + NEAR] for _, match in anchors
    ]
    for cue in CUES:
        if not cue.anchor and any(cue.pattern.search(part) for part in near):
            found[cue.name] = cue.weight
    return found
