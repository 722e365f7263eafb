"""Replay: on one's own history, which repeated errors had their remedy in view. It reads every session, so a person asks
for it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from starlette.requests import Request
from starlette.responses import Response

from afterglow.config import Config
from afterglow.errors import UsageError
from afterglow.flows.measure import REPLAY_BUDGET, outline
from afterglow.flows.measure import replay as walk
from afterglow.measure.replay.page import TITLE, blocks
from afterglow.records.replay import ReplayReport
from afterglow.web.desk import desk_of
from afterglow.web.jobs import Job
from afterglow.web.report_filters import ReportFilter, filter_of
from afterglow.web.report_page import ReportPage
from afterglow.web.routing import Form, get, post

PAGE = ReportPage(
    "/replay",
    TITLE,
    "The replay",
    "On your own history: how many repeated errors had their remedy in view?",
    blocks,
    cost="It walks through all your sessions in time order and gives each the context it would have had. That takes "
    "seconds for some hundred sessions, minutes for thousands; nothing you keep is changed, and no model is asked.",
    verb="Walk through my sessions",
)
LARGEST_BUDGET = 20_000  # tokens; as hooks allow
# With more a copy of the pages would take minutes: then it is left out of it.
MOST_COPIED_SESSIONS = 1000


def replay(request: Request) -> Response:
    chosen, budget = filter_of(request.query_params), _budget(request.query_params)
    unasked = None
    if desk_of(request).static:
        unasked = partial(_walk, chosen, budget)
    return PAGE.look(request, chosen, unasked, budget=budget)


def again(request: Request, form: Form) -> Response:
    chosen, budget = filter_of(form), _budget(form)
    work = partial(_walk, chosen, budget)
    return PAGE.again(request, chosen, work, budget=budget)


def _walk(chosen: ReportFilter, budget: int, config: Config, job: Job) -> ReplayReport:
    def progress(bytes_done: int, total: int) -> None:
        share = bytes_done / total if total else None
        job.report("reading the sessions", share)

    progress(0, 0)
    report, _ = walk(
        config,
        chosen.selection(),
        budget=budget,
        jobs=config.cores,
        progress=progress,
    )
    return report


def _budget(words: Mapping[str, str]) -> int:
    text = words.get("budget", "").strip()
    if not text:
        return REPLAY_BUDGET
    if not text.isdecimal() or not 0 < int(text) <= LARGEST_BUDGET:
        raise UsageError(
            f"{text!r} tokens cannot be given; a number up to {LARGEST_BUDGET:,} would work"
        )
    return int(text)


def exported(config: Config) -> list[str]:
    return ["/replay"] if outline(config).sessions <= MOST_COPIED_SESSIONS else []


ROUTES = [get("/replay", replay), post("/replay/again", again)]
