"""Privacy: of which places nothing is read, which folders are private; and which folders are which repository."""

from __future__ import annotations

from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response

from afterglow.config import Config
from afterglow.errors import UsageError
from afterglow.flows.forget import make_private
from afterglow.flows.read import distrust_repo, repo_folders, trust_repo
from afterglow.flows.settings import changed_list, draft_values, view_settings
from afterglow.web.desk import desk_of
from afterglow.web.pages.settings import draft_page, without_draft
from afterglow.web.rendering import back, page
from afterglow.web.routing import Form, get, post

PRIVACY, REPOSITORIES = "/settings/privacy", "/settings/repositories"
PAGE_FOLDERS = 100


def privacy(request: Request) -> Response:
    desk = desk_of(request)
    view = view_settings(desk.config)
    days = view.setting("privacy.keep_sessions_days")
    gone_days = view.setting("privacy.keep_gone_days")
    return page(
        request,
        "privacy.html",
        excluded=view.setting("privacy.exclude").value or [],
        settings=(
            (days, "After they ended"),
            (gone_days, "After their transcripts have gone"),
        ),
        mark=view.file.mark,
        folders=make_private(desk.config, "status", desk.config.user_home).folders,
    )


def exclude(request: Request, form: Form) -> Response:
    """Adds a place or takes one out: first what would be written, and what that leads to."""
    config = desk_of(request).config
    setting = view_settings(config).setting("privacy.exclude")
    added, removed = form.get("add", "").strip(), form.get("remove", "")
    if not added and not removed:
        raise UsageError("name a folder or a repository, like ~/clients or acme/*")
    places = changed_list(setting, add=[added], remove=[removed] if removed else [])
    changes = {"privacy.exclude": places}
    draft = draft_values(config, changes, expected=form.get("mark", ""))
    return draft_page(request, draft, PRIVACY)


def make_folder_private(request: Request, form: Form) -> Response:
    desk = desk_of(request)
    folder = _folder(desk.config, form)
    is_next = bool(form.get("next"))
    make_private(desk.config, "on", folder, once=is_next, now=desk.now())
    which = "The next session" if is_next else "Sessions from now on"
    return back(
        request, PRIVACY, f"{which} in {folder}: told nothing, nothing is kept."
    )


def end_private(request: Request, form: Form) -> Response:
    desk = desk_of(request)
    folder = _folder(desk.config, form)
    make_private(desk.config, "off", folder, now=desk.now())
    return back(request, PRIVACY, f"{folder} is not private any more.")


def _folder(config: Config, form: Form) -> Path:
    text = form.get("folder", "").strip()
    if text.startswith("~/"):
        return config.user_home / text[2:]
    if not text.startswith("/"):
        raise UsageError("name the whole path of a folder, like /home/me/clients")
    return Path(text)


def repositories(request: Request) -> Response:
    known_folders = repo_folders(desk_of(request).config)
    start = request.query_params.get("from", "")
    first = int(start) if start.isdecimal() else 0
    return page(
        request,
        "repositories.html",
        claims=[folder for folder in known_folders.folders if folder.claims],
        folders=[folder for folder in known_folders.folders if not folder.claims][
            first : first + PAGE_FOLDERS
        ],
        total=sum(not folder.claims for folder in known_folders.folders),
        start=first,
        page_folders=PAGE_FOLDERS,
        trusted=known_folders.trusted,
    )


def trust(request: Request, form: Form) -> Response:
    config = desk_of(request).config
    folder = _folder(config, form)
    trust_repo(config, folder)
    return back(request, REPOSITORIES, f"{folder} is yours: it is what it says it is.")


def distrust(request: Request, form: Form) -> Response:
    config = desk_of(request).config
    folder = _folder(config, form)
    distrust_repo(config, folder)
    return back(request, REPOSITORIES, f"What was said about {folder} is taken back.")


def exported(config: Config) -> list[str]:
    return []


ROUTES = [
    get(PRIVACY, privacy),
    post(f"{PRIVACY}/exclude", exclude),
    get(f"{PRIVACY}/exclude", without_draft),
    post(f"{PRIVACY}/private", make_folder_private),
    post(f"{PRIVACY}/open", end_private),
    get(REPOSITORIES, repositories),
    post(f"{REPOSITORIES}/trust", trust),
    post(f"{REPOSITORIES}/distrust", distrust),
]
