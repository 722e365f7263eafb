"""trials: what came of the sessions an experiment assigned, read from the catalogue and the ledger.

Intention to treat: a session counts in the arm it was assigned to, whether its context arrived or not. Cold sessions
leave no id of a context behind, so sessions are found by their own id, in every arm alike; by the id of the context
only where every arm leaves one, or those that can be found would not be like those that cannot.
"""

from __future__ import annotations

import time
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from afterglow.config import Config
from afterglow.experiment.moments import always_leaves_a_mark
from afterglow.experiment.outcomes import (
    OF_FAILURES,
    OUTCOMES,
    Case,
    check_measurable,
    excluded,
    measure,
)
from afterglow.records.catalog import Entry
from afterglow.records.experiment import Assignment, Plan, RunConditions, Trial
from afterglow.records.selection import Selection
from afterglow.store.catalog import Catalog
from afterglow.store.ledger import Ledger

# By how much a session's last turn may lie before its assignment: clocks differ, and
# a day covers every time zone.
CLOCK_SKEW_SECONDS = 86400.0
# Earlier sessions of a place that tell how hard it is there: enough that one bad day
# does not decide, few enough that last year's repository does not either.
EARLIER_SESSIONS = 20
# Newest sessions that tell which outcomes can be computed here; read while a person
# waits for `experiment new`.
PROBED_SESSIONS = 500
BEFORE = "earlier-error-rate"


def gather(
    config: Config,
    plan: Plan,
    assignments: Sequence[Assignment],
    *,
    now: float | None = None,
) -> list[Trial]:
    """A trial for each assignment, in its order. One without `session` has no transcript (yet), or was not harvested
    where an outcome takes that, and all its outcomes are None; one that is still active is excluded as such, whatever
    the plan says: neither is for keeping."""
    if not assignments:
        return []
    now = time.time() if now is None else now
    sources = _Sources(config, plan, min(assignment.time for assignment in assignments))
    cases = list(map(sources.case, assignments))
    if not OF_FAILURES.isdisjoint(plan.outcomes):
        cases = _harvested(config, cases)
    return [
        _trial(plan, assignment, case, sources, now)
        for assignment, case in zip(assignments, cases, strict=True)
    ]


def _harvested(config: Config, cases: Sequence[Case | None]) -> list[Case | None]:
    """With the failures that were known; without those that nobody has read yet."""
    from afterglow.flows.experiment.session_failures import with_known_failures

    read = iter(with_known_failures(config, [case for case in cases if case]))
    whole = [next(read) if case else None for case in cases]
    return [case if case and case.failures else None for case in whole]


def check_outcomes(config: Config, outcomes: Sequence[str]) -> None:
    """Raises `UsageError` if one of the outcomes cannot be computed from any of the last sessions here, so that nobody
    waits for it for weeks. A rating needs a session that is rated, so it is not asked for. A hub has no sessions."""
    if config.hub is not None or not config.catalog.exists():
        return
    with Catalog(config.catalog) as catalog:
        recent = [
            entry
            for entry in catalog.entries(newest=PROBED_SESSIONS, profiles=True)
            if entry.origin == "main"
        ]
    computable = [name for name in outcomes if name != "rating"]
    cases = [Case((entry,), entry.start or 0.0) for entry in recent]
    if not OF_FAILURES.isdisjoint(outcomes):
        from afterglow.flows.experiment.session_failures import with_known_failures

        cases = with_known_failures(config, cases)
    check_measurable(computable, [measure(case, OUTCOMES) for case in cases])


def _trial(
    plan: Plan,
    assignment: Assignment,
    case: Case | None,
    sources: _Sources,
    now: float,
) -> Trial:
    trial = Trial(
        experiment=plan.name,
        unit=assignment.unit,
        arm=assignment.arm,
        time=assignment.time,
        outcomes=dict.fromkeys(plan.outcomes),
        stratum=assignment.stratum,
        pair=assignment.stratum if plan.design == "paired" else "",
    )
    if case is None:
        return trial
    return replace(
        trial,
        outcomes=measure(case, plan.outcomes),
        cluster=case.first.repo,
        before=sources.before(case, assignment.time),
        session=case.first.id,
        excluded=excluded(case, plan.exclusions, now),
        run=RunConditions(
            agent=case.first.agent, model=case.first.model, repo=case.first.repo
        ),
    )


