"""A repository or an agent that was named and is nowhere known: said at once, with the names there are."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import get_close_matches

from afterglow.config import Config
from afterglow.errors import NotFound
from afterglow.records.selection import Selection
from afterglow.store.catalog import Catalog

MAX_NAMES = 8  # that are listed: the largest

_REPOS = "SELECT repo FROM sessions JOIN places USING (place) WHERE repo <> '' GROUP BY repo ORDER BY count(*) DESC"
_AGENTS = "SELECT agent FROM sessions GROUP BY agent ORDER BY count(*) DESC"


def check_names(config: Config, selection: Selection) -> None:
    """Raises `NotFound` for a name that fits no session and no lesson. Where there are no sessions at all, that is what
    has to be said, and each command says it."""
    if selection.paths or not (selection.repo or selection.agent):
        return
    if not config.catalog.exists():
        return
    with Catalog(config.catalog) as catalog:
        repos = [name for (name,) in catalog.rows(_REPOS)]
        agents = [name for (name,) in catalog.rows(_AGENTS)]
    if not agents:
        return
    if selection.agent and selection.agent not in agents:
        raise NotFound(_none("agent", selection.agent, agents))
    repo = selection.repo
    if not repo or _is_among(repo, repos):
        return
    if not _has_lessons(config, repo):
        raise NotFound(_none("repository", repo, repos))


def _has_lessons(config: Config, repo: str) -> bool:
    """As of a repository that a colleague shared."""
    if not config.knowledge.exists():
        return False
    from afterglow.store.knowledge import Knowledge

    with Knowledge(config.knowledge) as knowledge:
        return _is_among(repo, knowledge.counts().repo)


def _is_among(repo: str, names: Iterable[str]) -> bool:
    return any(Selection(repo=repo).fits(name, "", None) for name in names)


def _none(what: str, name: str, names: Sequence[str]) -> str:
    short = {whole.partition("/")[2] or whole: whole for whole in names}
    near = get_close_matches(name, [*names, *short], n=1)
    guess = f"did you mean {short.get(near[0], near[0])}? " if near else ""
    listed = ", ".join(names[:MAX_NAMES])
    more = f" and {len(names) - MAX_NAMES} more" if len(names) > MAX_NAMES else ""
    return f"no session is of the {what} {name!r}; {guess}there are {listed}{more}"
