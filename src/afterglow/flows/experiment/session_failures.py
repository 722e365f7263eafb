"""What went wrong in sessions of an experiment, and what of it was known when each of them was given its arm.

Known is what a lesson of the store was about at that time, whatever became of it since, and what a session's own state
explains. Nobody asks what the session was told.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from itertools import chain

from msgspec.structs import replace

from afterglow.config import Config
from afterglow.experiment.known_failures import MetFailure, known_failures
from afterglow.experiment.outcomes import Case
from afterglow.flows.noise import noise_of
from afterglow.harvest.problem_topics import topics_of_event
from afterglow.harvest.problems import telling_events
from afterglow.harvest.writing.failure_names import FailureNames, failure_of
from afterglow.harvest.writing.situation import is_situation
from afterglow.records.catalog import Entry
from afterglow.records.knowledge import Change, KnowledgeItem, waits_for_approval
from afterglow.records.problems import Event, SessionEvents
from afterglow.store.catalog import Catalog
from afterglow.store.events import events_of
from afterglow.store.knowledge import Knowledge

# A lesson that only waits for a second witness may be told on failure.
TELLABLE = frozenset({"active", "candidate"})


def with_known_failures(config: Config, cases: Sequence[Case]) -> list[Case]:
    """The cases, each with its known failures if all of it was harvested."""
    keys = [entry.key for case in cases for entry in case.entries]
    if not keys:
        return list(cases)
    with Catalog(config.catalog) as catalog:
        events = dict(events_of(catalog, keys))
    with ExitStack() as stack:
        lessons = None
        if config.knowledge.exists():
            knowledge = stack.enter_context(Knowledge(config.knowledge))
            lessons = _LessonsThen(knowledge)
        return [_with_known(case, events, lessons) for case in cases]


def _with_known(
    case: Case, events: dict[int, SessionEvents], lessons: _LessonsThen | None
) -> Case:
    met: list[MetFailure] = []
    for entry in case.entries:
        session = events.get(entry.key)
        if session is None and entry.calls:
            return case  # not harvested yet; where nothing was called there is nothing to harvest
        failures = session or SessionEvents()
        met += _met(entry, failures, case.assigned, lessons)
    return replace(case, failures=known_failures(met))


def _met(
    entry: Entry, session: SessionEvents, time: float, lessons: _LessonsThen | None
) -> list[MetFailure]:
    """The failures of a session in their order, with what they were known as at `time`. They are read as a line on
    failure reads them: without what is noise in their repository."""
    sessions = [session]
    if lessons:
        sessions.append(lessons.noise(entry.repo))
    met = []
    for event in sorted(telling_events(sessions), key=lambda event: event.line):
        known_as = {event.state} - {""}
        if lessons:
            known_as |= lessons.about(entry, event, time)
        met.append(MetFailure(event, frozenset(known_as)))
    return met


class _LessonsThen:
    """What lessons there were at a time. Everything is looked up once."""

    def __init__(self, knowledge: Knowledge) -> None:
        self._knowledge = knowledge
        self._items: dict[str, KnowledgeItem] = {}
        self._histories: dict[str, list[Change]] = {}

    def noise(self, repo: str) -> SessionEvents:
        return noise_of(self._knowledge, repo)

    def about(self, entry: Entry, event: Event, time: float) -> set[str]:
        """The ids of those about a failure that could be told at `time`."""
        failure = failure_of(event)
        ids: set[str] = set()
        for item in self._of_keys(entry, event):
            is_about = _is_about(item, entry, failure)
            is_held = waits_for_approval(item)
            if is_about and not is_held and self._status(item, time) in TELLABLE:
                ids.add(item.id)
        return ids

    def _of_keys(self, entry: Entry, event: Event) -> list[KnowledgeItem]:
        """All with a key of the failure, or its error."""
        topics = topics_of_event(entry.repo, event)
        by_topic = self._knowledge.all_of_topics(topics)
        by_error = self._knowledge.of_fingerprints({event.fingerprint} - {""})
        ids = set(chain(*by_topic.values(), *by_error.values()))
        unread = ids - self._items.keys()
        self._items.update(self._knowledge.find(unread))
        return [self._items[id] for id in sorted(ids & self._items.keys())]

    def _status(self, item: KnowledgeItem, time: float) -> str:
        """Empty before the item was there."""
        if item.id not in self._histories:
            self._histories[item.id] = self._knowledge.history(item.id)
        return status_at(item, self._histories[item.id], time)


def _is_about(item: KnowledgeItem, entry: Entry, failure: FailureNames) -> bool:
    """It holds in this repository for this agent, and the failure is its situation: a key or an error may be that of
    several."""
    if item.repo not in ("", entry.repo) or item.agent not in ("", entry.agent):
        return False
    return is_situation(item.situation, item.remedy, failure)


def status_at(item: KnowledgeItem, history: Sequence[Change], time: float) -> str:
    """The status an item had at a time; empty before it was there."""
    if not history or history[0].time > time:
        return ""
    changes = [change for change in history if change.what == "status"]
    later = next((change for change in changes if change.time > time), None)
    return later.before if later else item.status
