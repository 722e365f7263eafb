"""Audit, for admins: who changed what about people, rights and tokens, and what was decided; nobody can rewrite it."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from afterglow.flows.hub import audit_words, holder_names, read_audit
from afterglow.web.hub.hub import member_desk
from afterglow.web.hub.pages.people import admins_only
from afterglow.web.rendering import page
from afterglow.web.routing import get

PAGE_LINES = 100


def audit(request: Request) -> Response:
    admins_only(request)
    before = request.query_params.get("before", "")
    place = member_desk(request).place
    lines = read_audit(
        place,
        before=int(before) if before.isascii() and before.isdigit() else None,
        most=PAGE_LINES + 1,
    )
    listed = lines[:PAGE_LINES]
    names = holder_names(place)
    return page(
        request,
        "hub/audit.html",
        lines=[(line, audit_words(line.about, names)) for line in listed],
        is_first=not before,
        following=listed[-1].n if len(lines) > PAGE_LINES else 0,
    )


ROUTES = [get("/audit", audit)]
