"""problems: what keeps happening, by what it costs, whether there is a lesson about it, and one dossier on demand."""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from afterglow.config import Config
from afterglow.errors import NotFound, UsageError
from afterglow.flows.harvest.last_answers import is_open, with_answers
from afterglow.harvest.dossiers import MAX_TOKENS, dossier
from afterglow.harvest.events.keys import makes
from afterglow.harvest.failure_kinds import is_mute
from afterglow.harvest.problem_topics import topics_of
from afterglow.harvest.problems import MIN_SESSIONS, problems_of
from afterglow.harvest.writable import worth_asking
from afterglow.records.catalog import Entry, state
from afterglow.records.knowledge import KnowledgeItem, waits_for_approval
from afterglow.records.problems import (
    Event,
    KnownLesson,
    Problem,
    ProblemList,
    ProblemReport,
    SessionEvents,
)
from afterglow.records.selection import EVERYTHING, Selection
from afterglow.store.answers import Answers
from afterglow.store.catalog import Catalog
from afterglow.store.events import events_of
from afterglow.store.knowledge import Knowledge
from afterglow.store.ledger import Ledger
from afterglow.text.fingerprint import reduced
from afterglow.text.tokens import within

PROBLEM_LIMIT = 20  # a screen of them
AWAITING_APPROVAL = "a lesson that waits for a person's approval"
MAX_LESSONS = (
    5  # that are named with a problem; more of them speak about something wider
)


def problems(
    config: Config,
    selection: Selection = EVERYTHING,
    *,
    limit: int = PROBLEM_LIMIT,
    everything: bool = False,
) -> ProblemList:
    """What the sessions harvested so far keep meeting, the dearest first; with `everything`, also what one met alone."""
    least = 1 if everything else MIN_SESSIONS
    index = problem_index(config, selection, least)
    listed = index.problems
    taught = sum(map(has_lesson, listed))
    recurring = [each for each in listed if _comes_back(each)]
    answers = Answers(config.answers)
    return ProblemList(
        problems=tuple(with_answers(config, listed[:limit])),
        total=len(listed),
        without_lesson=len(listed) - taught,
        waiting=sum(is_open(each, answers) for each in worth_asking(recurring)),
        unread=index.unread,
    )


def problem(config: Config, id: str) -> ProblemReport:
    """One problem by its id, or by one that it had before it grew together with another; either may be shortened."""
    chosen = matched(problem_index(config, EVERYTHING, 1), id)
    (answered,) = with_answers(config, [chosen])
    waits = _comes_back(chosen) and is_open(chosen, Answers(config.answers))
    return ProblemReport(answered, dossier(chosen, within(MAX_TOKENS)), waits)


def _comes_back(item: Problem) -> bool:
    return len(item.sessions) >= MIN_SESSIONS


def matched(index: ProblemIndex, id: str) -> Problem:
    """The problem that an id, or the beginning of one, means."""
    matches = index.of(id)
    if not matches or not id:
        raise NotFound(f"no problem {id!r}; `afterglow problems --all` lists them")
    if len(matches) > 1:
        names = ", ".join(item.id for item in matches[:5])
        raise UsageError(f"{id!r} fits {names}; give more of the id")
    return matches[0]


class ProblemIndex(Struct, frozen=True):
    """The problems of every repository selected, the dearest first, with what all sessions of each repository showed;
    and how many sessions were not harvested yet."""

    problems: tuple[Problem, ...] = ()
    history: dict[str, tuple[SessionEvents, ...]] = {}
    unread: int = 0

    def of(self, id: str) -> list[Problem]:
        """Those that are called so, or were before they grew together with others; else those whose names begin so."""
        exact = [item for item in self.problems if id in item.names]
        return exact or [
            item
            for item in self.problems
            if id and any(name.startswith(id) for name in item.names)
        ]


