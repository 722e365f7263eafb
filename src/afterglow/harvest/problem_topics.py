"""By which failures and the lessons about them find each other: topics of items, made of the ids of problems."""

from __future__ import annotations

from afterglow.harvest.events.keys import place_keys
from afterglow.harvest.problems import problem_id
from afterglow.harvest.writing.situation import SPOKEN_KINDS
from afterglow.records.problems import TOPIC, Event, Problem


def topics_of(problem: Problem) -> tuple[str, ...]:
    """By which an event finds the lessons about its problem."""
    return tuple(f"{TOPIC}{name}" for name in problem.names)


def topics_of_event(repo: str, event: Event) -> list[str]:
    """By which a failure finds the lessons about it, from the most telling of its keys to the least."""
    kind = "person" if event.kind in SPOKEN_KINDS else "failure"
    topics = [f"{TOPIC}{problem_id(repo, kind, key)}" for key in event.keys]
    return [*topics, *place_keys(repo, event.target)]
