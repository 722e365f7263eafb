"""Context preview: what a session would be told at its start, and right after a failure; and why, or why not."""

from __future__ import annotations

from collections.abc import Mapping
from math import isnan
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import asdict
from starlette.requests import Request
from starlette.responses import Response

from afterglow.config import Config
from afterglow.context import BUDGET, CONFIDENCE
from afterglow.errors import UsageError
from afterglow.flows.session import (
    OMISSION_WORDS,
    explain_context,
    explain_failure,
    preview_places,
)
from afterglow.sessions.agent_homes import AGENTS
from afterglow.web.desk import desk_of
from afterglow.web.rendering import addressed, page, query
from afterglow.web.routing import Form, ask, get

MIN_BUDGET, MAX_BUDGET, BUDGET_STEP = 50, 2_000, 50  # tokens, of the slider
MAX_TASK_CHARACTERS = 2_000  # of an address; what is chosen does not look further
MAX_OMITTED = 25  # listed of a reason
EXPORTED_REPOS = 20  # whose contexts are in a copy


class PreviewWish(Struct, frozen=True):
    """What the form says."""

    repo: str = ""
    folder: str = ""
    agent: str = ""
    task: str = ""
    budget: int = BUDGET
    confidence: float = CONFIDENCE

    @property
    def cwd(self) -> Path:
        return Path(self.folder).expanduser() if self.folder else Path.cwd()

    @property
    def named_repo(self) -> str | None:
        """That of the folder, unless one is named."""
        return self.repo or (None if self.folder else "")


def preview(request: Request) -> Response:
    config = desk_of(request).config
    places = preview_places(config)
    wish = _wish(request, request.query_params, places.repos)
    values = _context_values(request, config, wish)
    response = page(
        request,
        "preview.html",
        block="context",
        places=places,
        failure=None,
        command="",
        error="",
        **values,
    )
    return addressed(response, query("/preview", **asdict(wish)))


def failure(request: Request, form: Form) -> Response:
    """What would be said on a pasted failure. A question: nobody is told anything and nothing is noted."""
    desk = desk_of(request)
    config = desk.config
    places = preview_places(config)
    wish = _wish(request, form, places.repos)
    command, error = form.get("command", ""), form.get("error", "")
    explained = explain_failure(
        config,
        cwd=_folder(wish),
        repo=wish.named_repo,
        agent=wish.agent,
        command=command,
        error=error,
        now=desk.now(),
    )
    return page(
        request,
        "preview.html",
        block="failure",
        places=places,
        failure=explained,
        command=command,
        error=error,
        **_context_values(request, config, wish),
    )


def _context_values(
    request: Request, config: Config, wish: PreviewWish
) -> dict[str, Any]:
    explained = explain_context(
        config,
        cwd=_folder(wish),
        repo=wish.named_repo,
        is_checked=bool(wish.folder),
        agent=wish.agent,
        task=wish.task,
        budget=wish.budget,
        min_confidence=wish.confidence,
        now=desk_of(request).now(),
    )
    return {
        "wish": wish,
        "explained": explained,
        "agents": sorted(AGENTS),
        "omission_words": OMISSION_WORDS,
        "max_omitted": MAX_OMITTED,
        "budgets": (MIN_BUDGET, MAX_BUDGET, BUDGET_STEP),
        "usual_budget": config.hooks.budget,
        "experiment": config.experiment,
    }


def _wish(
    request: Request, values: Mapping[str, str], repos: tuple[str, ...]
) -> PreviewWish:
    """What is not said is as sessions start: the usual budget, and the repository of most sessions. A hub has no
    checkouts to look into."""
    desk = desk_of(request)
    config = desk.config
    folder = values.get("folder", "").strip() if desk.has_sessions else ""
    is_first_look = "repo" not in values and not folder
    usual_repo = repos[0] if repos and is_first_look else ""
    return PreviewWish(
        repo=values.get("repo", usual_repo),
        folder=folder,
        agent=values.get("agent", ""),
        task=values.get("task", "")[:MAX_TASK_CHARACTERS],
        budget=int(_number(values.get("budget", ""), config.hooks.budget, MAX_BUDGET)),
        confidence=_number(values.get("confidence", ""), CONFIDENCE, 1.0),
    )


def _number(text: str, usual: float, most: float) -> float:
    """A slider gives a number; an address may say anything."""
    try:
        value = float(text)
    except ValueError:
        return usual
    return usual if isnan(value) else min(max(value, 0.0), most)


def _folder(wish: PreviewWish) -> Path:
    if wish.folder and not wish.cwd.is_dir():
        raise UsageError(f"{wish.folder} is no folder here; name a checkout, or none")
    return wish.cwd


def exported(config: Config) -> list[str]:
    """The contexts of the repositories with most sessions."""
    repos = preview_places(config).repos[:EXPORTED_REPOS]
    return ["/preview", *(query("/preview", repo=repo) for repo in repos)]


ROUTES = [get("/preview", preview), ask("/preview/failure", failure)]
