"""Memory: a person's preferences, what agents want kept and wait for, and where it all lies."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from afterglow.config import Config
from afterglow.errors import UsageError
from afterglow.flows import memory as flow
from afterglow.memory.tool import USER
from afterglow.records.memory import MemoryEntry
from afterglow.text.clip import clip
from afterglow.web.desk import desk_of
from afterglow.web.rendering import back, page, query
from afterglow.web.routing import Form, get, post

PAGE_ENTRIES = 50
FOUND_ENTRIES = 50  # that a search answers with, best first
MAX_NOTICE_CHARACTERS = 600  # of a value, in the words above a page


def memory(request: Request) -> Response:
    config = desk_of(request).config
    fields = request.query_params
    user = fields.get("user") or USER
    words = fields.get("q", "").strip()
    start = _start(fields.get("from", ""))
    about = flow.info(config, user)
    entries: list[MemoryEntry] = []
    waiting: list[MemoryEntry] = []
    total = 0
    if about.available and words:
        entries = flow.query(config, user, words, limit=FOUND_ENTRIES)
        total = len(entries)
    elif about.available:
        listed = flow.list_entries(config, user, start=start, limit=PAGE_ENTRIES)
        entries, total = list(listed.entries), listed.total
    if about.available:
        waiting = flow.waiting(config, user)
    return page(
        request,
        "memory.html",
        block="entries",
        about=about,
        user=user,
        is_other_user=user != USER,
        words=words,
        entries=[(entry, flow.entry_mark(entry)) for entry in entries],
        waiting=[(entry, flow.entry_mark(entry)) for entry in waiting],
        total=total,
        start=start,
        page_entries=PAGE_ENTRIES,
    )


def _start(text: str) -> int:
    return int(text) if text.isdecimal() else 0


def store(request: Request, form: Form) -> Response:
    user, key = _whose(form)
    stored = flow.store(desk_of(request).config, user, key, form.get("value", ""))
    words = f"{key} is kept."
    if stored.hidden:
        words += f" Hidden in it: {', '.join(stored.hidden)}."
    if stored.waits:
        words += f" No agent gets it before you approve it: {stored.waits}."
    return back(request, _path(user), words, tone="wait" if stored.waits else "yes")


def approve(request: Request, form: Form) -> Response:
    user, key = _whose(form)
    expected = {key: form.get("mark", "")}
    is_risky = form.get("risky") == "yes"
    config = desk_of(request).config
    flow.approve(config, user, [key], risky=is_risky, expected=expected)
    return back(request, _path(user), f"{key} is yours: agents get it from now on.")


def reject(request: Request, form: Form) -> Response:
    user, key = _whose(form)
    expected = {key: form.get("mark", "")}
    (entry,) = flow.reject(desk_of(request).config, user, [key], expected=expected)
    return back(request, _path(user), _gone(entry))


def delete(request: Request, form: Form) -> Response:
    user, key = _whose(form)
    config = desk_of(request).config
    entry = flow.retrieve(config, user, key)
    flow.delete(config, user, key, expected=form.get("mark", ""))
    return back(request, _path(user), _gone(entry) if entry else f"{key} is gone.")


def _gone(entry: MemoryEntry) -> str:
    """With what it said, once: that is what can be kept again."""
    return f"{entry.key} is gone. It said: {clip(entry.value, MAX_NOTICE_CHARACTERS)}"


def _whose(form: Form) -> tuple[str, str]:
    key = form.get("key", "").strip()
    if not key:
        raise UsageError("a preference needs a name, like editor")
    return form.get("user") or USER, key


def _path(user: str) -> str:
    return query("/memory", user=user if user != USER else "")


def exported(config: Config) -> list[str]:
    """None: what a person prefers is theirs, and a copy is made to be handed on."""
    return []


ROUTES = [
    get("/memory", memory),
    post("/memory/store", store),
    post("/memory/approve", approve),
    post("/memory/reject", reject),
    post("/memory/delete", delete),
]
