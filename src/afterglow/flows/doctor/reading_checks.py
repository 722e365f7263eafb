"""What could not be read or mined when it was last tried: without this, a session that is left out is not missed."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from afterglow.config import Config
from afterglow.flows.doctor.store_checks import read_only_rows
from afterglow.records.doctor import CheckupLine
from afterglow.store.findings import STUMBLES
from afterglow.text.clip import clip
from afterglow.text.numbers import count

MAX_REASON_CHARACTERS = 300  # the first reason is told; a report of harvest has all

_UNREADABLE = (
    "SELECT path, reason FROM sources WHERE state = 'unreadable' ORDER BY path"
)


def reading(config: Config) -> Iterator[CheckupLine]:
    yield from _sources(config)
    yield from _sessions(config)


def _sources(config: Config) -> Iterator[CheckupLine]:
    """A source that is damaged is worth knowing; one that our own reader fell over needs somebody."""
    unreadable = read_only_rows(config.catalog, _UNREADABLE) or []
    stumbled = [(path, reason) for path, reason in unreadable if "stumbled" in reason]
    damaged = [pair for pair in unreadable if pair not in stumbled]
    if stumbled:
        path, reason = stumbled[0]
        text = f"{count(len(stumbled), 'source')} could not be read; {path}: {reason}"
        yield CheckupLine(
            "reading", "attention", clip(text, MAX_REASON_CHARACTERS), "afterglow scan"
        )
    if damaged:
        path, reason = damaged[0]
        text = f"{count(len(damaged), 'source')} could not be read; {path}: {reason}"
        yield CheckupLine("reading", "note", clip(text, MAX_REASON_CHARACTERS))


def _sessions(config: Config) -> Iterator[CheckupLine]:
    values = read_only_rows(
        config.catalog, "SELECT value FROM facts WHERE name = ?", [STUMBLES]
    )
    stumbles = msgspec.json.decode(values[0][0], type=dict[str, str]) if values else {}
    if not stumbles:
        return
    first = next(iter(stumbles.values()))
    text = f"{count(len(stumbles), 'session')} could not be mined: {first}"
    yield CheckupLine(
        "reading", "attention", clip(text, MAX_REASON_CHARACTERS), "afterglow harvest"
    )
