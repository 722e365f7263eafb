"""One item: why it is as it is, the lines it stands on, to whom it was given; and what a person can decide about it."""

from __future__ import annotations

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
from afterglow.web.routing import Form, get, post

MAX_PIECES = 8  # of evidence, looked up again in their sources
MAX_HISTORY = 100  # entries, the latest; an item that is met daily has more
EXPORTED_ITEMS = 1_000  # of each status in a copy
# Who stands behind a piece of evidence, as people say it.
TRUST_WORDS = dict(
    zip(
        TRUSTS,
        (
            "a person",
            "the agent",
            "a program here",
            "a file",
            "the web, a service or another agent",
        ),
        strict=True,
    )
)
# What a person sees of the state of a piece of evidence, and how it is coloured.
STATE_WORDS = {
    "ok": ("still there, word for word", "yes"),
    "moved": ("the same words, at another line now", "yes"),
    "changed": ("another text stands there now", "no"),
    "vanished": ("gone: what was kept is what remains", "wait"),
    "unreadable": ("the source could not be opened", "no"),
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


def decide(request: Request, form: Form) -> Response:
    """One of the buttons. The form carries the mark of what the person saw."""
    config = desk_of(request).config
    id = request.path_params["id"]
    verdict = request.path_params["verdict"]
    decisions = _decided(config, id, verdict, form)
    decision = decisions[0]
    if decision.after is None:
        return back(request, "/knowledge", f"{id} was deleted, with all its words.")
    if not decision.changed:
        return back(request, f"/knowledge/{id}", f"Nothing changed: {verdict} already.")
    words = DECIDED_WORDS[verdict]
    return back(request, f"/knowledge/{id}", words, undo=str(decision.number))


DECIDED_WORDS = {
    "approve": "Approved: sessions are told exactly these words.",
    "reject": "Rejected: it is not offered again.",
    "retire": "Retired: true once, no longer.",
    "edit": "The words were changed.",
    "scope": "It holds elsewhere now.",
}


def _decided(config: Config, id: str, verdict: str, form: Form) -> list[Decision]:
    expected = {id: form.get("mark", "")}
    why = form.get("why", "")
    match verdict:
        case "approve":
            return approve(
                config,
                [id],
                note=why,
                risky="risky" in form,
                even_quarantined="held" in form,
                expected=expected,
            )
        case "reject":
            return reject(config, [id], why=why, expected=expected)
        case "retire":
            return retire(config, [id], why=why, expected=expected)
        case "edit":
            return edit(
                config,
                id,
                fact=form.get("fact"),
                situation=form.get("situation"),
                remedy=form.get("remedy"),
                risky="risky" in form,
                expected=expected,
            )
        case "scope":
            return _moved(config, id, form, expected)
        case _:
            return delete(config, [id], why=why)


def _moved(
    config: Config, id: str, form: Form, expected: dict[str, str]
) -> list[Decision]:
    where = form.get("where", "")
    return rescope(
        config,
        [id],
        repo=form.get("repo", "") if where == "repo" else "",
        agent=form.get("agent", "") if where == "agent" else "",
        everywhere=where == "everywhere",
        expected=expected,
    )


def exported(config: Config) -> list[str]:
    """Every item that a list of the copy may lead to."""
    paths = []
    for status in STATUSES:
        listed = browse(config, ItemFilter(status=status), size=EXPORTED_ITEMS)
        paths += [f"/knowledge/{each.id}" for each in listed.items]
    return paths


VERDICT = "{verdict:verdict}"
ROUTES = [
    get("/knowledge/{id}", item),
    get("/knowledge/{id}/evidence", evidence),
    *(
        post(f"/knowledge/{{id}}/{verdict}", decide)
        for verdict in (*DECIDED_WORDS, "delete")
    ),
]
