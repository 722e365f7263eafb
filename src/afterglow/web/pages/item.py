"""One item: why it is as it is, the lines it stands on, to whom it was given; and what a person can decide about it."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from starlette.requests import Request
from starlette.responses import Response

from afterglow.config import Config
from afterglow.flows.knowledge import (
    BECAME_WORDS,
    Decision,
    ItemFilter,
    approve,
    browse,
    delete,
    edit,
    explain,
    item_mark,
    item_page,
    needs_risky,
    reject,
    rescope,
    retire,
)
from afterglow.records.knowledge import STATUSES, TRUSTS, is_approved
from afterglow.web.desk import desk_of
from afterglow.web.rendering import back, page
from afterglow.web.routing import Change, Form, get, post

Marks = Mapping[str, str]  # item -> mark of what the person saw of it
Decide = Callable[[Config, str, Form, Marks], list[Decision]]

MAX_PIECES = 6  # of evidence, looked up again in their sources
MAX_HISTORY = 100  # entries, the latest; an item that is met daily has more
EXPORTED_ITEMS = 1_000  # of each status in a copy
# Who stands behind a piece of evidence, as people say it.
TRUST_WORDS = dict(
    zip(
        TRUSTS,
        (
            "a person",
            "the agent",
            "a program",
            "a file",
            "the web, a service or another agent",
        ),
        strict=True,
    )
)
# When a session was told.
MOMENT_WORDS = {
    "start": "at its start",
    "compaction": "again, after a compaction",
    "subagent": "to a sub-agent",
    "call": "before a call",
    "failure": "on failure",
}
# The state of a piece of evidence: a word for it, its colour, what it means.
STATE_WORDS = {
    "ok": ("verified", "yes", "the same words still stand there"),
    "moved": ("moved", "yes", "the same words stand at another line now"),
    "changed": ("changed", "no", "another text stands there now"),
    "vanished": ("not found", "wait", "what was kept is what remains"),
    "unreadable": ("unreadable", "no", "the source could not be opened"),
    "elsewhere": ("a teammate's", "yes", "the transcript is on their machine"),
}


def item(request: Request) -> Response:
    desk = desk_of(request)
    shown_page = item_page(desk.config, request.path_params["id"], now=desk.now())
    return page(
        request,
        "item.html",
        about=shown_page,
        item=shown_page.item,
        mark=item_mark(shown_page.item),
        needs_risky=needs_risky(shown_page.item),
        is_approved=is_approved(shown_page.item),
        became_words=BECAME_WORDS,
        trust_words=TRUST_WORDS,
        moment_words=MOMENT_WORDS,
        max_pieces=MAX_PIECES,
        max_history=MAX_HISTORY,
    )


def evidence(request: Request) -> Response:
    """The lines behind an item, looked up again: it takes a moment, so it comes after the page."""
    config = desk_of(request).config
    explained = explain(config, request.path_params["id"], limit=MAX_PIECES)
    return page(
        request,
        "item_evidence.html",
        block="pieces",
        item=explained.item,
        pieces=explained.pieces,
        more=explained.more,
        state_words=STATE_WORDS,
        trust_words=TRUST_WORDS,
    )


def _approve(config: Config, id: str, form: Form, expected: Marks) -> list[Decision]:
    return approve(
        config,
        [id],
        note=form.get("why", ""),
        risky="risky" in form,
        even_quarantined="held" in form,
        expected=expected,
    )


def _reject(config: Config, id: str, form: Form, expected: Marks) -> list[Decision]:
    return reject(config, [id], why=form.get("why", ""), expected=expected)


def _retire(config: Config, id: str, form: Form, expected: Marks) -> list[Decision]:
    return retire(config, [id], why=form.get("why", ""), expected=expected)


def _edit(config: Config, id: str, form: Form, expected: Marks) -> list[Decision]:
    return edit(
        config,
        id,
        fact=form.get("fact"),
        situation=form.get("situation"),
        remedy=form.get("remedy"),
        risky="risky" in form,
        expected=expected,
    )


def _rescope(config: Config, id: str, form: Form, expected: Marks) -> list[Decision]:
    where = form.get("where", "")
    return rescope(
        config,
        [id],
        repo=form.get("repo", "") if where == "repo" else "",
        agent=form.get("agent", "") if where == "agent" else "",
        everywhere=where == "everywhere",
        expected=expected,
    )


def _delete(config: Config, id: str, form: Form, expected: Marks) -> list[Decision]:
    return delete(config, [id], why=form.get("why", ""), expected=expected)


# What the buttons do, and what is said when it is done.
VERDICTS: dict[str, tuple[Decide, str]] = {
    "approve": (_approve, "Approved: sessions are told exactly these words."),
    "reject": (_reject, "Rejected: it is not offered again."),
    "retire": (_retire, "Retired: true once, no longer."),
    "edit": (_edit, "The words were changed."),
    "scope": (_rescope, "Where it holds was changed."),
    "delete": (_delete, "Deleted, with all its words."),
}


def deciding(verdict: str) -> Change:
    """The handler of a button. The form carries the mark of what the person saw."""
    decide, words = VERDICTS[verdict]

    def handler(request: Request, form: Form) -> Response:
        id = request.path_params["id"]
        (decision,) = decide(
            desk_of(request).config, id, form, {id: form.get("mark", "")}
        )
        if decision.after is None:
            return back(request, "/knowledge", words)
        if not decision.changed:
            return back(request, f"/knowledge/{id}", "It was so already.")
        return back(request, f"/knowledge/{id}", words, undo=str(decision.number))

    return handler


def exported(config: Config) -> list[str]:
    """Every item that a list of the copy may lead to."""
    paths = []
    for status in STATUSES:
        listed = browse(config, ItemFilter(status=status), size=EXPORTED_ITEMS)
        paths += [f"/knowledge/{each.id}" for each in listed.items]
    return paths


ROUTES = [
    get("/knowledge/{id}", item),
    get("/knowledge/{id}/evidence", evidence),
    *(post(f"/knowledge/{{id}}/{verdict}", deciding(verdict)) for verdict in VERDICTS),
]
