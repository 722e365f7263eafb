"""Problems are kept ready in the catalogue: made when a repository's sessions look otherwise than last time.

A harvest does it at its end, so a list opens at once however many sessions there are. Whether there is a lesson about a
problem is noted with it, and looked up again for what changed in the knowledge since.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

from afterglow.config import Config
from afterglow.flows.harvest.lessons_about import lessons_about, taught_by
from afterglow.records.knowledge import KnowledgeItem
from afterglow.records.problems import TOPIC
from afterglow.store.catalog import Catalog
from afterglow.store.knowledge import Knowledge
from afterglow.store.problem_rows import BY_RULES, FINGERPRINT, NAME
from afterglow.store.ready_problems import ReadyProblems

if TYPE_CHECKING:
    from afterglow.flows.harvest.count_problems import Counted

VERSION = 6  # raised when the same events would make other problems, or other words
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


def make_problems(config: Config, counted: Counted | None = None) -> None:
    """Makes what is outdated anew, out of what was just `counted` where that is still so."""
    with Catalog(config.catalog) as catalog:
        look_up_lessons(config, catalog)
        outdated = outdated_repos(catalog)
        if outdated:
            _make(config, ReadyProblems(catalog), outdated, counted)


def _make(
    config: Config,
    ready: ReadyProblems,
    outdated: Collection[str],
    counted: Counted | None,
) -> None:
    # Mostly nothing is outdated: a list opens without all that counts problems.
    from afterglow.flows.harvest.count_problems import problems_to_keep

    states = ready.repositories(str(VERSION))
    ready.drop(set(outdated) - set(states))
    for repo in sorted(set(outdated) & set(states)):
        problems = problems_to_keep(config, repo, states[repo], counted)
        ready.save(repo, states[repo], problems)


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
