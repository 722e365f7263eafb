"""Templates: what waits for a person, one of them whole, what changed since they approved it; approve, reject, delete."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from afterglow.config import Config
from afterglow.errors import UsageError
from afterglow.flows import warm
from afterglow.web.desk import desk_of
from afterglow.web.rendering import back, page
from afterglow.web.routing import Form, get, post

PAGE_ROWS = 50


def templates(request: Request) -> Response:
    listing = warm.template_rows(desk_of(request).config)
    start = _number(request.query_params.get("from")) or 0
    return page(
        request,
        "templates.html",
        rows=listing.rows[start : start + PAGE_ROWS],
        counts=listing.counts,
        troubles=listing.troubles,
        start=start,
        total=len(listing.rows),
        page_rows=PAGE_ROWS,
    )


def template(request: Request) -> Response:
    config = desk_of(request).config
    fields = request.query_params
    view = warm.template_view(
        config, request.path_params["id"], version=_number(fields.get("version"))
    )
    older = view.older
    if fields.get("with") or fields.get("against"):
        compared_id = fields.get("with") or view.template.id
        older = warm.TemplateVersion(compared_id, _number(fields.get("against")))
    newer = warm.TemplateVersion(view.template.id, view.template.version)
    changes = warm.difference(config, older, newer) if older else ""
    names = [row.template for row in warm.template_rows(config).rows]
    return page(
        request,
        "template.html",
        view=view,
        older=older,
        changes=changes,
        others=[each for each in names if each.id != view.template.id],
    )


def _number(text: str | None) -> int | None:
    if not text:
        return None
    if not text.isdecimal():
        raise UsageError(f"{text!r} is no number of a version")
    return int(text)


def approve(request: Request, form: Form) -> Response:
    id = request.path_params["id"]
    config = desk_of(request).config
    (approved,) = warm.approve(config, [id], expected={id: form.get("mark", "")})
    words = f"Sessions may start from {approved.name}, version {approved.version}."
    return back(request, f"/templates/{id}", words)


def reject(request: Request, form: Form) -> Response:
    id = request.path_params["id"]
    desk = desk_of(request)
    expected = {id: form.get("mark", "")}
    (rejected,) = warm.reject(desk.config, [id], expected=expected, now=desk.now())
    words = f"No session gets version {rejected.version} of {rejected.name}."
    return back(request, f"/templates/{id}", words)


def delete(request: Request, form: Form) -> Response:
    id = request.path_params["id"]
    config = desk_of(request).config
    (place,) = warm.delete(config, [id], expected={id: form.get("mark", "")})
    return back(request, "/templates", f"Moved to {place}; nothing is deleted there.")


def exported(config: Config) -> list[str]:
    rows = warm.template_rows(config).rows
    later = [f"/templates?from={at}" for at in range(PAGE_ROWS, len(rows), PAGE_ROWS)]
    pages = [f"/templates/{row.template.id}" for row in rows]
    return ["/templates", *later, *pages]


ROUTES = [
    get("/templates", templates),
    get("/templates/{id}", template),
    post("/templates/{id}/approve", approve),
    post("/templates/{id}/reject", reject),
    post("/templates/{id}/delete", delete),
]
