"""problems: what keeps happening, by what it costs, whether there is a lesson about it, and one dossier on demand."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from afterglow.config import Config
from afterglow.flows.harvest.keep_problems import (
    look_up_lessons,
    make_problems,
    outdated_repos,
)
from afterglow.flows.harvest.last_answers import is_unanswered, with_answers
from afterglow.flows.harvest.lessons_about import add_lessons
from afterglow.records.catalog import IDLE
from afterglow.records.problems import (
    MIN_SESSIONS,
    LessonFilter,
    Problem,
    ProblemFacets,
    ProblemFilter,
    ProblemKind,
    ProblemList,
)
from afterglow.records.selection import EVERYTHING, Selection
from afterglow.store.answers import Answers
from afterglow.store.catalog import Catalog
from afterglow.store.problem_rows import TAUGHT, UNTAUGHT, WAITING
from afterglow.store.ready_problems import ReadyProblems

PROBLEM_LIMIT = 20  # a screen of them


def problems(
    config: Config,
    selection: Selection = EVERYTHING,
    *,
    limit: int = PROBLEM_LIMIT,
    everything: bool = False,
    lesson: LessonFilter | None = None,
    kind: ProblemKind | None = None,
) -> ProblemList:
    """What the sessions harvested so far keep meeting, the dearest first, with their events; with `everything`, also
    what one met alone. Of some sessions (an agent's, those since a day) problems are counted anew."""
    least = 1 if everything else MIN_SESSIONS
    chosen = ProblemFilter(repo=selection.repo, lesson=lesson, kind=kind, least=least)
    if selection != Selection(repo=selection.repo):
        # Seldom asked for: a list mostly opens without all that counts problems.
        from afterglow.flows.harvest.list_anew import counted_anew

        return counted_anew(config, selection, chosen, limit)
    make_problems(config)
    page = problem_page(config, chosen, limit=limit)
    with Catalog(config.catalog) as catalog:
        whole = ReadyProblems(catalog).with_events(page.problems)
    return replace(page, problems=tuple(whole))


def problem_page(
    config: Config,
    chosen: ProblemFilter,
    *,
    limit: int = PROBLEM_LIMIT,
    offset: int = 0,
    now: float | None = None,
) -> ProblemList:
    """A page of the problems as they are kept ready, without their events; `outdated` repositories have newer sessions,
    or lost some, since theirs were made."""
    when = time.time() if now is None else now
    with Catalog(config.catalog) as catalog:
        ready = ReadyProblems(catalog)
        outdated = len(outdated_repos(catalog))
        look_up_lessons(config, catalog)
        listed = ready.listed(chosen, limit=limit, offset=offset)
        labels = ready.known_by([each.id for each in listed])
        counts = ready.count(chosen)
        writable = ready.writable(chosen)
        unread = ready.unread(chosen.repo, when - IDLE)
    return ProblemList(
        problems=tuple(with_answers(config, add_lessons(config, listed, labels))),
        total=sum(counts.values()),
        without_lesson=sum(
            number for taught, number in counts.items() if taught < TAUGHT
        ),
        waiting=len(_unanswered(config, writable)),
        unread=unread,
        outdated=outdated,
    )


def _unanswered(
    config: Config, writable: Mapping[str, tuple[int, Sequence[str]]]
) -> list[str]:
    """The ids of those that nobody has answered, or that have grown since."""
    answers = Answers(config.answers)
    answered = answers.problems()
    return [
        id
        for id, (sessions, names) in writable.items()
        if is_unanswered(names, sessions, answers, answered)
    ]


def open_problems(
    config: Config, *, repo: str | None = None, limit: int
) -> tuple[list[Problem], int]:
    """The dearest problems that wait for a writer, whole, and how many wait."""
    make_problems(config)
    with Catalog(config.catalog) as catalog:
        ready = ReadyProblems(catalog)
        waiting = _unanswered(config, ready.writable(ProblemFilter(repo=repo)))
        chosen = ready.with_events(ready.of_ids(waiting[:limit]))
        labels = ready.known_by(waiting[:limit])
    return add_lessons(config, chosen, labels), len(waiting)


def problem_facets(config: Config, chosen: ProblemFilter) -> ProblemFacets:
    """How many problems each choice of a filter would leave, the other choices being as they are."""
    with Catalog(config.catalog) as catalog:
        ready = ReadyProblems(catalog)
        counts = ready.count(replace(chosen, lesson=None))
        return ProblemFacets(
            repos=ready.by_repository(replace(chosen, repo=None)),
            kinds=ready.by_kind(replace(chosen, kind=None)),
            lessons={
                "with": sum(n for taught, n in counts.items() if taught >= TAUGHT),
                "waiting": counts.get(WAITING, 0),
                "without": counts.get(UNTAUGHT, 0) + counts.get(WAITING, 0),
            },
        )


def problems_of_session(config: Config, session: str) -> Sequence[Problem]:
    """The problems that a session and others met, as they are kept ready: the dearest first, without their events."""
    with Catalog(config.catalog) as catalog:
        met = ReadyProblems(catalog).of_session(session)
    return [each for each in met if each.comes_back]
