"""What the sessions harvested so far add up to: the problems of each repository, with every event."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Container, Iterable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from afterglow.config import Config
from afterglow.errors import NotFound, UsageError
from afterglow.flows.harvest.problem_labels import with_lessons
from afterglow.harvest.problems import count_problems
from afterglow.records.catalog import Entry, state
from afterglow.records.problems import MIN_SESSIONS, Problem, SessionEvents
from afterglow.records.selection import EVERYTHING, Selection
from afterglow.store.catalog import Catalog
from afterglow.store.events import events_of


def matched(index: ProblemIndex, id: str) -> Problem:
    """The problem that an id, or the beginning of one, means."""
    return the_only(index.of(id), id)


def the_only(matches: Sequence[Problem], id: str) -> Problem:
    if not matches or not id:
        raise NotFound(f"no problem {id!r}; `afterglow problems --all` lists them")
    if len(matches) > 1:
        names = ", ".join(item.id for item in matches[:5])
        raise UsageError(f"{id!r} fits {names}; give more of the id")
    return matches[0]


class ProblemIndex(Struct, frozen=True):
    """The problems of every repository selected, the dearest first, with what all sessions of each repository showed;
    how many sessions were not harvested yet, and under which keys the sessions of each repository stand in the
    catalogue. `rare` are the ids of problems that do not come back: few sessions met them."""

    problems: tuple[Problem, ...] = ()
    history: dict[str, tuple[SessionEvents, ...]] = {}
    unread: int = 0
    keys: dict[str, dict[str, tuple[int, ...]]] = {}
    rare: frozenset[str] = frozenset()

    def recurring(self) -> ProblemIndex:
        """Without those that few sessions met."""
        recurring = (each for each in self.problems if each.id not in self.rare)
        return replace(self, problems=tuple(recurring), rare=frozenset())

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
    return with_their_lessons(config, count_sessions(config, selection, least, repos))


def with_their_lessons(config: Config, index: ProblemIndex) -> ProblemIndex:
    """Each problem with the lessons that there are about it now."""
    return replace(index, problems=tuple(with_lessons(config, index.problems)))


def count_sessions(
    config: Config,
    selection: Selection = EVERYTHING,
    least: int = MIN_SESSIONS,
    repos: Container[str] | None = None,
) -> ProblemIndex:
    """The same without a look at lessons."""
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
    counted = [
        count_problems(repo, sessions, least=least)
        for repo, sessions in sorted(by_repo.items())
    ]
    listed = [item for each in counted for item in (*each.recurring, *each.further)]
    listed.sort(key=lambda item: (-item.cost, -len(item.sessions), item.id))
    return ProblemIndex(
        tuple(listed),
        {repo: tuple(sessions) for repo, sessions in by_repo.items()},
        len(_unread(main.values(), mined)),
        _keys(main.values()),
        frozenset(item.id for each in counted for item in each.further),
    )


def _keys(entries: Iterable[Entry]) -> dict[str, dict[str, tuple[int, ...]]]:
    keys: dict[str, dict[str, tuple[int, ...]]] = defaultdict(dict)
    for entry in entries:
        of_repo = keys[entry.repo]
        of_repo[entry.id] = (*of_repo.get(entry.id, ()), entry.key)
    return dict(keys)


def _unread(entries: Iterable[Entry], mined: dict[int, SessionEvents]) -> list[Entry]:
    now = time.time()
    return [
        entry
        for entry in entries
        if entry.key not in mined and state(entry, now) != "active"
    ]


def has_lesson(item: Problem) -> bool:
    return any(lesson.status == "active" for lesson in item.lessons)
