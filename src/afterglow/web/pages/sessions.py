"""Sessions: look through them; one of them, with what it was given, met and taught, and its transcript."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, date, datetime, timedelta
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from afterglow.errors import NotFound, UnreadableSource, UsageError
from afterglow.flows.doctor import MOMENTS
from afterglow.flows.harvest import problems_of_session
from afterglow.flows.read import (
    PAGE_CHARACTERS,
    note_unredacted,
    session_list,
    session_story,
    transcript_window,
    whole_text,
)
from afterglow.records.selection import Selection
from afterglow.records.session_list import MARKS, OUTCOMES, SessionFilter
from afterglow.records.transcript import SessionStory, TranscriptWindow
from afterglow.text.numbers import week_span
from afterglow.web.desk import desk_of
from afterglow.web.pages.session_export import exported
from afterglow.web.rendering import page
from afterglow.web.routing import Form, get, post

__all__ = ["ROUTES", "exported"]

MARK_NAMES = {
    "failures": "failed calls",
    "hidden": "hidden failures",
    "given": "was given something",
    "taught": "taught something",
}
CHOICES = (
    "repo",
    "agent",
    "outcome",
    "model",
    "tool",
    "week",
    "since",
    "until",
    "search",
)
MAX_NUMBER = 10**9  # of a line, a turn, a page: larger ones are none of ours

assert set(MARK_NAMES) == set(MARKS)


def sessions(request: Request) -> Response:
    asked_for = request.query_params
    filter = _filter(asked_for)
    listed = session_list(
        desk_of(request).config, filter, page=_number(asked_for, "page")
    )
    chosen = {name: asked_for.get(name, "") for name in CHOICES}
    chosen |= {mark: "yes" if mark in filter.marks else "" for mark in MARKS}
    return page(
        request,
        "sessions.html",
        block="results",
        listed=listed,
        chosen=chosen,
        is_narrowed=any(chosen.values()),
        outcomes=OUTCOMES,
        mark_names=MARK_NAMES,
    )


def session(request: Request) -> Response:
    config = desk_of(request).config
    story = session_story(config, request.path_params["id"])
    line = _number(request.query_params, "line")
    number = _number(request.query_params, "window")
    try:
        window = transcript_window(config, story, line=line, number=number)
    except (NotFound, UnreadableSource, OSError) as error:
        return _session_page(request, story, None, trouble=str(error))
    return _session_page(request, story, window, is_first=not line and number <= 1)


def unredacted(request: Request, form: Form) -> Response:
    """The window as it stands in the file: asked for, confirmed, noted, and only then shown."""
    if form.get("confirm") != "yes":
        raise UsageError("tick the box first: it says what showing this means")
    desk = desk_of(request)
    config = desk.config
    story = session_story(config, request.path_params["id"])
    number = _number(form, "window")
    window = transcript_window(config, story, number=number, redacted=False)
    note_unredacted(
        config, story.entry.id, window.first_line, window.last_line, now=desk.now()
    )
    story = session_story(config, story.entry.id)
    return _session_page(request, story, window, is_first=False)


def text(request: Request) -> Response:
    """One text of a session, whole."""
    asked_for = request.query_params
    whole = whole_text(
        desk_of(request).config,
        request.path_params["id"],
        turn=_number(asked_for, "turn"),
        call=_number(asked_for, "call") if "call" in asked_for else None,
        part=asked_for.get("part", ""),
        start=_number(asked_for, "start"),
    )
    places = {name: asked_for.get(name, "") for name in ("turn", "call", "part")}
    return page(
        request,
        "session_text.html",
        id=request.path_params["id"],
        whole=whole,
        places=places,
        page_characters=PAGE_CHARACTERS,
    )


def _session_page(
    request: Request,
    story: SessionStory,
    window: TranscriptWindow | None,
    *,
    is_first: bool = True,
    trouble: str = "",
) -> Response:
    return page(
        request,
        "session.html",
        moments=MOMENTS,
        story=story,
        entry=story.entry,
        window=window,
        is_first=is_first,
        trouble=trouble,
        problems=problems_of_session(desk_of(request).config, story.entry.id),
    )


def _filter(asked_for: Mapping[str, str]) -> SessionFilter:
    until = _day(asked_for, "until")
    return SessionFilter(
        selection=Selection(
            repo=asked_for.get("repo") or None,
            agent=asked_for.get("agent") or None,
            since=_seconds(_day(asked_for, "since")),
            until=_seconds(until + timedelta(days=1)) if until is not None else None,
        ),
        words=asked_for.get("search", ""),
        model=asked_for.get("model") or None,
        tool=asked_for.get("tool") or None,
        week=_week(asked_for.get("week", "")),
        outcome=asked_for.get("outcome") or None,
        marks=frozenset(mark for mark in MARKS if asked_for.get(mark) == "yes"),
    )


def _week(text: str) -> str | None:
    if not text:
        return None
    try:
        week_span(text)
    except (ValueError, OverflowError) as error:
        raise UsageError(f"week: {text!r} is none; 2026-W07 would be") from error
    return text


def _day(asked_for: Mapping[str, str], name: str) -> date | None:
    text = asked_for.get(name, "")
    if not text:
        return None
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise UsageError(f"{name}: {text!r} is no day; 2026-11-01 would be") from error


def _seconds(day: date | None) -> float | None:
    if day is None:
        return None
    return datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp()


def _number(asked_for: Mapping[str, Any], name: str) -> int:
    """A whole number of the address; 0 for anything else."""
    text = str(asked_for.get(name, ""))
    is_number = text.isascii() and text.isdigit() and len(text) < len(str(MAX_NUMBER))
    return int(text) if is_number else 0


ROUTES = [
    get("/sessions", sessions),
    get("/sessions/{id:path}/text", text),
    post("/sessions/{id:path}/unredacted", unredacted),
    get("/sessions/{id:path}", session),
]
