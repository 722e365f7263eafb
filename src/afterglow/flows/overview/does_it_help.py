"""One sentence on whether it helps, which may be that it is too early to tell."""

from __future__ import annotations

from msgspec import Struct

from afterglow.config import Config
from afterglow.flows.measure import measure
from afterglow.measure.reading_text import interval, value
from afterglow.records.reading import Reading

READING = "error reduction"
NO_PROOF = (
    "Sessions before and after differ in more than what they were told, so this is no proof; "
    "an experiment is one."
)


class Headline(Struct, frozen=True):
    """`tone` is yes, no or maybe."""

    words: str
    tone: str
    detail: str = ""


def headline(config: Config, *, now: float | None = None) -> Headline:
    readings = {reading.name: reading for reading in measure(config, now=now).readings}
    return in_words(readings[READING])


def in_words(reading: Reading) -> Headline:
    if reading.value is None or reading.low is None or reading.high is None:
        return Headline(
            "Too early to tell whether it helps", "maybe", _sentence(reading.reason)
        )
    numbers = f"{value(reading)} (95 %: {interval(reading)}), {reading.detail}"
    if reading.low > 0:
        words = "Errors became rarer once sessions were told about them"
        return Headline(words, "yes", f"{numbers}. {NO_PROOF}")
    if reading.high < 0:
        words = "Errors came more often after sessions were told about them"
        return Headline(words, "no", f"{numbers}. {NO_PROOF}")
    words = "Too early to tell whether errors become rarer"
    return Headline(words, "maybe", f"{numbers}: it may be either.")


def _sentence(words: str) -> str:
    return f"{words[:1].upper()}{words[1:].rstrip('.')}." if words else ""
