"""What went wrong in sessions of an experiment, and what of it was known when each of them was given its arm.

Known is what a lesson of the store was about at that time, whatever became of it since, and what a session's own state
explains. Nobody asks what the session was told.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack

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
from afterglow.records.knowledge import Change, KnowledgeItem
from afterglow.records.problems import Event, SessionEvents
from afterglow.store.catalog import Catalog
from afterglow.store.events import events_of
from afterglow.store.knowledge import Knowledge

# A lesson that only waits for a second witness may be told on failure.
TELLABLE = frozenset({"active", "candidate"})


def with_known_failures(config: Config, cases: Sequence[Case]) -> list[Case]:
    """The cases, each with its known failures if all of it was harvested."""
    entries = [entry for case in cases for entry in case.entries]
    if not entries:
        return list(cases)
    with Catalog(config.catalog) as catalog:
        events = dict(events_of(catalog, [entry.key for entry in entries]))
    with ExitStack() as stack:
        knowledge = None
        if config.knowledge.exists():
            knowledge = stack.enter_context(Knowledge(config.knowledge))
        lessons = _LessonsThen(knowledge)
        return [_with_known(case, events, lessons) for case in cases]


def _with_known(
    case: Case, events: dict[int, SessionEvents], lessons: _LessonsThen
) -> Case:
    if not all(_is_read(entry, events) for entry in case.entries):
        return case
    met: list[MetFailure] = []
    for entry in case.entries:
        session = events.get(entry.key, SessionEvents())
        met += lessons.met(entry, session, case.assigned)
    return replace(case, failures=known_failures(met))


def _is_read(entry: Entry, events: dict[int, SessionEvents]) -> bool:
    """Where nothing was called there is nothing to harvest."""
    return entry.key in events or not entry.calls


class _LessonsThen:
    """What lessons there were at a time. Everything is looked up once."""

    def __init__(self, knowledge: Knowledge | None) -> None:
        self._knowledge = knowledge
        self._items: dict[str, KnowledgeItem] = {}
        self._histories: dict[str, list[Change]] = {}

    def met(
        self, entry: Entry, session: SessionEvents, time: float
    ) -> Iterator[MetFailure]:
        """The failures of a session in their order, with what they were known as at `time`. They are read as a line on
        failure reads them: without what is noise in their repository."""
        telling = telling_events([*self._noise(entry.repo), session])
        for event in sorted(telling, key=lambda event: event.line):
            known_as = {event.state} - {""}
            known_as.update(
                item.id
                for item in self._about(entry, event)
                if self._status(item, time) in TELLABLE
            )
            yield MetFailure(event, frozenset(known_as))

    def _noise(self, repo: str) -> list[SessionEvents]:
        return [noise_of(self._knowledge, repo)] if self._knowledge else []

    def _about(self, entry: Entry, event: Event) -> list[KnowledgeItem]:
        if self._knowledge is None:
            return []
        topics = topics_of_event(entry.repo, event)
        by_topic = self._knowledge.all_of_topics(topics)
        by_error = self._knowledge.of_fingerprints({event.fingerprint} - {""})
        ids = {id for ids in (*by_topic.values(), *by_error.values()) for id in ids}
        self._items.update(self._knowledge.find(ids - self._items.keys()))
        items = [self._items[id] for id in sorted(ids) if id in self._items]
        failure = failure_of(event)
        return [item for item in items if _is_about(item, entry, failure)]

    def _status(self, item: KnowledgeItem, time: float) -> str:
        """Empty before the item was there."""
        assert self._knowledge is not None  # there would be no item
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
