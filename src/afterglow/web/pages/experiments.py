"""Experiments: planned with how long they take, started and stopped, looked at whenever somebody likes."""

from __future__ import annotations

from functools import partial
from typing import Any
from urllib.parse import quote

from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import Response

from afterglow.config import Config
from afterglow.errors import UsageError
from afterglow.experiment.outcomes import EXCLUSIONS, OUTCOMES
from afterglow.experiment.plan import described
from afterglow.experiment.report import titled
from afterglow.experiment.report.forecast import forecast_blocks
from afterglow.flows import experiment as flow
from afterglow.records.forecast import Forecast
from afterglow.show.html import body
from afterglow.web.desk import desk_of
from afterglow.web.jobs import Job
from afterglow.web.plan_form import ARM_WORDS, PlanForm, plan_form
from afterglow.web.rendering import back, drawn, page
from afterglow.web.report_making import look, make
from afterglow.web.routing import Form, get, post


def experiments(request: Request) -> Response:
    config = desk_of(request).config
    return page(
        request,
        "experiments.html",
        experiments=flow.list_experiments(config),
        standing=config.experiment,
    )


def experiment(request: Request) -> Response:
    """To look records nothing."""
    name = request.path_params["name"]
    desk = desk_of(request)
    config = desk.config
    plan, hash = flow.show(config, name)
    path = _path(name)
    view = look(desk, path, f"A look at {name}", path, partial(_peek, name))
    peek: flow.Peek | None = view.report.value if view.report else None
    title, inside = "", Markup("")
    if peek and peek.analysis:
        title, blocks = titled(peek.analysis, peek.specs)
        inside = drawn(body(blocks, simulated=plan.simulated))
    return page(
        request,
        "experiment.html",
        block="report",
        beside=True,
        path=path,
        title=title,
        plan=plan,
        hash=hash,
        described=described(plan, OUTCOMES, EXCLUSIONS),
        standing=config.experiment,
        view=view,
        peek=peek,
        inside=inside,
    )


def again(request: Request, form: Form) -> Response:
    """The sessions that ended since are recorded."""
    name = request.path_params["name"]
    path = _path(name)
    work = partial(_peek, name, keep=True)
    make(desk_of(request), path, f"A look at {name}", path, work)
    return back(request, path)


def start(request: Request, form: Form) -> Response:
    name = request.path_params["name"]
    plan = flow.start(desk_of(request).config, name)
    arms = ", ".join(plan.arms)
    words = f"{name} is under way: each new session gets one of {arms}."
    return back(request, _path(name), words)


def stop(request: Request, form: Form) -> Response:
    name = request.path_params["name"]
    flow.stop(desk_of(request).config, name)
    words = f"{name} is stopped: new sessions are told everything again. What was recorded stays."
    return back(request, _path(name), words)


def plan(request: Request) -> Response:
    """The form, and how long what it says would take."""
    form = plan_form(request.query_params)
    is_part = "hx-request" in request.headers
    return _plan_page(request, form, reckoned=is_part or bool(request.query_params))


def write(request: Request, form: Form) -> Response:
    """A plan is written down before there is any data."""
    typed = plan_form(form)
    if not typed.name:
        raise UsageError("give the experiment a name, like daily-1")
    written = flow.new(desk_of(request).config, typed.name, **typed.choices())
    words = f"The plan is written (version {written.plan.version})."
    if not written.new:
        words = "This plan was there already, word for word."
    return back(request, _path(typed.name), words)


def _plan_page(request: Request, form: PlanForm, *, reckoned: bool) -> Response:
    """Not `reckoned`: how long it takes comes after the page, as it takes a moment."""
    forecast, trouble = None, ""
    if reckoned:
        forecast, trouble = _forecast(desk_of(request).config, form)
    return page(
        request,
        "experiment_plan.html",
        block="forecast",
        form=form,
        reckoned=reckoned,
        arm_words=ARM_WORDS,
        outcomes=OUTCOMES,
        forecast=forecast,
        trouble=trouble,
        effect=_typed(form, forecast),
        inside=drawn(body(forecast_blocks(forecast, OUTCOMES))) if forecast else "",
    )


def _forecast(config: Config, form: PlanForm) -> tuple[Forecast | None, str]:
    """Or why nobody can say."""
    try:
        forecast = flow.forecast(
            config,
            form.outcome,
            arms=form.arms,
            effect=form.min_effect(),
            a_week=form.sessions_a_week(),
        )
    except UsageError as error:
        return None, str(error)
    return forecast, ""


def _typed(form: PlanForm, forecast: Forecast | None) -> str:
    """The difference as it stands in the form: what was typed, or what it was reckoned with."""
    if forecast is None:
        return form.effect
    return f"{forecast.chosen.effect * form.factor:.6g}"


def _peek(name: str, config: Config, job: Job, *, keep: bool = False) -> Any:
    job.report("reading the sessions")
    return flow.peek(config, name, keep=keep)


def _path(name: str) -> str:
    return f"/experiments/{quote(name, safe='')}"


def exported(config: Config) -> list[str]:
    names = [listed.plan.name for listed in flow.list_experiments(config)]
    return ["/experiments", *map(_path, names)]


ROUTES = [
    get("/experiments", experiments),
    get("/experiments/new", plan),
    post("/experiments/new", write),
    get("/experiments/{name}", experiment),
    post("/experiments/{name}/again", again),
    post("/experiments/{name}/start", start),
    post("/experiments/{name}/stop", stop),
]
