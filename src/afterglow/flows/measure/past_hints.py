"""What sessions of the past would have been told right after a call went wrong, by what was known when they started."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping

from afterglow.context.hints import HINTED_KINDS, hint
from afterglow.harvest.events.habits import habits_of
from afterglow.harvest.problem_topics import topics_of_event
from afterglow.harvest.problems import telling_events
from afterglow.harvest.writing.situation import is_met
from afterglow.records.catalog import Entry
from afterglow.records.knowledge import KnowledgeItem
from afterglow.records.problems import Event, SessionEvents
from afterglow.records.replay import ReplayHint
from afterglow.text.tokens import estimate


class PastHints:
    """Hints of each session. What is noise in a repository is learned from sessions that have ended, as all else is."""

    def __init__(self, events: Mapping[int, SessionEvents]) -> None:
        self._events = events
        self._noise: dict[str, SessionEvents] = defaultdict(SessionEvents)
        self._count = estimate

    def learn(self, entry: Entry) -> None:
        """A session has ended: what its good runs print says nothing any more."""
        session = self._events.get(entry.key)
        if session is None:
            return
        earlier = self._noise[entry.repo]
        self._noise[entry.repo] = SessionEvents(
            good=tuple({*earlier.good, *session.good}),
            printing=habits_of([earlier, session]),
        )

    def of(
        self, entry: Entry, items: Iterable[KnowledgeItem]
    ) -> tuple[ReplayHint, ...]:
        session = self._events.get(entry.key)
        if session is None:
            return ()
        of_agent = [item for item in items if item.agent in {"", entry.agent}]
        known_items = _Known(of_agent)
        topics_told: set[str] = set()
        failures: list[ReplayHint] = []
        for event in telling_events([self._noise[entry.repo], session]):
            if event.kind not in HINTED_KINDS:
                continue
            about = list(known_items.about(entry.repo, event))
            answer = hint(event, about, topics_told, self._count)
            if answer is not None:
                topics_told.update(answer.topics)
            told_item = next((i for i in about if answer and i.id == answer.item), None)
            places = dict.fromkeys((event.line, *event.batch))
            failures += [
                ReplayHint(line, event, answer, told_item, _is_known(event, about))
                for line in places
            ]
        return tuple(failures)


def _is_known(event: Event, items: Iterable[KnowledgeItem]) -> bool:
    """Whether a lesson is about this very cause, and not only about its problem."""
    return any(is_met(item.situation, event, item.remedy) for item in items)


class _Known:
    """Items by what they are about."""

    def __init__(self, items: Iterable[KnowledgeItem]) -> None:
        self._by_topic: dict[str, list[KnowledgeItem]] = defaultdict(list)
        for item in items:
            if item.status in {"active", "candidate"}:
                for topic in {*item.topics, *item.fingerprints, item.key} - {""}:
                    self._by_topic[topic].append(item)

    def about(self, repo: str, event: Event) -> Iterator[KnowledgeItem]:
        topics = (*topics_of_event(repo, event), event.fingerprint)
        items = (item for topic in topics for item in self._by_topic.get(topic, ()))
        yield from {item.id: item for item in items}.values()
