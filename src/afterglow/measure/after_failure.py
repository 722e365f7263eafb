"""What followed a failure that a session was told about. Pure: a session with its events and a delivery in, the course
of things out.

Failures, goals and solutions are those of `harvest/events`, so that told and untold sessions are read alike.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

from afterglow.harvest.events.aftermath import MAX_REACH
from afterglow.harvest.events.failing_calls import call_hash
from afterglow.harvest.problem_key import problem_key
from afterglow.harvest.trail import Step, Trail
from afterglow.measure.proofs import Proof
from afterglow.measure.remedy_signs import (
    Deed,
    Sign,
    Subject,
    deed_of,
    signs_of,
    subjects_of,
)
from afterglow.records.delivery import Delivery, Followed, Given
from afterglow.records.problems import FAILURE_KINDS, Event
from afterglow.text.fingerprint import fingerprint


def what_followed(
    trail: Trail, events: Sequence[Event], delivery: Delivery, proof: Proof
) -> Followed | None:
    """After the failure that a hint was about; for a context, after the first known error that came all the same.
    Nothing where there was none."""
    failures = [event for event in events if event.kind in FAILURE_KINDS]
    steps = {call_hash(trail, step): step for step in trail.steps}
    if delivery.when == "failure":
        event = _hinted(failures, steps, trail, delivery, proof)
    else:
        event = _came_all_the_same(failures, steps, delivery, proof)
    if event is None:
        return None
    step = steps[event.call]
    is_decided = event.kind != "empty"  # what a silent check was after, nobody can tell
    is_solved = event.remedy is not None
    return Followed(
        problem=problem_key(event.keys),
        explanation=event.explanation,
        solved=is_solved if is_decided else None,
        calls=event.calls if is_solved else 0,
        repeated=_is_repeated(event),
        used=_used(trail, event, step, _remedies(delivery, event)),
    )


def _hinted(
    failures: Iterable[Event],
    steps: dict[int, Step],
    trail: Trail,
    delivery: Delivery,
    proof: Proof,
) -> Event | None:
    """The failure of the call that the hook named; else the last one before the hint."""
    before = [
        event
        for event in failures
        if event.call in steps and steps[event.call].turn <= proof.turn
    ]
    named = {
        call_hash(trail, step)
        for step in trail.steps
        if delivery.call and step.call.id == delivery.call
    }
    by_name = [event for event in before if event.call in named]
    return next(reversed(by_name or before), None)


def _came_all_the_same(
    failures: Iterable[Event],
    steps: dict[int, Step],
    delivery: Delivery,
    proof: Proof,
) -> Event | None:
    known_errors = {mark for item in delivery.items for mark in item.fingerprints}
    for event in failures:
        step = steps.get(event.call)
        if (
            step is not None
            and step.turn > proof.turn
            and event.fingerprint in known_errors
        ):
            return event
    return None


def _remedies(delivery: Delivery, event: Event) -> list[Given]:
    """What the session was told to do about this failure; a hint without an item told what its state said."""
    if delivery.when != "failure":
        return [
            item for item in delivery.items if event.fingerprint in item.fingerprints
        ]
    if delivery.items:
        return list(delivery.items)
    if not event.explanation:
        return []
    situation = f"`{event.program or event.tool}`"
    return [Given("", 1.0, situation=situation, remedy=event.explanation)]


def _is_repeated(event: Event) -> bool:
    """Whether the same call came again before anything had changed."""
    for call in event.following:
        if call.again:
            return True
        if call.changes:
            return False
    return False


def _used(
    trail: Trail, event: Event, failed: Step, remedies: Iterable[Given]
) -> bool | None:
    """Whether a remedy shows in a call between the failure and its solution. What the failed call had already is no
    sign of the way out, and what fails in the same words did not take it."""
    deeds = [deed_of(step) for step in _on_the_way(trail, event, failed)]
    failed_deed = deed_of(failed)
    visible = False
    for item in remedies:
        subjects = subjects_of(item.situation)
        for sign in signs_of(item.remedy, item.situation):
            if _is_everyday(sign) or _shows(sign, failed_deed, subjects):
                continue
            visible = True
            if any(_shows(sign, deed, subjects) for deed in deeds):
                return True
    return False if visible else None


def _shows(sign: Sign, deed: Deed, subjects: Collection[Subject]) -> bool:
    """So near to the failure, a call of the tool that a remedy names is a sign as well."""
    return sign.shows(deed, subjects) or deed.step.tool == sign.text


def _is_everyday(sign: Sign) -> bool:
    return sign.bare and sign.everyday


def _on_the_way(trail: Trail, event: Event, failed: Step) -> Iterator[Step]:
    """The calls after the failure, up to the one that reached its goal."""
    last = event.remedy.line if event.remedy else None
    mark = fingerprint(failed.call.error) if failed.call.error else ""
    after = trail.steps[failed.index + 1 :]
    for step in after if last is not None else after[:MAX_REACH]:
        if not (mark and step.failed and fingerprint(step.call.error) == mark):
            yield step
        if step.call.line == last:
            return
