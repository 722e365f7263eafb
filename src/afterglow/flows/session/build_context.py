"""bootstrap: the short context a new session should start with, from what is known now."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Collection
from contextlib import suppress
from pathlib import Path

import msgspec
from msgspec.structs import replace

from afterglow import context as stage
from afterglow.config import Config
from afterglow.context.checks import DOUBT, fails
from afterglow.context.worth import words
from afterglow.errors import StoreError
from afterglow.records.context import Context, Need
from afterglow.records.knowledge import KnowledgeItem
from afterglow.sessions.repos import Place, name_repos
from afterglow.store.knowledge import SESSIONS, Knowledge
from afterglow.text.tokens import within

STRONGEST = 150  # items of a place that are weighed
SPOKEN = 30  # and items that are about the task's words
ASKED = 8  # words of the task that are searched for


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
) -> tuple[Context, Need, list[KnowledgeItem]]:
    """The context, what it was chosen for, and the items in it. `repo` is that of `cwd` unless said; what only holds in
    a checkout is looked at there. Items that do not hold any more are doubted from now on. What only the sessions
    `without` taught is left out."""
    now = time.time() if now is None else now
    here = repo is None
    repo = repo_of(cwd, config) if repo is None else repo
    id = f"ag-{os.urandom(5).hex()}"
    if not config.knowledge.exists():
        need = Need(now=now, repo=repo, agent=agent, task=task, task_type=task_type)
        return (
            stage.choose((), need, count=within(budget), budget=budget, id=id),
            need,
            [],
        )
    with Knowledge(config.knowledge) as knowledge:
        sessions = _sessions(knowledge)
        repo = _known(sessions, repo)
        need = Need(
            now=now,
            repo=repo,
            agent=agent,
            task=task,
            task_type=task_type,
            sessions=sessions.get(repo, 0),
        )
        items = candidates(knowledge, need, min_confidence)
        if without:
            items = {
                id: items[id]
                for id, item in knowledge.find(items).items()
                if not _only_from(without, item)
            }
        doubted: dict[str, str] = {}
        context = stage.choose(
            items.values(), need, count=within(budget), budget=budget, min_confidence=min_confidence,
            check=_check(root_of(cwd), doubted) if here else lambda item: "", id=id,
        )  # fmt: skip
        _doubt(knowledge, items, doubted, now)
        if not items and knowledge.items(limit=1):
            reason = f"nothing that is known is for this place and surer than {min_confidence:g}"
            context = replace(context, reason=reason)
    return context, need, [items[one.item] for one in context.shown]


def candidates(
    knowledge: Knowledge, need: Need, min_confidence: float
) -> dict[str, KnowledgeItem]:
    """The strongest items of the place, of everywhere, and those that speak of the task. Few of very many."""
    found: dict[str, KnowledgeItem] = {}
    for place in dict.fromkeys((need.repo, "")):
        for item in knowledge.items(
            status=("active",),
            repo=place,
            min_confidence=min_confidence,
            limit=STRONGEST,
        ):
            found[item.id] = item
    asked = " ".join(
        sorted(words([need.task[:2000]]), key=lambda word: (-len(word), word))[:ASKED]
    )
    for hit in knowledge.search(asked, repo=need.repo, limit=SPOKEN) if asked else ():
        found.setdefault(hit.item.id, hit.item)
    return found


def _only_from(sessions: Collection[str], item: KnowledgeItem) -> bool:
    return bool(item.evidence) and all(one.session in sessions for one in item.evidence)


def repo_of(cwd: Path, config: Config) -> str:
    """The repository a folder belongs to, named as scan would name it."""
    place = Place(git_root=str(root_of(cwd)), cwd=str(cwd))
    return name_repos([place], config.aliases)[place].name


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
        failure = fails(item, root, shutil.which)
        if failure:
            doubted[item.id] = failure
        return failure

    return check


def _doubt(
    knowledge: Knowledge,
    items: dict[str, KnowledgeItem],
    doubted: dict[str, str],
    now: float,
) -> None:
    """A failed check is kept: the item counts less, and its history says why. Once: a folder that lacks a file lacks it
    at the start of every session there, and that is no further doubt. A session is about to start, so nobody waits for
    another writer: the next start finds the same."""
    less = [
        replace(
            items[id],
            confidence=round(items[id].confidence * DOUBT, 2),
            reason=f"check: {why}",
        )
        for id, why in doubted.items()
        if not items[id].decided and items[id].reason != f"check: {why}"
    ]
    if less:
        knowledge.hurry()
        with suppress(StoreError):
            knowledge.save(less, by="check", now=now)
