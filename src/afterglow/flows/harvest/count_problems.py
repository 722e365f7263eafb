"""Problems counted out of what sessions showed, and made ready to be kept."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Mapping

from msgspec import Struct

from afterglow.config import Config
from afterglow.flows.harvest.index_problems import (
    ProblemIndex,
    count_sessions,
    problem_index,
)
from afterglow.flows.harvest.keep_problems import VERSION, make_problems
from afterglow.flows.harvest.lessons_about import add_lessons, taught_by
from afterglow.flows.harvest.problem_labels import known_by
from afterglow.harvest.writable import worth_asking
from afterglow.records.problems import LISTED_AS, Problem, ProblemKind
from afterglow.records.selection import EVERYTHING, Selection
from afterglow.store.catalog import Catalog
from afterglow.store.problem_rows import ReadyProblem
from afterglow.store.ready_problems import ReadyProblems


class Counted(Struct, frozen=True):
    """Problems without their lessons, however few sessions met them, and what their repositories looked like then."""

    index: ProblemIndex
    states: Mapping[str, bytes]


def count_now(config: Config, repos: Container[str] | None) -> Counted:
    """The problems of these repositories, of all of them for None."""
    with Catalog(config.catalog) as catalog:
        states = ReadyProblems(catalog).repositories(str(VERSION))
    index = count_sessions(config, least=1, repos=repos)
    counted = {repo: state for repo, state in states.items() if repo in index.history}
    return Counted(index, counted)


def problems_to_keep(
    config: Config, repo: str, state: bytes, counted: Counted | None
) -> list[ReadyProblem]:
    """The problems of a repository that looks so now, with the lessons that there are about them."""
    if counted is not None and counted.states.get(repo) == state:
        return _ready(config, counted.index, repo)
    index = count_sessions(config, Selection(repo=repo), 1, repos={repo})
    return _ready(config, index, repo)


def index_of(config: Config, ids: Iterable[str]) -> ProblemIndex:
    """The problems of the repositories that these belong to, with all their events: others need not be read."""
    make_problems(config)
    with Catalog(config.catalog) as catalog:
        ready = ReadyProblems(catalog)
        repos = {each.repo for id in ids for each in ready.named(id)}
    one_repo = Selection(repo=min(repos)) if len(repos) == 1 else EVERYTHING
    return problem_index(config, one_repo, 1, repos=repos)


def _ready(config: Config, index: ProblemIndex, repo: str) -> list[ReadyProblem]:
    """The problems of a repository with the lessons that there are about them now."""
    counted = [each for each in index.problems if each.repo == repo]
    labels = {each.id: known_by(each) for each in counted}
    problems = add_lessons(config, counted, labels)
    recurring = [each for each in problems if each.comes_back]
    writable = {each.id for each in worth_asking(recurring)}
    keys = index.keys.get(repo, {})
    return [
        ReadyProblem(
            problem=each,
            kind=kind_of(each),
            is_writable=each.id in writable,
            known_by=labels[each.id],
            taught=taught_by(each.lessons),
            keys=tuple(key for id in each.sessions for key in keys.get(id, ())),
        )
        for each in problems
    ]


def kind_of(problem: Problem) -> ProblemKind:
    """The kind of most of its events."""
    kinds = Counter(LISTED_AS[event.kind] for event in problem.events)
    return kinds.most_common(1)[0][0]
