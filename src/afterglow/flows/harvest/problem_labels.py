"""By what items of knowledge are found that speak about a problem: its names, and the lines of its events."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from afterglow.config import Config
from afterglow.flows.harvest.lessons_about import add_lessons
from afterglow.harvest.events.keys import makes
from afterglow.harvest.failure_kinds import is_mute
from afterglow.records.problems import Event, Problem
from afterglow.store.problem_rows import KnownBy
from afterglow.text.fingerprint import reduced

MOST_EVENTS = 0.6  # of a problem


def known_by(problem: Problem) -> KnownBy:
    """By what items find a problem."""
    prints = {text for event in problem.events for text in _prints(problem.key, event)}
    prints |= _prints_of_most(problem)
    return KnownBy(problem.repo, problem.key, problem.names, tuple(sorted(prints)))


def _prints_of_most(problem: Problem) -> set[str]:
    """The fingerprints of whatever lines most of its events have, by which others may know the same failure."""
    if problem.key.startswith("rule "):
        return set()
    counts = Counter(
        text
        for event in problem.events
        for text in {reduced(line.text) for line in event.lines}
    )
    most = MOST_EVENTS * len(problem.events)
    return {
        text for text, times in counts.items() if times >= most and not is_mute(text)
    }


def _prints(key: str, event: Event) -> set[str]:
    """The fingerprints of the lines by which an event is part of a problem; of its error where no line says it."""
    of_lines = {reduced(line.text) for line in event.lines if makes(key, line)}
    has_line = bool(of_lines) and not key.startswith("rule ")
    prints = of_lines if has_line else {event.fingerprint}
    return {text for text in prints if text and not is_mute(text)}


def with_lessons(config: Config, problems: Sequence[Problem]) -> list[Problem]:
    """The problems with the items that speak about them, and how often sessions were given those."""
    labels = {problem.id: known_by(problem) for problem in problems}
    return add_lessons(config, problems, labels)
