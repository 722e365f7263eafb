"""All events of one session: what went wrong, what followed, what people put right, and what good runs print."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from msgspec.structs import replace

from afterglow.harvest.events import claims
from afterglow.harvest.events.aftermath import Aftermath, aftermath
from afterglow.harvest.events.ci_logs import with_logs
from afterglow.harvest.events.explained import explained, places
from afterglow.harvest.events.failing_calls import event_of, lints_of
from afterglow.harvest.events.failures import (
    Symptom,
    is_good_run,
    prints_by_habit,
    program_of,
    symptoms,
)
from afterglow.harvest.events.habits import habits_of
from afterglow.harvest.events.manifests_read import packages_read
from afterglow.harvest.events.people import corrections
from afterglow.harvest.events.runs import joined_runs, runs_of
from afterglow.harvest.failure_kinds import missing_program, repeats
from afterglow.harvest.state_checks import Explanation
from afterglow.harvest.trail import Step, Trail
from afterglow.records.problems import Event, SessionEvents

VERSION = 38  # raised when a session would give other events than before
MAX_EVENTS = 200  # of one session: an agent that went in circles for days shows no more problems than that
MAX_GOOD_LINES = 400  # hashes of one session; what good runs print repeats soon
MAX_PROGRAMS = 40  # checks of one session that are counted

_SHELL_NAMES = re.compile(
    r"^(?:\(eval\)|(zsh|bash|fish|dash))(?:: line \d+|:\d+)?:", re.MULTILINE
)


def events_of(trail: Trail) -> SessionEvents:
    """Everything of one session, raw: `redaction` must pass it before it goes anywhere."""
    wrong = symptoms(trail)
    explanations, directories = explained(trail), places(trail)
    failing = (
        (step, symptom)
        for step, symptom in zip(trail.steps, wrong, strict=True)
        if symptom is not None and not (step.failed and repeats(trail.steps, step))
    )
    failures = [
        _event(trail, step, symptom, wrong, directories, explanations)
        for step, symptom in islice(failing, MAX_EVENTS)
    ]
    failures = with_logs(trail, failures)
    events = [*failures, *islice(corrections(trail), MAX_EVENTS)]
    good, printing = good_runs(trail.steps)
    facts = _environment(trail, failures)
    runs = runs_of(trail, wrong)
    packages = packages_read(trail)
    return SessionEvents(tuple(events), good, printing, facts, runs, packages)


def joined(parts: list[SessionEvents]) -> SessionEvents:
    """The events of a session that was mined in stretches."""
    if len(parts) < 2:
        return parts[0] if parts else SessionEvents()
    events = tuple(event for part in parts for event in part.events)
    good = sorted({line for part in parts for line in part.good})
    facts = dict.fromkeys(fact for part in parts for fact in part.environment)
    return SessionEvents(
        events[: 2 * MAX_EVENTS],
        tuple(good[:MAX_GOOD_LINES]),
        habits_of(parts),
        tuple(facts),
        joined_runs(part.runs for part in parts),
        tuple(sorted({name for part in parts for name in part.packages})),
    )


def _event(
    trail: Trail,
    step: Step,
    symptom: Symptom,
    wrong: Sequence[Symptom | None],
    directories: dict[int, str],
    explanations: dict[int, Explanation],
) -> Event:
    lints = lints_of(step, symptom)
    directory = directories.get(step.index, "")
    event = event_of(trail, step, symptom, directory, lints)
    after = Aftermath(calls=1)
    if symptom.kind != "empty":
        after = aftermath(trail, step, wrong, list(lints.values()))
    explanation = explanations.get(step.index)
    return replace(
        event,
        calls=after.calls,
        turns=after.turns,
        tried=after.tried,
        remedy=after.remedy,
        because=after.because,
        person=event.person or after.person.text,
        person_line=event.result_line if event.person else after.person.line,
        state=explanation.state if explanation is not None else "",
        explanation=explanation.line if explanation is not None else "",
    )


def good_runs(
    steps: Iterable[Step],
) -> tuple[tuple[int, ...], dict[str, tuple[int, int]]]:
    """Lines that look like errors or begin or end the output in runs that ended well, hashed; and which checks
    print something when all is well."""
    good: set[int] = set()
    printed: Counter[str] = Counter()
    empty: Counter[str] = Counter()
    for step in steps:
        if not is_good_run(step):
            continue
        name = program_of(step.action)
        text = step.call.result or ""
        if prints_by_habit(step.action):
            (printed if claims.says_something(text) else empty)[name] += 1
        if len(good) < MAX_GOOD_LINES:
            text = claims.ends_of(text)
            good.update(_good_lines(text, name))
    names = sorted(printed.keys() | empty.keys())[:MAX_PROGRAMS]
    counts = {name: (printed[name], empty[name]) for name in names}
    return tuple(sorted(good)[:MAX_GOOD_LINES]), counts


def _good_lines(text: str, name: str) -> Iterator[int]:
    """What looks like an error, and how the output begins and ends: a failed run that says nothing is told by that."""
    ends = (
        line
        for line in claims.plain_lines(text, name)
        if claims.is_telling(claims.coarse(line.text))
    )
    for line in (*ends, *claims.claims(text, name, claims.REPORT)):
        if not claims.says_nothing_was_checked(line.text):
            yield line.good


def _environment(trail: Trail, events: list[Event]) -> tuple[str, ...]:
    """What the session shows of its machine: system, shell, programs that are not there."""
    facts = [_system(trail.session.cwd)]
    texts = [line.text for event in events for line in event.lines]
    for text in texts:
        if match := _SHELL_NAMES.search(text):
            facts.append(f"shell {match[1] or 'zsh'}")
        if name := missing_program(text):
            facts.append(f"no program {name}")
    return tuple(filter(None, dict.fromkeys(facts)))


def _system(cwd: str) -> str:
    if cwd.startswith("/Users/"):
        return "macOS"
    if re.match(r"[A-Za-z]:[\\/]", cwd):
        return "Windows"
    return "Linux" if cwd.startswith(("/home/", "/root", "/workspace")) else ""
