"""transfer: do lessons carry over to other repositories, people and agents."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence

from msgspec.structs import replace

from afterglow.config import Config
from afterglow.context import BUDGET, choose
from afterglow.flows.harvest import Progress
from afterglow.flows.research.walk import Moment, Walk, head_of, walked
from afterglow.measure.research import transfer
from afterglow.measure.research.transfer import (
    EVERYWHERE,
    OTHER_AGENT,
    OTHER_PERSON,
    OWN,
    Borrowed,
    language_of,
    relation,
)
from afterglow.measure.research.words import HINDSIGHT, WRONG_REMEDIES, few_repositories
from afterglow.records.knowledge import Evidence, KnowledgeItem, may_be_told
from afterglow.records.research import ResearchAnswer
from afterglow.records.selection import Selection
from afterglow.text.tokens import estimate

NO_FAILURES = "without a failure"

Items = Sequence[KnowledgeItem]


def answer(
    config: Config, selection: Selection, *, jobs: int, progress: Progress
) -> ResearchAnswer:
    walk = walked(config, selection, templates=False, jobs=jobs, progress=progress)
    languages = _languages(walk)
    abroad = {
        repo: [item for item in items.values() if may_be_told(item)]
        for repo, items in walk.shelf.places.items()
        if repo
    }
    moments = [moment for moment in walk.moments if moment.session.failures]
    borrowed: list[Borrowed] = []
    for moment in moments:
        borrowed += _at_home(moment, walk)
        borrowed += _from_elsewhere(moment, abroad, languages, walk)
    sentence, enough = transfer.answer(borrowed)
    lessons = {repo: len(items) for repo, items in abroad.items()}
    tables = transfer.tables(borrowed, lessons, languages) if borrowed else []
    calm = len(walk.moments) - len(moments)
    head = head_of(walk, moments, {NO_FAILURES: calm})
    return ResearchAnswer(
        question="transfer",
        title="",
        answer=sentence,
        enough=enough,
        findings=tuple(transfer.findings(borrowed)) if borrowed else (),
        tables=tuple(tables),
        figures=(transfer.figure(borrowed),) if borrowed else (),
        limits=(*transfer.LIMITS, WRONG_REMEDIES, few_repositories(head["repos"])),
        method=(*transfer.METHOD, HINDSIGHT),
        troubles=walk.troubles,
        **head,
    )


def _languages(walk: Walk) -> dict[str, str]:
    """Of each repository, by the files its sessions worked on."""
    files: dict[str, list[str]] = defaultdict(list)
    for entry in walk.history.entries:
        if entry.key in walk.materials:
            files[entry.repo] += walk.materials[entry.key].files
    return {repo: language_of(names) for repo, names in files.items()}


def _at_home(moment: Moment, walk: Walk) -> Iterator[Borrowed]:
    """From what was known in its repository and everywhere when the session began."""
    repo = moment.entry.repo
    of_repo = [item for item in moment.items if item.repo]
    yield _borrowed(moment, OWN, repo, of_repo, moment.met["failures"])
    everywhere = [item for item in moment.items if not item.repo]
    yield _borrowed(moment, EVERYWHERE, "", everywhere)
    if _has_several(walk, repo, lambda key: walk.materials[key].author):
        strangers = _apart_from(of_repo, lambda source: source.author, moment.author)
        yield _borrowed(moment, OTHER_PERSON, repo, strangers)
    agents = {entry.agent for entry in walk.history.entries if entry.repo == repo}
    if len(agents) > 1:
        agent = moment.entry.agent
        foreign = _apart_from(of_repo, lambda source: source.agent, agent)
        yield _borrowed(moment, OTHER_AGENT, repo, foreign)


def _has_several(walk: Walk, repo: str, of: Callable[[int], str]) -> bool:
    entries = [entry for entry in walk.history.entries if entry.repo == repo]
    names = {of(entry.key) for entry in entries if entry.key in walk.materials}
    return len(names - {""}) > 1


def _apart_from(
    items: Items, of: Callable[[Evidence], str], name: str
) -> list[KnowledgeItem]:
    """Items that rest on no session of that name."""
    return [
        item for item in items if all(of(source) != name for source in item.evidence)
    ]


def _from_elsewhere(
    moment: Moment,
    abroad: Mapping[str, Items],
    languages: dict[str, str],
    walk: Walk,
) -> Iterator[Borrowed]:
    repo = moment.entry.repo
    errors = {mishap.fingerprint for mishap in moment.session.failures}
    for place, items in abroad.items():
        if place != repo and items:
            source = relation(place, repo, languages)
            met = len(errors & walk.met[place].failures) if place in walk.met else 0
            yield _borrowed(moment, source, place, items, met)


def _borrowed(
    moment: Moment, source: str, place: str, items: Items, met: int | None = None
) -> Borrowed:
    need = replace(moment.need, repo=place)
    context = choose(items, need, count=estimate, budget=BUDGET)
    in_context = {choice.item for choice in context.shown}
    errors = {mishap.fingerprint for mishap in moment.session.failures}
    in_view: set[str] = set()
    at_all: set[str] = set()
    for item in items:
        if item.remedy:
            errors_told = errors.intersection(item.fingerprints)
            at_all |= errors_told
            if item.id in in_context:
                in_view |= errors_told
    return Borrowed(
        session=moment.entry.id,
        repo=moment.entry.repo,
        source=source,
        place=place,
        lessons=len(items),
        failures=len(errors),
        in_view=len(in_view),
        known_at_all=len(at_all),
        met=met,
    )