class _Place(Struct, frozen=True):
    """What is kept of an earlier session: when it was over, and how it went."""

    end: float
    calls: int
    failed: int


class _Sources:
    """The sessions since the first assignment, and what was known of places before."""

    def __init__(self, config: Config, plan: Plan, since: float) -> None:
        self.by_delivery = plan.unit == "task" or always_leaves_a_mark(plan.arms)
        self.entries: dict[str, Entry] = {}
        self.after: dict[
            str, Entry
        ] = {}  # the session an agent went on in after it compacted this one
        self.places: dict[tuple[str, str], list[_Place]] = defaultdict(list)
        self._read_catalog(config, since)
        self.sessions: dict[str, str] = {}  # delivery -> the session that proves it
        self.ratings: dict[str, int] = {}  # session -> the last one
        self._read_ledger(config, since)

    def _read_catalog(self, config: Config, since: float) -> None:
        if not config.catalog.exists():
            return
        recent = Selection(since=since - CLOCK_SKEW_SECONDS)
        with Catalog(config.catalog) as catalog:
            recent_entries = catalog.entries(recent, profiles=True, all=True)
            for entry in _fullest(recent_entries):
                self.entries[entry.id] = entry
                if entry.parent_by == "compaction":
                    self.after[entry.parent] = entry
            for entry in catalog.entries():
                if entry.end is not None and entry.calls and entry.origin == "main":
                    place = _Place(entry.end, entry.calls, entry.failed)
                    self.places[entry.repo, entry.agent].append(place)
        for sessions in self.places.values():
            sessions.sort(key=lambda session: session.end)

    def _read_ledger(self, config: Config, since: float) -> None:
        if not config.ledger.exists():
            return
        with Ledger(config.ledger) as ledger:
            deliveries = {
                delivery.id: delivery
                for delivery in ledger.deliveries(since=since - CLOCK_SKEW_SECONDS)
            }
            reports = ledger.reports(since=since - CLOCK_SKEW_SECONDS)
        self.sessions = {
            id: delivery.session
            for id, delivery in deliveries.items()
            if delivery.state == "delivered"
        }
        for report in reports:
            rated = deliveries.get(report.delivery)
            if rated and rated.session and report.rating is not None:
                self.ratings[rated.session] = report.rating

    def case(self, assignment: Assignment) -> Case | None:
        """The session of an assignment, with those it was compacted into."""
        entry = self.entries.get(assignment.unit)
        if entry is None and self.by_delivery:
            entry = self.entries.get(self.sessions.get(assignment.delivery, ""))
        if entry is None:
            return None
        chain = [entry]
        while (then := self.after.get(chain[-1].id)) and then not in chain:
            chain.append(then)
        rating = next(
            (
                self.ratings[part.id]
                for part in reversed(chain)
                if part.id in self.ratings
            ),
            None,
        )
        return Case(tuple(chain), assignment.time, rating)

    def before(self, case: Case, assigned: float) -> dict[str, float]:
        """How often calls failed in the last sessions of the same repository and agent that were over by then."""
        place = self.places.get((case.first.repo, case.first.agent), ())
        over = bisect_left(place, assigned, key=lambda session: session.end)
        earlier = place[max(over - EARLIER_SESSIONS, 0) : over]
        calls = sum(session.calls for session in earlier)
        return (
            {BEFORE: sum(session.failed for session in earlier) / calls}
            if calls
            else {}
        )


def _fullest(entries: Iterable[Entry]) -> list[Entry]:
    """One entry an id: a file may be gone and still be known, and be there a second time."""
    by_id: dict[str, Entry] = {}
    for entry in entries:
        earlier = by_id.get(entry.id)
        if earlier is None or _emptiness(entry) < _emptiness(earlier):
            by_id[entry.id] = entry
    return list(by_id.values())


def _emptiness(entry: Entry) -> tuple[bool, bool, int]:
    return entry.copy, entry.gone, -entry.messages
