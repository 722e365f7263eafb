"""What became of failures, and which of them come back in another session."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

from afterglow.records.catalog import Entry
from afterglow.records.profile import Profile, Recovery
from afterglow.records.profile_report import (
    Recoveries,
    Recurrence,
    RecurringError,
    ToolRecovery,
    Unrecovered,
)
from afterglow.stats.rates import Pair, rate, spread
from afterglow.text.numbers import day

NO_MESSAGE = (
    "no message"  # a fingerprint of nothing: two of them need not be the same error
)
ATTEMPTS = (("1", 1), ("2", 2), ("3", 3), ("4–5", 5), ("6+", None))
CALLS = (("1", 1), ("2", 2), ("3–5", 5), ("6–10", 10), ("11–20", 20), ("21+", None))


def recoveries(profiles: Iterable[Profile], *, top: int) -> Recoveries:
    """Failures still open when a session ended were not recovered."""
    by_session = [profile.recoveries + profile.pending for profile in profiles]
    by_tool: dict[str, list[list[Recovery]]] = defaultdict(list)
    lost: Counter[tuple[str, str]] = Counter()
    lost_in: Counter[tuple[str, str]] = Counter()
    for session_recoveries in by_session:
        mine: dict[str, list[Recovery]] = defaultdict(list)
        for recovery in session_recoveries:
            mine[recovery.tool].append(recovery)
        for tool, sessions in mine.items():
            by_tool[tool].append(sessions)
        unrecovered = Counter(
            (r.error, r.tool) for r in session_recoveries if not r.recovered
        )
        lost += unrecovered
        lost_in.update(unrecovered.keys())
    worked = _worked(by_session)
    rows = [_tool(tool, sessions) for tool, sessions in by_tool.items()]
    return Recoveries(
        recovered=rate(map(_recovered, by_session)),
        attempts=spread(r.attempts for r in worked),
        calls=spread(r.calls for r in worked),
        attempts_until_success=_bins((r.attempts for r in worked), ATTEMPTS),
        calls_until_success=_bins((r.calls for r in worked), CALLS),
        by_tool=tuple(sorted(rows, key=lambda row: (-row.recovered.n, row.tool))),
        unrecovered=tuple(
            Unrecovered(
                error=error, tool=tool, count=times, sessions=lost_in[error, tool]
            )
            for (error, tool), times in sorted(
                lost.items(), key=lambda item: (-item[1], item[0])
            )[:top]
        ),
    )


def recurrence(used: Sequence[tuple[Entry, Profile]], *, top: int) -> Recurrence:
    """Fingerprints in time order: which failures an earlier session of the same repo had already met."""
    met: dict[str, set[str]] = defaultdict(set)
    pairs: list[Pair] = []
    placed = 0
    timed = [
        (entry.start, entry, profile)
        for entry, profile in used
        if entry.start is not None and entry.repo
    ]
    for _, entry, profile in sorted(
        timed, key=lambda item: (item[0], item[1].key, item[1].id)
    ):
        repo = entry.repo
        errors = {
            error: times
            for error, times in profile.errors.items()
            if error != NO_MESSAGE
        }
        pairs.append(
            (
                sum(times for error, times in errors.items() if error in met[repo]),
                sum(errors.values()),
            )
        )
        placed += sum(errors.values())
        met[repo].update(errors)
    failures = sum(times for _, profile in used for times in profile.errors.values())
    recurring = _recurring(used)
    return Recurrence(
        repeated=rate(pairs),
        not_placed=failures - placed,
        kinds=len(recurring),
        failures=sum(error.count for error in recurring),
        recurring=tuple(recurring[:top]),
    )


def _recurring(used: Sequence[tuple[Entry, Profile]]) -> list[RecurringError]:
    """Fingerprints met in two sessions or more, the most widespread first."""
    times: Counter[str] = Counter()
    sessions: Counter[str] = Counter()
    repos: dict[str, set[str]] = defaultdict(set)
    last: dict[str, float] = {}
    for entry, profile in used:
        times.update(profile.errors)
        sessions.update(profile.errors.keys())
        for error in profile.errors:
            if entry.repo:
                repos[error].add(entry.repo)
            if (time := entry.end or entry.start) is not None:
                last[error] = max(time, last.get(error, 0.0))
    errors = [
        RecurringError(
            fingerprint=error,
            count=times[error],
            sessions=sessions[error],
            repos=len(repos[error]),
            last_seen=day(last.get(error)),
        )
        for error in sessions
        if sessions[error] > 1 and error != NO_MESSAGE
    ]
    return sorted(errors, key=lambda row: (-row.sessions, -row.count, row.fingerprint))


def _tool(tool: str, sessions: Sequence[Sequence[Recovery]]) -> ToolRecovery:
    worked = _worked(sessions)
    return ToolRecovery(
        tool=tool,
        recovered=rate(map(_recovered, sessions)),
        attempts=spread(r.attempts for r in worked),
        calls=spread(r.calls for r in worked),
    )


def _worked(sessions: Iterable[Sequence[Recovery]]) -> list[Recovery]:
    return [
        recovery
        for session_recoveries in sessions
        for recovery in session_recoveries
        if recovery.recovered
    ]


def _recovered(recoveries: Sequence[Recovery]) -> Pair:
    return sum(recovery.recovered for recovery in recoveries), len(recoveries)


def _bins(
    values: Iterable[int], edges: Sequence[tuple[str, int | None]]
) -> dict[str, int]:
    bins = {name: 0 for name, _ in edges}
    for value in values:
        for name, highest in edges:
            if highest is None or value <= highest:
                bins[name] += 1
                break
    return bins
