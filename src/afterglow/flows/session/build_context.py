"""bootstrap: the short context a new session should start with, from what is known now."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Collection
from contextlib import suppress
from pathlib import Path

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from afterglow import context as stage
from afterglow.config import Config
from afterglow.context.checks import DOUBT, fails
from afterglow.context.worth import words
from afterglow.errors import StoreError
from afterglow.flows.instruction_files import files_read
from afterglow.flows.told_knowledge import told_knowledge
from afterglow.harvest.writing.brought import MIN_WORDS, is_said_in, paragraphs
from afterglow.harvest.writing.failure_names import telling_words
from afterglow.records.context import Context, Need
from afterglow.records.knowledge import KnowledgeItem
from afterglow.sessions.checkouts import (
    claimed_name,
    is_below,
    main_checkout,
    may_be_own,
    name_apart,
)
from afterglow.sessions.repos import Place, name_repos
from afterglow.store.knowledge import SESSIONS, Knowledge
from afterglow.store.known_checkouts import known_checkouts
from afterglow.store.trusted_folders import trusted_folders
from afterglow.text.tokens import estimate

MAX_ITEMS_OF_A_PLACE = 150  # the strongest are weighed: ten times what a context holds
MAX_ITEMS_OF_A_TASK = 30  # found by its words, beside those
MAX_TASK_WORDS = 8  # searched for, the longest first: they tell most
MAX_TASK_CHARACTERS = 2000  # looked at: a pasted log says little after that


def bootstrap(
    config: Config,
    *,
    cwd: Path,
    repo: str | None = None,
    agent: str = "",
    task: str = "",
    task_type: str = "",
    budget: int = stage.BUDGET,
    min_confidence: float = stage.CONFIDENCE,
    now: float | None = None,
    without: Collection[str] = (),
    keep_doubts: bool = True,
) -> tuple[Context, Need, list[KnowledgeItem]]:
    """The context, what it was chosen for, and the items in it. `repo` is that of `cwd` unless said; what only holds in
    a checkout is looked at there. Items that do not hold any more are doubted from now on, unless nothing is
    to change (`keep_doubts`). What only the sessions `without` taught is left out."""
    ask = ContextAsk(
        cwd=cwd,
        repo=repo,
        root=root_of(cwd) if repo is None else None,
        agent=agent,
        task=task,
        task_type=task_type,
        budget=budget,
        min_confidence=min_confidence,
        now=time.time() if now is None else now,
        without=frozenset(without),
        id=f"ag-{os.urandom(5).hex()}",
    )
    if not config.knowledge.exists():
        return *nothing_known(config, ask), []
    with told_knowledge(config, is_hurried=True) as knowledge:
        choice = chosen_context(config, knowledge, ask)
    if keep_doubts and choice.doubted:
        with Knowledge(config.knowledge) as knowledge:
            _doubt(knowledge, choice.doubted, ask.now)
    context = choice.context
    return context, choice.need, [choice.items[line.item] for line in context.shown]


class ContextAsk(Struct, frozen=True, kw_only=True):
    """What a context is asked for. `repo` is that of `cwd` unless said; `root` is the checkout in which items are looked
    at before they are told, if there is one."""

    cwd: Path
    now: float
    id: str
    repo: str | None = None
    root: Path | None = None
    agent: str = ""
    task: str = ""
    task_type: str = ""
    budget: int = stage.BUDGET
    min_confidence: float = stage.CONFIDENCE
    without: frozenset[str] = frozenset()


class ContextChoice(Struct, frozen=True):
    """A context, what it was chosen for and out of what, and why items of it do not hold in the checkout."""

    context: Context
    need: Need
    items: dict[str, KnowledgeItem]
    doubted: dict[str, str]


def nothing_known(config: Config, ask: ContextAsk) -> tuple[Context, Need]:
    """The empty context of a home without knowledge; nothing is made."""
    repo = repo_of(ask.cwd, config) if ask.repo is None else ask.repo
    need = _need(ask, repo, sessions=0)
    context = stage.choose((), need, count=estimate, budget=ask.budget, id=ask.id)
    return context, need


def chosen_context(
    config: Config, knowledge: Knowledge, ask: ContextAsk
) -> ContextChoice:
    """Changes nothing: what is doubted is noted by whoever gives the context out."""
    repo = repo_of(ask.cwd, config) if ask.repo is None else ask.repo
    sessions = _sessions(knowledge)
    repo = _known(sessions, repo)
    need = _need(ask, repo, sessions.get(repo, 0))
    items = candidates(knowledge, need, ask.min_confidence)
    if ask.without:
        items = _not_only_from(ask.without, knowledge, items)
    doubted: dict[str, str] = {}
    context = stage.choose(
        items.values(),
        need,
        count=estimate,
        budget=ask.budget,
        min_confidence=ask.min_confidence,
        check=_check(ask.root, doubted) if ask.root else lambda item: "",
        said_by=_said_by(config, ask),
        id=ask.id,
    )
    if not items and knowledge.items(limit=1):
        context = replace(context, reason=_why_nothing(repo, ask.min_confidence))
    return ContextChoice(context, need, items, doubted)


def _need(ask: ContextAsk, repo: str, sessions: int) -> Need:
    return Need(
        now=ask.now,
        repo=repo,
        agent=ask.agent,
        task=ask.task,
        task_type=ask.task_type,
        sessions=sessions,
    )


def _why_nothing(repo: str, min_confidence: float) -> str:
    if claimed := claimed_name(repo):
        return (
            f"nobody has confirmed that this folder is {claimed}: "
            "`afterglow repo trust .` would"
        )
    place = f"for {repo}" if repo else "for this place"
    return f"nothing is known {place} that is surer than {min_confidence:.0%}"


def candidates(
    knowledge: Knowledge, need: Need, min_confidence: float
) -> dict[str, KnowledgeItem]:
    """The strongest items of the place, of everywhere, and those that speak of the task. Few of very many."""
    items: dict[str, KnowledgeItem] = {}
    for place in dict.fromkeys((need.repo, "")):
        for item in knowledge.items(
            status=("active",),
            repo=place,
            min_confidence=min_confidence,
            limit=MAX_ITEMS_OF_A_PLACE,
        ):
            items[item.id] = item
    by_length = sorted(
        words([need.task[:MAX_TASK_CHARACTERS]]), key=lambda word: (-len(word), word)
    )
    query = " ".join(by_length[:MAX_TASK_WORDS])
    if query:
        hits = knowledge.search(query, repo=need.repo, limit=MAX_ITEMS_OF_A_TASK)
        for hit in hits:
            items.setdefault(hit.item.id, hit.item)
    return items


def _not_only_from(
    sessions: Collection[str], knowledge: Knowledge, items: dict[str, KnowledgeItem]
) -> dict[str, KnowledgeItem]:
    """What also other sessions taught, or nobody says which."""
    whole = knowledge.find(items)
    return {
        id: items[id] for id, item in whole.items() if not is_only_from(sessions, item)
    }


def is_only_from(sessions: Collection[str], item: KnowledgeItem) -> bool:
    """Whether these sessions and no others taught an item, as far as its evidence says."""
    sources = {evidence.session for evidence in item.evidence}
    return bool(sources) and sources <= set(sessions)


def repo_of(cwd: Path, config: Config) -> str:
    """The repository a folder belongs to, named as scan would name it. A folder that nobody has worked in yet and that
    claims the name of a known one has a name of its own."""
    root = root_of(cwd)
    place = Place(git_root=str(root), cwd=str(cwd))
    repo = name_repos([place], config.aliases)[place]
    if repo.by == "alias" or not repo.name:
        return repo.name
    return _believed(repo.name, root, config)


def _believed(claimed: str, root: Path, config: Config) -> str:
    checkouts = known_checkouts(config.catalog)
    name = _known({repo for _, repo, _ in checkouts}, claimed)
    folders = [
        folder
        for folder, repo, _ in checkouts
        if repo == name and may_be_own(folder, config.user_home)
    ]
    roots = [str(root), main_checkout(root)]
    is_used = any(
        is_below(folder, [root for root in roots if root]) for folder in folders
    )
    if not folders or is_used or is_below(str(root), trusted_folders(config.home)):
        return name
    return name_apart(name, str(root))


def root_of(cwd: Path) -> Path:
    """The checkout a folder lies in, or the folder itself."""
    return next(
        (folder for folder in (cwd, *cwd.parents) if (folder / ".git").exists()), cwd
    )


def known_repo(knowledge: Knowledge, repo: str) -> str:
    """The name under which what is known of a repository is kept."""
    return _known(_sessions(knowledge), repo)


def _known(names: Collection[str], repo: str) -> str:
    """`harbor` also means `owner/harbor`, if that is the only one of that name; and the other way round."""
    if not repo or repo in names:
        return repo
    tail = repo.rsplit("/", 1)[-1]
    alike = [name for name in names if name.rsplit("/", 1)[-1] == tail]
    return alike[0] if len(alike) == 1 else repo


def _sessions(knowledge: Knowledge) -> dict[str, int]:
    noted = knowledge.fact(SESSIONS)
    return msgspec.json.decode(noted, type=dict[str, int]) if noted else {}


def _check(root: Path, doubted: dict[str, str]) -> Callable[[KnowledgeItem], str]:
    def check(item: KnowledgeItem) -> str:
        failure = fails(item, root)
        if failure:
            doubted[item.id] = failure
        return failure

    return check


def _said_by(config: Config, ask: ContextAsk) -> Callable[[KnowledgeItem], str]:
    """The instruction file that tells the agent the same before the session begins."""
    if ask.root is None:
        return lambda item: ""
    texts = files_read(ask.agent, ask.root, ask.cwd, config.user_home)
    files = {name: tuple(paragraphs(text)) for name, text in texts.items()}

    def said_by(item: KnowledgeItem) -> str:
        is_short = len(telling_words(item.remedy)) < MIN_WORDS
        lesson = item.fact if is_short else item.remedy
        names = (name for name, text in files.items() if is_said_in(lesson, text))
        return next(names, "")

    return said_by


def _doubt(
    knowledge: Knowledge,
    doubted: dict[str, str],
    now: float,
) -> None:
    """A failed check is kept: the item counts less, and its history says why. Once: a folder that lacks a file lacks it
    at the start of every session there, and that is no further doubt. A session is about to start, so nobody waits for
    another writer: the next start finds the same. What only the team knows is looked at anew each time."""
    items = knowledge.find(doubted)
    less = [
        replace(
            items[id],
            confidence=round(items[id].confidence * DOUBT, 2),
            reason=f"check: {why}",
        )
        for id, why in doubted.items()
        if id in items and not items[id].decided and items[id].reason != f"check: {why}"
    ]
    if less:
        knowledge.hurry()
        with suppress(StoreError):
            knowledge.save(less, by="check", now=now)