def problem_index(
    config: Config,
    selection: Selection = EVERYTHING,
    least: int = MIN_SESSIONS,
    repos: Container[str] | None = None,
) -> ProblemIndex:
    """Of the sessions selected; where `repos` are named, of those alone."""
    by_repo: dict[str, list[SessionEvents]] = defaultdict(list)
    with Catalog(config.catalog) as catalog:
        entries = {entry.key: entry for entry in catalog.entries(selection)}
        main = {
            key: entry
            for key, entry in entries.items()
            if entry.origin == "main" and (repos is None or entry.repo in repos)
        }
        mined = dict(events_of(catalog, main))
    for key, events in mined.items():
        by_repo[main[key].repo].append(events)
    listed = [
        item
        for repo, sessions in sorted(by_repo.items())
        for item in _problems_of(repo, sessions, least)
    ]
    listed.sort(key=lambda item: (-item.cost, -len(item.sessions), item.id))
    return ProblemIndex(
        tuple(_with_lessons(config, listed)),
        {repo: tuple(sessions) for repo, sessions in by_repo.items()},
        len(_unread(main.values(), mined)),
    )


def _problems_of(
    repo: str, sessions: Sequence[SessionEvents], least: int
) -> list[Problem]:
    """The problems of a repository. What comes back is the same, whether or not what one session met is listed too."""
    recurring = problems_of(repo, sessions)
    if least >= MIN_SESSIONS:
        return recurring
    names = {name for item in recurring for name in item.names}
    every = problems_of(repo, sessions, least=least)
    return [*recurring, *(item for item in every if names.isdisjoint(item.names))]


def _unread(entries: Iterable[Entry], mined: dict[int, SessionEvents]) -> list[Entry]:
    now = time.time()
    return [
        entry
        for entry in entries
        if entry.key not in mined and state(entry, now) != "active"
    ]


def has_lesson(item: Problem) -> bool:
    return any(lesson.status == "active" for lesson in item.lessons)


def _with_lessons(config: Config, listed: Sequence[Problem]) -> list[Problem]:
    """The problems with the items that speak about them, and how often sessions were given those."""
    if not listed or not config.knowledge.exists():
        return list(listed)
    with Knowledge(config.knowledge) as knowledge:
        items = knowledge.items(status=("active", "candidate"))
    deliveries = _deliveries(config)
    by_repo: dict[str, list[KnowledgeItem]] = defaultdict(list)
    for item in items:
        by_repo[item.repo].append(item)
    return [
        replace(
            each,
            lessons=tuple(
                _known_lesson(item, deliveries[item.id])
                for item in _about(each, [*by_repo[each.repo], *by_repo[""]])
            ),
        )
        for each in listed
    ]


def _known_lesson(item: KnowledgeItem, deliveries: int) -> KnownLesson:
    """The words of what waits for a person's approval are for that person, and for no writer."""
    fact = AWAITING_APPROVAL if waits_for_approval(item) else item.fact
    return KnownLesson(item.id, fact, item.status, deliveries, item.miner)


def _deliveries(config: Config) -> Counter[str]:
    if not config.ledger.exists():
        return Counter()
    with Ledger(config.ledger) as ledger:
        deliveries = ledger.deliveries()
    told_once = (each for each in deliveries if each.when != "compaction")
    return Counter(item.item for delivery in told_once for item in delivery.items)


def _about(each: Problem, items: Sequence[KnowledgeItem]) -> list[KnowledgeItem]:
    """The items that were written about a problem, and those that know its own lines by their fingerprints."""
    kind, _, name = each.key.partition(" ")
    rule = name if kind == "rule" else ""
    prints = {text for event in each.events for text in _prints(each.key, event)}
    topics = set(topics_of(each))
    written = [item for item in items if topics.intersection(item.topics)]
    about = [
        item
        for item in items
        if rule in item.fact and prints.intersection(item.fingerprints)
    ]
    about.sort(key=lambda item: item.status != "active")
    return list(dict.fromkeys([*written, *about]))[:MAX_LESSONS]


def _prints(key: str, event: Event) -> set[str]:
    """The fingerprints of the lines by which an event is part of a problem; of its error where no line says it."""
    of_lines = {reduced(line.text) for line in event.lines if makes(key, line)}
    has_line = bool(of_lines) and not key.startswith("rule ")
    prints = of_lines if has_line else {event.fingerprint}
    return {text for text in prints if text and not is_mute(text)}
