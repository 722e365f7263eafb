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
from afterglow.web.desk import Desk, Notice, desk_of
from afterglow.web.jobs import Job, Work
from afterglow.web.rendering import back, page, query
from afterglow.web.routing import Form, get, post

FORGET = "/settings/forget"
FIELDS = ("sessions", "repo", "below", "since", "until", "gone", "excluded")
MAX_SESSIONS = 200  # shown of an outline; the rest is counted


def forget(request: Request) -> Response:
    desk = desk_of(request)
    fields = _fields(request.query_params)
    return page(
        request,
        "forget.html",
        fields=fields,
        outline_path=query(f"{FORGET}/outline", **fields)
        if any(fields.values())
        else "",
        is_unfinished=is_unfinished(desk.config),
    )


def outlined(request: Request) -> Response:
    """Asked for behind the page: every store is looked through."""
    config = desk_of(request).config
    fields = _fields(request.query_params)
    planned = outline(config, _choice(config, fields))
    return page(
        request,
        "forget.html",
        block="outlined",
        fields=fields,
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
    fields = _fields(form)
    typed, mark = form.get("typed", ""), form.get("mark", "")
    if typed.strip().casefold() != CONFIRMATION:
        raise UsageError(f"nothing was forgotten: type {CONFIRMATION} to confirm")
    job = desk.jobs.start("Forget", _work(desk, fields, typed, mark), key="forget")
    return back(request, f"/jobs/{job.id}")


def _work(desk: Desk, fields: dict[str, str], typed: str, mark: str) -> Work:
    def work(job: Job) -> str:
        job.result = query(FORGET, **fields)  # where to look again if it fails
        job.report("taking it out of every file of the home")
        config = desk.config
        choice = _choice(config, fields)
        report = forget_outlined(config, choice, typed=typed, expected=mark)
        words = f"{count(len(report.sessions), 'session')} forgotten."
        return f"{FORGET}?notice={desk.leave(Notice(words))}"

    return work


def _fields(values: Mapping[str, str]) -> dict[str, str]:
    return {name: values.get(name, "").strip() for name in FIELDS}


def _choice(config: Config, fields: Mapping[str, str]) -> Choice:
    path = fields["below"]
    if path.startswith("~/"):
        path = str(config.user_home / path[2:])
    return Choice(
        names=tuple(fields["sessions"].split()),
        repo=fields["repo"] or None,
        paths=(Path(path),) if path else (),
        since=_day(fields["since"]),
        until=_day(fields["until"]),
        without_transcript=bool(fields["gone"]),
        excluded=bool(fields["excluded"]),
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
