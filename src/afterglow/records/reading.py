"""Readings: what `afterglow measure` says, and what it looks at to say it.

Shares are fractions of one. A reading without data has no value and a reason, never a zero. Every interval is 95 %.
"""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from afterglow.records.delivery import When

Better = Literal["higher", "lower", "neither"]
Unit = Literal["share", "points", "per day", "per session", "days", "domains"]
# counted: everything there is was counted. observational: sessions are compared that may differ in more than the thing
# measured, so it does not say what caused what. proxy: stands for something nobody recorded.
Nature = Literal["counted", "observational", "proxy"]


class Glance(Struct, frozen=True, array_like=True, gc=False):
    """What measuring needs of one session. `errors` are fingerprints and how often; `started` goals were tried for the
    first time, `at_once` of them worked at that; `done` is None where the outcome is not known, `guessed` where it was
    read from how the session ended."""

    id: str
    repo: str
    agent: str
    start: float | None
    end: float | None
    failed: int
    decided: int
    errors: dict[str, int]
    started: int
    at_once: int
    done: bool | None
    guessed: bool
    requests: int
    corrections: int
    compactions: int


class Week(Struct, frozen=True):
    """A reading of one ISO week, `2026-W07`."""

    week: str
    value: float
    low: float | None
    high: float | None
    n: int


class Past(Struct, frozen=True):
    """What a saved snapshot said."""

    day: str
    value: float | None
    low: float | None = None
    high: float | None = None


class Shift(Struct, frozen=True):
    """The last weeks of the data against all before them, as a difference within repositories."""

    value: float
    low: float
    high: float
    words: str


class Reading(Struct, frozen=True, kw_only=True):
    """One measured number: `n` of what (`of`), what it means in plain words, and how it went on.

    `meaning` is one line, `definition` the exact rule, `detail` what else was counted on the way. `no_shift` says why
    the last weeks cannot be compared with those before.
    """

    name: str
    unit: Unit
    better: Better
    nature: Nature
    meaning: str
    definition: str
    value: float | None = None
    low: float | None = None
    high: float | None = None
    n: int = 0
    of: str = ""
    reason: str = ""
    detail: str = ""
    weeks: tuple[Week, ...] = ()
    shift: Shift | None = None
    no_shift: str = ""
    past: tuple[Past, ...] = ()


class UntoldRepeats(Struct, frozen=True, array_like=True, gc=False):
    """The sessions that met a problem after another one had and were told nothing about it: how many there are, and of
    those that solved it the calls until then."""

    repo: str
    problem: str
    failures: int
    calls: tuple[int, ...]


class Average(Struct, frozen=True):
    """A mean with its interval, of `n` values; one value has no interval."""

    value: float
    low: float | None = None
    high: float | None = None
    n: int = 0


class MomentReading(Struct, frozen=True, kw_only=True):
    """What came of telling sessions something at one moment; numbers of deliveries.

    `deliveries`: given out; `proved`: a transcript shows it. `used`: a remedy shows behind it; `ignored`: one could have
    shown and did not; of the rest nobody can tell. `failures`: there was a failure that it was about, before a hint or
    after a context; `solved` and `repeated` are of those. `calls` until solved are compared with `untold` repeats of
    the same problems, problem by problem; `verdict` says what may be said about the `difference`.
    """

    when: When
    deliveries: int
    proved: int
    used: int
    ignored: int
    failures: int
    solved: int
    repeated: int
    calls: Average | None = None
    untold: Average | None = None
    untold_failures: int = 0
    untold_solved: int = 0
    problems: int = 0
    difference: Average | None = None
    verdict: str = ""


class Measured(Struct, frozen=True, kw_only=True):
    """Everything `afterglow measure` says; saved as a snapshot it is the same without weeks and past.

    `troubles` are snapshots that could not be read."""

    day: str
    sessions: int
    items: int
    deliveries: int
    first_day: str
    last_day: str
    selection: dict[str, str]
    readings: tuple[Reading, ...]
    moments: tuple[MomentReading, ...] = ()
    troubles: tuple[str, ...] = ()
