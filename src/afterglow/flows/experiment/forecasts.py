"""experiment: how long one would take here, by how the sessions of the last weeks went and how many there were."""

from __future__ import annotations

import time
from collections.abc import Sequence
from statistics import fmean, stdev

from afterglow.config import Config
from afterglow.errors import UsageError
from afterglow.experiment.outcomes import (
    OF_FAILURES,
    OUTCOMES,
    USUAL,
    Case,
    excluded,
    measure,
)
from afterglow.flows.experiment.power_and_progress import (
    DAY,
    PACE_SECONDS,
    toward_better,
)
from afterglow.flows.experiment.trials import PROBED_SESSIONS
from afterglow.flows.no_transcripts import check_transcripts
from afterglow.records.catalog import Entry
from afterglow.records.forecast import Forecast, OutcomeHistory, Prospect
from afterglow.store.catalog import Catalog

WEEK = 7 * DAY
# Beside the difference chosen for: what a smaller one would cost, and a larger one save.
MULTIPLES = (0.5, 0.75, 1.0, 1.5, 2.0, 3.0)
# Where nobody named a difference: half of what there is to gain. What one person's sessions of a few months can show
# is not much less.
USUAL_CHANGE = 0.5
MIN_USUAL_SHARE = 0.01  # of a share: less than a point is noticed by nobody


def outcome_history(
    config: Config, outcome: str, *, now: float | None = None
) -> OutcomeHistory:
    """How the last sessions did on an outcome, and at what pace they came. Only those count that an experiment would
    count too."""
    if outcome not in OUTCOMES:
        raise UsageError(f"no outcome {outcome!r}; there are {', '.join(OUTCOMES)}")
    now = time.time() if now is None else now
    entries = _newest(config)
    measured = _measured(config, entries, outcome, now)
    if not measured:
        return OutcomeHistory(outcome)
    values = [value for _, value in measured]
    times = [ended for ended, _ in measured]
    a_week, until = _pace(times, now, is_cut=len(entries) == PROBED_SESSIONS)
    spread = stdev(values) if len(values) > 1 else 0.0
    return OutcomeHistory(outcome, len(values), fmean(values), spread, a_week, until)


def _measured(
    config: Config, entries: Sequence[Entry], outcome: str, now: float
) -> list[tuple[float, float]]:
    """When each session ended, and what it has of the outcome."""
    cases = [Case((entry,), entry.start or 0.0) for entry in entries]
    if outcome in OF_FAILURES:
        from afterglow.flows.experiment.session_failures import with_known_failures

        cases = with_known_failures(config, cases)
    measured: list[tuple[float, float]] = []
    for case in cases:
        value = measure(case, [outcome])[outcome]
        ended = case.last.end or case.last.start
        if value is not None and ended and not excluded(case, USUAL, now):
            measured.append((ended, value))
    return measured


def _newest(config: Config) -> list[Entry]:
    if not config.catalog.exists():
        return []
    with Catalog(config.catalog) as catalog:
        return catalog.entries(newest=PROBED_SESSIONS, profiles=True)


def _pace(times: Sequence[float], now: float, *, is_cut: bool) -> tuple[float, float]:
    """How many came in a week of the last four; where there were none, of the four before the last one. `is_cut`: there
    are older ones that were not read."""
    newest = max(times)
    until = 0.0
    end = now
    if newest < now - PACE_SECONDS:
        end = until = newest
    since = end - PACE_SECONDS
    if is_cut:
        since = max(since, min(times))
    first = max(min(times), since)
    weeks = max((end - first) / WEEK, 1.0)
    recent = sum(time >= since for time in times)
    return recent / weeks, until


def usual_effect(history: OutcomeHistory) -> float:
    """A difference to begin with, where nobody has named one: half of what there is to gain, in one digit."""
    spec = OUTCOMES[history.outcome]
    is_share = spec.scale in ("yes-no", "rate")
    to_gain = abs(history.mean)
    if is_share and spec.direction == "higher":
        to_gain = 1 - history.mean
    change = to_gain * USUAL_CHANGE
    if is_share:
        change = max(change, MIN_USUAL_SHARE)
    return float(f"{change:.1g}")


def forecast(
    config: Config,
    outcome: str,
    *,
    arms: Sequence[str],
    effect: float | None = None,
    a_week: float | None = None,
    alpha: float = 0.05,
    power: float = 0.8,
    now: float | None = None,
) -> Forecast:
    """How long an experiment with equal arms would take to show a difference of `effect` (half of what there is to
    gain, unless said), at the pace of the last weeks or of `a_week` sessions."""
    check_transcripts(config, "a forecast")
    if len(arms) < 2:
        raise UsageError("a comparison has at least two arms: cold,both would work")
    history = outcome_history(config, outcome, now=now)
    if history.sessions < 2:
        raise UsageError(
            f"no two sessions here have {outcome}, so nobody can say how long it takes; `afterglow scan` finds "
            "sessions, and `afterglow experiment power` takes --baseline or --sd instead"
        )
    difference = abs(effect or usual_effect(history))
    pace = history.a_week if a_week is None else a_week

    def prospect(size: float) -> Prospect:
        return _prospect(history, size, len(arms), pace, alpha, power)

    around: list[Prospect] = []
    for multiple in MULTIPLES:
        try:
            around.append(prospect(multiple * difference))
        except UsageError:  # a share cannot rise above all, or fall below nothing
            continue
    return Forecast(
        history, tuple(arms), alpha, power, pace, prospect(difference), tuple(around)
    )


def _prospect(
    history: OutcomeHistory,
    effect: float,
    arms: int,
    a_week: float,
    alpha: float,
    power: float,
) -> Prospect:
    from afterglow.experiment.analysis.power import ANY_TIME, needed

    scale = OUTCOMES[history.outcome].scale
    units = needed(
        toward_better(history.outcome, effect),
        scale=scale,
        baseline=history.mean if scale == "yes-no" else None,
        sd=history.sd,
        alpha=alpha,
        power=power,
    )
    if a_week <= 0:
        return Prospect(effect, units, None, None)
    weeks = units * arms / a_week
    return Prospect(effect, units, weeks, weeks * ANY_TIME)
