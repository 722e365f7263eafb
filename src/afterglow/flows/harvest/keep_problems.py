"""Problems are kept ready in the catalogue: made when a repository's sessions look otherwise than last time.

A harvest does it at its end, so a list opens at once however many sessions there are. Whether there is a lesson about a
problem is noted with it, and looked up again for what changed in the knowledge since.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Container, Iterable, Mapping

from msgspec import Struct

from afterglow.config import Config
from afterglow.flows.harvest.index_problems import (
    ProblemIndex,
    count_sessions,
    problem_index,
)
from afterglow.flows.harvest.lessons_about import (
    add_lessons,
    known_by,
    lessons_about,
    taught_by,
)
from afterglow.harvest.problem_topics import TOPIC
from afterglow.harvest.problems import MIN_SESSIONS
from afterglow.harvest.writable import worth_asking
from afterglow.records.knowledge import KnowledgeItem
from afterglow.records.problems import LISTED_AS, Problem, ProblemKind
from afterglow.records.selection import EVERYTHING, Selection
from afterglow.store.catalog import Catalog
from afterglow.store.knowledge import Knowledge
from afterglow.store.problem_rows import BY_RULES, FINGERPRINT, NAME, ReadyProblem
from afterglow.store.ready_problems import ReadyProblems

VERSION = 3  # raised when the same events would make other problems, or other words
# Facts of the catalogue. The first goes with every write, so as long as it is there nothing has changed.
CURRENT = "summary of problems"
LOOKED_UP = "knowledge that problems were held against"
ALL_ITEMS = -1  # a change before every other


def outdated_repos(catalog: Catalog) -> set[str]:
    """Repositories whose sessions look otherwise than when their problems were made; also those that have none now."""
    if catalog.fact(CURRENT) == str(VERSION):
        return set()
    ready = ReadyProblems(catalog)
    present, earlier = ready.repositories(str(VERSION)), ready.made_from()
    outdated = {
        repo for repo in {*present, *earlier} if present.get(repo) != earlier.get(repo)
    }
    if not outdated:
        _note(catalog, CURRENT, str(VERSION))
    return outdated


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


def make_problems(config: Config, counted: Counted | None = None) -> None:
    """Makes what is outdated anew, out of what was just `counted` where that is still so."""
    with Catalog(config.catalog) as catalog:
        look_up_lessons(config, catalog)
        outdated = outdated_repos(catalog)
        ready = ReadyProblems(catalog)
        states = ready.repositories(str(VERSION)) if outdated else {}
        ready.drop(outdated - set(states))
        for repo in sorted(outdated & set(states)):
            if counted is not None and counted.states.get(repo) == states[repo]:
                index = counted.index
            else:
                index = count_sessions(config, Selection(repo=repo), 1, repos={repo})
            ready.save(repo, states[repo], _ready(config, index, repo))


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
    recurring = [each for each in problems if len(each.sessions) >= MIN_SESSIONS]
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


def look_up_lessons(config: Config, catalog: Catalog) -> None:
    """Notes which problems have a lesson now, as far as the knowledge has changed since that was last done."""
    if not config.knowledge.exists():
        return
    ready = ReadyProblems(catalog)
    with Knowledge(config.knowledge) as knowledge:
        identity, change = knowledge.identity, knowledge.fact("change")
        store, _, last = catalog.fact(LOOKED_UP).partition(" ")
        if (store, last) == (identity, change):
            return
        is_same_store = store == identity and last.isdecimal()
        after = int(last) if is_same_store else ALL_ITEMS
        before = ready.taught()
        changed = knowledge.items(changed_after=after)
        concerned = {*before, *ready.labelled(_labels(changed))}
        about = lessons_about(knowledge, ready.known_by(concerned))
    after_now = {id: taught_by(items) for id, items in about.items()}
    _save(ready, before, after_now)
    _note(catalog, LOOKED_UP, f"{identity} {change}")


def _labels(items: Collection[KnowledgeItem]) -> dict[str, set[str]]:
    """By what items may be about a problem."""
    topics = {topic for item in items for topic in item.topics}
    names = {topic.removeprefix(TOPIC) for topic in topics if topic.startswith(TOPIC)}
    prints = {text for item in items for text in item.fingerprints}
    return {NAME: names, FINGERPRINT: prints}


def _save(
    ready: ReadyProblems, before: Mapping[str, int], now: Mapping[str, int]
) -> None:
    changed = {id: state for id, state in now.items() if state != before.get(id, 0)}
    of_rules = [
        id for id, state in changed.items() if BY_RULES in (state, before.get(id, 0))
    ]
    if changed:
        ready.note_lessons(changed, made_anew=of_rules)


def _note(catalog: Catalog, name: str, value: str) -> None:
    """Without a transaction of the catalogue's own, which would say that sessions changed."""
    catalog.rows("INSERT OR REPLACE INTO facts VALUES (?, ?)", (name, value))
