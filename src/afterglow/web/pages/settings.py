"""Settings: every key as a form, or the file as text; the difference is shown before anything is written."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from afterglow.config import Config, checked
from afterglow.errors import ConfigError, UsageError
from afterglow.flows.settings import (
    ConfigDraft,
    changed_values,
    config_text,
    consequences,
    draft_text,
    draft_values,
    view_settings,
    write_draft,
    written_value,
)
from afterglow.web.desk import desk_of
from afterglow.web.rendering import back, page
from afterglow.web.routing import Form, get, post


def settings(request: Request) -> Response:
    return _form_page(request)


def _form_page(
    request: Request,
    *,
    typed: dict[str, str] | None = None,
    problem: str = "",
    status: int = 200,
) -> Response:
    view = view_settings(desk_of(request).framing_config)
    written = {
        setting.name: written_value(setting)
        for table in view.tables
        for setting in table.settings
    }
    return page(
        request,
        "settings.html",
        status=status,
        view=view,
        fields=written | (typed or {}),
        problem=problem or view.file.problem,
        wrong=view.blamed_by(problem),
    )


def draft_of_form(request: Request, form: Form) -> Response:
    config = desk_of(request).framing_config
    typed = {name: value for name, value in form.items() if name != "csrf"}
    try:
        changes = changed_values(view_settings(config), typed)
        draft = draft_values(config, changes, expected=form.get("mark", ""))
    except UsageError as error:
        return _form_page(request, typed=typed, problem=str(error), status=400)
    return draft_page(request, draft, "/settings")


def text(request: Request) -> Response:
    file = config_text(desk_of(request).framing_config)
    return page(request, "settings_text.html", file=file, problem=file.problem)


def draft_of_text(request: Request, form: Form) -> Response:
    config = desk_of(request).framing_config
    typed = form.get("text", "")
    try:
        draft = draft_text(config, typed, expected=form.get("mark", ""))
    except ConfigError as error:
        return page(
            request,
            "settings_text.html",
            status=400,
            file=config_text(config),
            typed=typed,
            problem=str(error),
        )
    return draft_page(request, draft, "/settings/text")


def draft_page(request: Request, draft: ConfigDraft, origin: str) -> Response:
    """What would be written, to be confirmed; also for other pages that change a setting."""
    if draft.after == draft.before:
        return back(request, origin, "Nothing was changed.")
    desk = desk_of(request)
    config = desk.framing_config
    follow_ups = consequences(config, checked(config, draft.after), desk.now())
    return page(
        request,
        "settings_draft.html",
        draft=draft,
        follow_ups=follow_ups,
        origin=origin,
    )


def without_draft(request: Request) -> Response:
    """A draft is made by a form; who comes back to its address finds the form."""
    return back(request, request.url.path.rpartition("/")[0])


def write(request: Request, form: Form) -> Response:
    desk = desk_of(request)
    config = desk.framing_config
    draft = draft_text(config, form.get("text", ""), expected=form.get("mark", ""))
    follow_ups = consequences(config, checked(config, draft.after), desk.now())
    path = write_draft(config, draft)
    origin = form.get("origin", "")
    origin = origin if origin.startswith("/settings") else "/settings"
    words = " ".join(each.words for each in follow_ups)
    return back(request, origin, f"Written to {path}. {words}".strip())


def exported(config: Config) -> list[str]:
    """None: settings say where a person lives and what is nobody's business."""
    return []


ROUTES = [
    get("/settings", settings),
    post("/settings/draft", draft_of_form),
    get("/settings/draft", without_draft),
    get("/settings/text", text),
    post("/settings/text/draft", draft_of_text),
    get("/settings/text/draft", without_draft),
    post("/settings/write", write),
]
