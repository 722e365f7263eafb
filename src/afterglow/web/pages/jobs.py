"""Long work: how far it is, and how to stop it; whether the pages open elsewhere are old."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from afterglow.config import Config
from afterglow.web.desk import desk_of
from afterglow.web.rendering import back, page
from afterglow.web.routing import Form, get, post


def job(request: Request) -> Response:
    current = desk_of(request).jobs.get(request.path_params["id"])
    response = page(request, "job.html", block="progress", job=current)
    if current.state == "finished" and current.result:
        response.headers["HX-Redirect"] = current.result
    return response


def stop(request: Request, form: Form) -> Response:
    current = desk_of(request).jobs.stop(request.path_params["id"])
    return back(request, f"/jobs/{current.id}", "It stops at the next step.")


def changed(request: Request) -> Response:
    """Asked by open pages from time to time."""
    is_old = request.query_params.get("state") != desk_of(request).state
    if not is_old:
        return Response(status_code=204)
    return page(request, "changed.html", block="old")


def exported(config: Config) -> list[str]:
    return []


ROUTES = [
    get("/jobs/{id}", job),
    post("/jobs/{id}/stop", stop),
    get("/changed", changed),
]
