"""Long work: how far it is, and how to stop it; whether the pages open elsewhere are old."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from afterglow.config import Config
from afterglow.web.desk import desk_of
from afterglow.web.rendering import back, page
from afterglow.web.routing import Form, get, post


def job(request: Request) -> Response:
    """Whoever first sees that it is finished is led to what came of it, also where it ended before the page was there to
    wait for it; who comes back later finds the page."""
    current = desk_of(request).jobs.get(request.path_params["id"])
    response = page(request, "job.html", block="progress", job=current)
    if current.state != "finished" or not current.result:
        return response
    is_first, current.is_seen = not current.is_seen, True
    if "hx-request" in request.headers:
        response.headers["HX-Redirect"] = current.result
        return response
    return RedirectResponse(current.result, 303) if is_first else response


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
