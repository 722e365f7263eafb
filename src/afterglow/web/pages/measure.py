"""Measure: is it working? The readings, filtered, with the sessions behind each week."""

from __future__ import annotations

from functools import partial

from starlette.requests import Request
from starlette.responses import Response

from afterglow.config import Config
from afterglow.flows.measure import measure as take_readings
from afterglow.measure.page import TITLE, blocks
from afterglow.records.reading import Measured
from afterglow.web.jobs import Job
from afterglow.web.report_filters import ReportFilter, filter_of
from afterglow.web.report_page import ReportPage
from afterglow.web.routing import Form, get, post

PAGE = ReportPage(
    "/measure",
    TITLE,
    "Measuring",
    "Whether knowledge grows, reaches sessions, is used, and errors stop coming back.",
    blocks,
)


def measure(request: Request) -> Response:
    chosen = filter_of(request.query_params)
    return PAGE.look(request, chosen, partial(_read, chosen, settle=False))


def again(request: Request, form: Form) -> Response:
    """What was given out is looked for in the sessions first."""
    chosen = filter_of(form)
    return PAGE.again(request, chosen, partial(_read, chosen, settle=True))


def _read(chosen: ReportFilter, config: Config, job: Job, *, settle: bool) -> Measured:
    job.report("reading the sessions")
    return take_readings(config, chosen.selection(), settle=settle)


def exported(config: Config) -> list[str]:
    return ["/measure"]


ROUTES = [get("/measure", measure), post("/measure/again", again)]
