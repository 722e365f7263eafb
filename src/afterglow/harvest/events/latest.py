"""What went wrong in the calls that a running session has just made: as `events_of` reads it, without what followed."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from msgspec.structs import replace

from afterglow.harvest.events.explained import moment_of
from afterglow.harvest.events.failing_calls import event_of, lints_of
from afterglow.harvest.events.failures import program_of, symptom_of
from afterglow.harvest.events.session_events import good_runs
from afterglow.harvest.failure_kinds import repeats
from afterglow.harvest.state_checks import SessionState, explain
from afterglow.harvest.trail import Step, Trail
from afterglow.records.problems import Event, SessionEvents


def latest_events(trail: Trail, first: int) -> SessionEvents:
    """The events of the calls from the step `first` on, raw: `redaction` must pass them. With what good runs of the
    same programs printed earlier in the session."""
    events = tuple(_events(trail, first))
    if not events:
        return SessionEvents()
    names = {event.program for event in events}
    alike = [step for step in trail.steps[:first] if program_of(step.action) in names]
    good, printing = good_runs(alike)
    return SessionEvents(events, good, printing)


def _events(trail: Trail, first: int) -> Iterator[Event]:
    state: SessionState | None = None
    for step in islice(trail.steps, first, None):
        symptom = symptom_of(step)
        if symptom is None or (step.failed and repeats(trail.steps, step)):
            continue
        if state is None:  # nearly always nothing is wrong, and no state is needed
            state = SessionState(trail.session.cwd)
        _follow(state, trail, step)
        event = event_of(trail, step, symptom, "", lints_of(step, symptom))
        moment = moment_of(state, step, symptom)
        explanation = explain(moment) if moment is not None else None
        if explanation is not None:
            event = replace(
                event, state=explanation.state, explanation=explanation.line
            )
        yield event


def _follow(state: SessionState, trail: Trail, step: Step) -> None:
    """Brings the state to where the session stood before a call."""
    for earlier in trail.steps[len(state.steps) : step.index]:
        state.add(earlier)
