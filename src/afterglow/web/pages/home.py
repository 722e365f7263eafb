"""Home: is it connected, what happened last, does it help, what waits for a person."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from afterglow.config import Config
from afterglow.flows.doctor import MOMENTS, doctor
from afterglow.flows.harvest import harvest
from afterglow.flows.overview import Headline, headline, overview
from afterglow.flows.read import latest_sessions, scan
from afterglow.web.desk import Desk, desk_of
from afterglow.web.jobs import Job
from afterglow.web.rendering import back, page, part
from afterglow.web.routing import Form, get, post

LATEST = 8  # sessions: what a person may still remember


def home(request: Request) -> Response:
    desk = desk_of(request)
    config, is_copy = desk.config, desk.static
    return page(
        request,
        "home.html",
        overview=overview(config, now=desk.now()),
        moments=MOMENTS,
        latest=latest_sessions(config, LATEST),
        headline=_headline(desk) if is_copy else None,
        checkup=doctor(config) if is_copy else None,
    )


def effect(request: Request) -> Response:
    """Measured over all sessions, so the page does not wait for it."""
    return part(request, "home.html", "effect", headline=_headline(desk_of(request)))


def checks(request: Request) -> Response:
    """Agents are asked for their versions, so the page does not wait for it."""
    return part(request, "home.html", "checks", checkup=doctor(desk_of(request).config))


def look_for_sessions(request: Request, form: Form) -> Response:
    """What `afterglow scan` and `afterglow harvest` do."""
    desk = desk_of(request)
    config = desk.config

    def work(job: Job) -> str:
        job.report("looking for sessions")
        scan(config, progress=lambda read, total: _report(job, "reading", read, total))
        harvest(
            config, progress=lambda read, total: _report(job, "harvesting", read, total)
        )
        return "/"

    job = desk.jobs.start("Looking for new sessions", work, key="harvest")
    return back(request, f"/jobs/{job.id}")


def _report(job: Job, words: str, part: int, whole: int) -> None:
    job.report(words, part / whole if whole else None)


def _headline(desk: Desk) -> Headline:
    config = desk.config
    return desk.remembered(
        "headline", desk.state, lambda: headline(config, now=desk.now())
    )


def exported(config: Config) -> list[str]:
    return ["/"]


ROUTES = [
    get("/", home),
    get("/home/effect", effect),
    get("/home/checks", checks),
    post("/home/harvest", look_for_sessions),
]
