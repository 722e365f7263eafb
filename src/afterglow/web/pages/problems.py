"""Problems: what keeps failing, by what it costs; one of them with its episodes side by side and its lessons."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from afterglow.config import Config
from afterglow.errors import UsageError
from afterglow.flows.harvest import (
    EPISODE_LIMIT,
    answer_words,
    answered_lately,
    earlier_answer,
    make_problems,
    problem,
    problem_episodes,
    problem_facets,
    problem_page,
)
from afterglow.flows.session import said_on_failure
from afterglow.records.problems import ProblemFilter
from afterglow.text.times import seconds
from afterglow.web.desk import desk_of
from afterglow.web.lesson_form import form_values
from afterglow.web.rendering import page, query
from afterglow.web.routing import get

PAGE_SIZE = 40  # a problem is two lines: two screens of them
COPIED_PROBLEMS = 120  # that a copy holds, the dearest: three pages of the list
LAST_FAILURES = 8  # that are held against the lessons there are now
NO_REPO = "-"  # in an address, of a repository: sessions outside of any
MAX_REPOS = 200  # that can be chosen, those of most problems
FILTERS = ("repo", "lesson", "kind", "since", "once")
KINDS = {
    "failed": "failed",
    "hidden": "hidden (exit 0, but it failed)",
    "ci": "a check elsewhere",
    "person": "what people said",
}
LESSONS = {
    "with": "with one that is told",
    "waiting": "with one that waits",
    "without": "without one that is told",
}
MOMENTS = {
    "start": "at its start",
    "compaction": "after a compaction",
    "subagent": "as a sub-agent began",
    "call": "before a call",
    "failure": "after a failure",
}


def problems(request: Request) -> Response:
    desk = desk_of(request)
    config = desk.config
    values = {name: request.query_params.get(name, "") for name in FILTERS}
    chosen = _filter(values)
    start = _number(request.query_params.get("from", ""))
    if request.query_params.get("again"):
        make_problems(config)
    listed = problem_page(config, chosen, limit=PAGE_SIZE, offset=start, now=desk.now())
    end = start + len(listed.problems)
    return page(
        request,
        "problems.html",
        block="list",
        listed=listed,
        facets=problem_facets(config, chosen),
        values=values,
        kinds=KINDS,
        lessons=LESSONS,
        no_repo=NO_REPO,
        max_repos=MAX_REPOS,
        start=start,
        end=end,
        earlier=_list_path(values, start - PAGE_SIZE) if start else "",
        later=_list_path(values, end) if end < listed.total else "",
        again=query("/problems", **values, again="yes"),
        answer_words=answer_words,
    )


def one_problem(request: Request) -> Response:
    return problem_answer(request, request.path_params["id"])


def problem_answer(request: Request, id: str, **filled_in: Any) -> Response:
    """The page of a problem; what was filled in and not kept stands in its form again."""
    desk = desk_of(request)
    config = desk.config
    report = problem(config, id)
    chosen = report.problem
    start = _number(request.query_params.get("from", ""))
    episodes = problem_episodes(config, chosen, offset=start)
    end = start + len(episodes.columns)
    address = f"/problems/{chosen.id}"
    return page(
        request,
        "problem.html",
        report=report,
        problem=chosen,
        episodes=episodes,
        start=start,
        end=end,
        earlier=query(address, **_from(start - EPISODE_LIMIT)) if start else "",
        later=query(address, **_from(end)) if end < episodes.total else "",
        said=said_on_failure(config, chosen.repo, chosen.events[-LAST_FAILURES:]),
        moments=MOMENTS,
        answer_words=answer_words,
        **form_values(report, earlier_answer(config, chosen), **filled_in),
    )


def written(request: Request) -> Response:
    answered = answered_lately(desk_of(request).config)
    return page(request, "problems_written.html", answered=answered)


def exported(config: Config) -> list[str]:
    chosen = ProblemFilter()
    listed = problem_page(config, chosen, limit=COPIED_PROBLEMS)
    starts = range(0, len(listed.problems), PAGE_SIZE)
    lists = [_list_path({}, start) for start in starts] or ["/problems"]
    pages = [f"/problems/{each.id}" for each in listed.problems]
    return [*lists, "/problems/written", *pages]


def _filter(values: Mapping[str, str]) -> ProblemFilter:
    since = seconds(values["since"])
    if values["since"] and since is None:
        raise UsageError(
            f"{values['since']!r} is no day; one like 2026-11-01 would work"
        )
    for name, choices in (("kind", KINDS), ("lesson", LESSONS)):
        if values[name] and values[name] not in choices:
            names = ", ".join(choices)
            raise UsageError(f"{name} {values[name]!r} is none; {names} would work")
    repo = "" if values["repo"] == NO_REPO else values["repo"] or None
    return ProblemFilter(
        repo=repo,
        since=since,
        lesson=values["lesson"] or None,  # type: ignore[arg-type]
        kind=values["kind"] or None,  # type: ignore[arg-type]
        least=1 if values["once"] else 2,
    )


def _list_path(values: Mapping[str, str], start: int) -> str:
    return query("/problems", **values, **_from(start))


def _from(start: int) -> dict[str, int]:
    return {"from": start} if start > 0 else {}


def _number(text: str) -> int:
    return int(text) if text.isdecimal() and len(text) < 9 else 0


ROUTES = [
    get("/problems", problems),
    get("/problems/written", written),
    get("/problems/{id}", one_problem),
]
