"""Who was helped by what: what members' machines gave their sessions, and what became of it."""

from __future__ import annotations

from collections.abc import Mapping

from starlette.requests import Request
from starlette.responses import Response

from afterglow.errors import UsageError
from afterglow.flows.hub import helped as count_helped
from afterglow.flows.knowledge import BECAME_WORDS
from afterglow.web.desk import desk_of
from afterglow.web.rendering import page
from afterglow.web.report_filters import filter_of
from afterglow.web.routing import get

FILTERS = ("person", "repo", "since")


def helped(request: Request) -> Response:
    chosen = _chosen(request.query_params)
    since = filter_of(chosen).selection().since
    counts = count_helped(
        desk_of(request).config,
        person=chosen.get("person", ""),
        repo=chosen.get("repo", ""),
        since=since,
    )
    return page(
        request,
        "hub/helped.html",
        counts=counts,
        chosen=chosen,
        became_words=BECAME_WORDS,
    )


def _chosen(values: Mapping[str, str]) -> dict[str, str]:
    chosen = {name: values[name].strip() for name in FILTERS if values.get(name)}
    if any("\0" in value for value in chosen.values()):
        raise UsageError("there is no such member or repository")
    return chosen


ROUTES = [get("/helped", helped)]
