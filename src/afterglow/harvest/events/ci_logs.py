"""Checks that failed elsewhere and their logs, put together: the list of checks says which one, its log says why."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from afterglow.harvest.events.claims import failed_check, names_check
from afterglow.harvest.trail import Trail
from afterglow.records.problems import Event, TellingLine

MAX_LOG_LINES = 2  # of a log that stand with its check: the first say what went wrong

_FAILED_JOB = re.compile(
    r"^([^\t\n]{1,100})\tfail\t[^\n]{0,300}/job/(\d{5,})", re.MULTILINE
)
_NUMBER = re.compile(r"\d{5,}")


def with_logs(trail: Trail, events: Sequence[Event]) -> list[Event]:
    """The events of a session in their order; logs know the names of their checks, checks what their logs say."""
    if not any(event.kind == "ci" for event in events):
        return list(events)
    names = dict(_jobs(trail))
    named = [_with_name(event, names) for event in events]
    return [
        _with_log(event, named[place + 1 :]) if _is_bare(event) else event
        for place, event in enumerate(named)
    ]


def _jobs(trail: Trail) -> Iterator[tuple[str, str]]:
    """Numbers of jobs that failed, and their names."""
    for step in trail.steps:
        result = step.call.result or ""
        if "\tfail\t" in result:
            yield from ((match[2], match[1]) for match in _FAILED_JOB.finditer(result))


def _with_name(event: Event, names: dict[str, str]) -> Event:
    """A log that was asked for by the number of its job."""
    if event.kind != "ci" or any(names_check(line.text) for line in event.lines):
        return event
    numbers = _NUMBER.findall(event.command)
    name = next((names[number] for number in numbers if number in names), "")
    if not name:
        return event
    lines = (*event.lines[:1], failed_check(name), *event.lines[1:])
    return replace(event, lines=lines)


def _is_bare(event: Event) -> bool:
    """Names checks and says nothing else."""
    is_list = event.kind == "ci" and bool(event.lines)
    return is_list and all(names_check(line.text) for line in event.lines)


def _with_log(event: Event, later: Sequence[Event]) -> Event:
    """With what the first log says that was read of one of its checks, before they passed."""
    checks = {line.text for line in event.lines}
    end = event.remedy.line if event.remedy else None
    for log in later:
        if log.kind != "ci" or (end is not None and log.line > end):
            continue
        is_about = any(line.text in checks for line in log.lines)
        reasons = [line for line in log.lines if not names_check(line.text)]
        if is_about and reasons:
            return replace(event, lines=_joined(event, log, reasons))
    return event


def _joined(
    event: Event, log: Event, reasons: Sequence[TellingLine]
) -> tuple[TellingLine, ...]:
    """The check that the log is about, the log's lines, the other checks."""
    names = {line.text for line in log.lines}
    about = [line for line in event.lines if line.text in names]
    further = [line for line in event.lines if line.text not in names]
    return (*about[:1], *reasons[:MAX_LOG_LINES], *about[1:], *further)
