"""Profile: where the agents fail, with intervals; each tool, week, model and repository leads to its sessions."""

from __future__ import annotations

from functools import partial

from starlette.requests import Request
from starlette.responses import Response

from afterglow.config import Config
from afterglow.flows.read import profile as read_profile
from afterglow.profile.page import TITLE, blocks
from afterglow.records.profile_report import Report
from afterglow.web.jobs import Job
from afterglow.web.report_filters import ReportFilter, filter_of
from afterglow.web.report_page import ReportPage
from afterglow.web.routing import Form, get, post

PAGE = ReportPage(
    "/profile",
    TITLE,
    "The profile",
    "Where your agents fail, and what differs between sessions and within one.",
    blocks,
)


def profile(request: Request) -> Response:
    chosen = filter_of(request.query_params)
    return PAGE.look(request, chosen, partial(_read, chosen))


def again(request: Request, form: Form) -> Response:
    chosen = filter_of(form)
    return PAGE.again(request, chosen, partial(_read, chosen))


def _read(chosen: ReportFilter, config: Config, job: Job) -> Report:
    job.report("reading the sessions")
    return read_profile(config, chosen.selection())


def exported(config: Config) -> list[str]:
    return ["/profile"]


ROUTES = [get("/profile", profile), post("/profile/again", again)]
