"""Many profiles -> one report. Nothing is guessed here: every number comes with how many sessions stand behind it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from afterglow.profile.compare import LONG, SHORT, effects
from afterglow.profile.markers import context_use, interaction, markers, masked
from afterglow.profile.published_claims import claims
from afterglow.profile.recurrence import recoveries, recurrence
from afterglow.profile.tables import row, tables
from afterglow.records.catalog import Entry
from afterglow.records.profile_report import (
    Difference,
    Effects,
    Headline,
    Rate,
    Recoveries,
    Recurrence,
    Report,
    Row,
)
from afterglow.stats.rates import FEW_SESSIONS
from afterglow.text.numbers import day

TOP = 50

NOTES = (
    "A rate is failed calls over calls that either worked or failed. Calls a person or a policy blocked, cancelled "
    "calls and calls without a known end are shown beside it and are not part of it.",
    "Intervals are 95 % Wilson intervals on a sample reduced for the likeness of calls of one session (cluster-robust "
    "variance over sessions). Differences combine the two intervals, paired where both come from the same sessions.",
    f"A dagger (†) marks rates from fewer than {FEW_SESSIONS} sessions: the interval cannot speak for other sessions.",
    "Between sessions: different sessions are compared, and they may differ in more than the thing compared. Within "
    "sessions: parts of the same sessions are compared. Neither says what caused a difference.",
    "Many intervals are shown at once; one in twenty would miss by chance alone.",
)


def summarise(
    entries: Sequence[Entry],
    *,
    left_out: Mapping[str, int] | None = None,
    selection: Mapping[str, str] | None = None,
    simulated: bool = False,
    top: int = TOP,
) -> Report:
    """The report over `entries`. `left_out` counts what the caller left out and why, `selection` what was asked for.

    `top` bounds the lists of recurring and unrecovered errors; everything else is complete.
    """
    # In order, so that the same sessions give the same bytes.
    ordered = sorted(entries, key=lambda entry: (entry.key, entry.id))
    profiled = [
        (entry, entry.profile) for entry in ordered if entry.profile is not None
    ]
    missing = len(entries) - len(profiled)
    reasons = dict(left_out or {})
    if missing:
        reasons["without a profile"] = missing
    profiles = [profile for _, profile in profiled]
    used = [(entry, profile) for entry, profile in profiled if profile.outcomes]
    overall = row("all calls", (profile.outcomes for _, profile in used))
    differences = effects([profile for _, profile in used])
    by = tables(used)
    recovered, repeated = recoveries(profiles, top=top), recurrence(profiled, top=top)
    first_day, last_day = _days([entry for entry, _ in profiled])
    return Report(
        sessions=len(profiled),
        messages=sum(profile.messages for profile in profiles),
        calls=overall.calls,
        first_day=first_day,
        last_day=last_day,
        agents=dict(Counter(entry.agent for entry, _ in profiled).most_common()),
        selection=dict(selection or {}),
        left_out=reasons,
        simulated=simulated,
        headlines=_headlines(overall, repeated, recovered, differences),
        overall=overall,
        masked=masked(profiles, overall.rate),
        tables=by,
        effects=differences,
        claims=claims(by["length"].rows, differences),
        recoveries=recovered,
        recurrence=repeated,
        markers=markers(profiles),
        interaction=interaction(profiles),
        context=context_use(profiles),
        notes=NOTES,
    )


def _days(entries: Sequence[Entry]) -> tuple[str, str]:
    """The first and the last day of any of them."""
    ends = [time for entry in entries for time in (entry.start, entry.end)]
    times = [time for time in ends if time is not None]
    return day(min(times, default=None)), day(max(times, default=None))


def _headlines(
    overall: Row, repeated: Recurrence, recovered: Recoveries, differences: Effects
) -> tuple[Headline, ...]:
    return (
        _share("of calls fail", overall.rate, "calls"),
        _share(
            "of failures repeat an error of an earlier session in the same repo",
            repeated.repeated,
            "failures",
        ),
        _share(
            "of failures are recovered in the same session",
            recovered.recovered,
            "failures",
        ),
        _points(
            "error rate, over 100 messages against up to 50",
            differences.between[f"{LONG} vs {SHORT}"],
        ),
        _points(
            "error rate, second half of a session against its first",
            differences.within["second vs first half"],
        ),
    )


def _share(label: str, rate: Rate, of: str) -> Headline:
    return Headline(
        label=label,
        unit="share",
        value=rate.value,
        low=rate.low,
        high=rate.high,
        n=rate.n,
        of=of,
        sessions=rate.sessions,
    )


def _points(label: str, difference: Difference) -> Headline:
    return Headline(
        label=label,
        unit="points",
        value=difference.value,
        low=difference.low,
        high=difference.high,
        n=difference.first.n + difference.second.n,
        of="calls",
        sessions=difference.sessions,
        effect=difference.effect,
    )
