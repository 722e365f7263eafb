"""Forget: choose sessions, see all that would go, type the word; then it is done behind the page."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response

from afterglow.config import Config
from afterglow.errors import UsageError
from afterglow.flows.forget import Choice, is_unfinished, outline
from afterglow.flows.settings import (
    CONFIRMATION,
    forget_outlined,
    forgetting_words,
    outline_mark,
)
from afterglow.text.numbers import count
from afterglow.text.times import seconds
from afterglow.web.desk import Desk, desk_of
from afterglow.web.jobs import Job, Work
from afterglow.web.rendering import back, page, query
from afterglow.web.routing import Form, get, post

FORGET = "/settings/forget"
FIELDS = ("sessions", "repo", "below", "since", "until", "gone", "excluded")
MAX_SESSIONS = 200  # shown of an outline; the rest is counted


def forget(request: Request) -> Response:
    desk = desk_of(request)
    asked = _asked(request.query_params)
    return page(
        request,
        "forget.html",
        asked=asked,
        outline_path=query(f"{FORGET}/outline", **asked) if any(asked.values()) else "",
        is_unfinished=is_unfinished(desk.config),
    )


def outlined(request: Request) -> Response:
    """Asked for behind the page: every store is looked through."""
    config = desk_of(request).config
    asked = _asked(request.query_params)
    planned = outline(config, _choice(config, asked))
    return page(
        request,
        "forget.html",
        block="outlined",
        asked=asked,
        outline_path="",
        is_unfinished=False,
        planned=planned,
        listed=planned.sessions[:MAX_SESSIONS],
        words=forgetting_words(planned),
        mark=outline_mark(planned),
        confirmation=CONFIRMATION,
    )


def forget_now(request: Request, form: Form) -> Response:
    desk = desk_of(request)
    asked = _asked(form)
    choice = _choice(desk.config, asked)
    typed, mark = form.get("typed", ""), form.get("mark", "")
    if typed.strip().casefold() != CONFIRMATION:
        raise UsageError(f"nothing was forgotten: type {CONFIRMATION} to confirm")
    job = desk.jobs.start("Forget", _work(desk, choice, typed, mark), key="forget")
    return back(request, f"/jobs/{job.id}")


def _work(desk: Desk, choice: Choice, typed: str, mark: str) -> Work:
    def work(job: Job) -> str:
        job.report("taking it out of every file of the home")
        report = forget_outlined(desk.config, choice, typed=typed, expected=mark)
        job.words = f"{count(len(report.sessions), 'session')} forgotten"
        return FORGET

    return work


def _asked(values: Mapping[str, str]) -> dict[str, str]:
    return {name: values.get(name, "").strip() for name in FIELDS}


def _choice(config: Config, asked: Mapping[str, str]) -> Choice:
    path = asked["below"]
    if path.startswith("~/"):
        path = str(config.user_home / path[2:])
    return Choice(
        names=tuple(asked["sessions"].split()),
        repo=asked["repo"] or None,
        paths=(Path(path),) if path else (),
        since=_day(asked["since"]),
        until=_day(asked["until"]),
        without_transcript=bool(asked["gone"]),
        excluded=bool(asked["excluded"]),
    )


def _day(text: str) -> float | None:
    if not text:
        return None
    stamp = seconds(text)
    if stamp is None:
        raise UsageError(f"{text!r} is no day; 2026-11-01 would work")
    return stamp


def exported(config: Config) -> list[str]:
    return []


ROUTES = [
    get(FORGET, forget),
    get(f"{FORGET}/outline", outlined),
    post(FORGET, forget_now),
]
