"""Review: what waits for a person, worth most first; decided with a key each, and undone with another."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

from starlette.datastructures import QueryParams
from starlette.requests import Request
from starlette.responses import Response

from afterglow.config import Config
from afterglow.errors import NotFound, UsageError
from afterglow.flows.knowledge import (
    Decision,
    ReviewItem,
    ReviewQueue,
    approve,
    decisions,
    edit,
    reject,
    rescope,
    review_item,
    review_queue,
    still_waiting,
    undo,
)
from afterglow.records.selection import Selection
from afterglow.web.desk import Desk, Notice, desk_of
from afterglow.web.rendering import back, page, part, query
from afterglow.web.routing import Form, get, post

TABS = {"waiting": "Waiting", "held": "Held back", "decided": "Decided lately"}
FILTERS = ("tab", "repo", "agent", "miner", "session", "after")
MAX_DECISIONS = 40  # of a page: what somebody may still want to take back
NOT_USEFUL = "not useful"  # why, where nobody says it
Marks = Mapping[str, str]


def review(request: Request) -> Response:
    place = _place(request.query_params)
    if place.get("tab") == "decided":
        return page(request, "review.html", block="work", **_decided(request, place))
    id = request.query_params.get("item", "")
    return page(request, "review.html", block="work", **_waiting(request, place, id))


def one(request: Request) -> Response:
    """The item beside the list; without htmx the whole page with it."""
    id = request.path_params["id"]
    place = _place(request.query_params)
    if "hx-request" not in request.headers:
        return back(request, query("/review", **place, item=id))
    chosen = review_item(desk_of(request).config, id)
    return part(request, "review.html", "detail", chosen=chosen, place=place)


def _place(params: QueryParams) -> dict[str, str]:
    """Where in the queue: what its address says of it."""
    return {name: params[name] for name in FILTERS if params.get(name)}


def _queue(request: Request, place: Mapping[str, str]) -> ReviewQueue:
    desk = desk_of(request)
    return review_queue(
        desk.config,
        Selection(repo=place.get("repo"), agent=place.get("agent")),
        held_back=place.get("tab") == "held",
        miner=place.get("miner", ""),
        session=place.get("session", ""),
        after=place.get("after", ""),
        now=desk.now(),
    )


def _waiting(request: Request, place: dict[str, str], id: str) -> dict[str, Any]:
    desk = desk_of(request)
    queue = _queue(request, place)
    first = queue.items[0].item.id if queue.groups else ""
    return {
        "tabs": TABS,
        "tab": place.get("tab", "waiting"),
        "place": place,
        "queue": queue,
        "chosen": _chosen(desk.config, id, first),
        "is_marked": "marked" in request.query_params,
        "not_useful": NOT_USEFUL,
    }


def _chosen(config: Config, id: str, first: str) -> ReviewItem | None:
    """What was asked for, if it is there; else the first of the list."""
    if id and id != first:
        try:
            return review_item(config, id)
        except NotFound:
            pass
    return review_item(config, first) if first else None


def _decided(request: Request, place: dict[str, str]) -> dict[str, Any]:
    desk = desk_of(request)
    before = place.get("after", "")
    taken = decisions(
        desk.config,
        limit=MAX_DECISIONS + 1,
        before=int(before) if before.isdigit() else 0,
    )
    return {
        "tabs": TABS,
        "tab": "decided",
        "place": place,
        "queue": review_queue(desk.config, limit=1, now=desk.now()),
        "taken": taken[:MAX_DECISIONS],
        "following": taken[MAX_DECISIONS - 1].number
        if len(taken) > MAX_DECISIONS
        else 0,
    }


def _approve(
    desk: Desk, ids: Sequence[str], form: Form, marks: Marks
) -> list[Decision]:
    return approve(
        desk.config,
        ids,
        risky="risky" in form,
        even_quarantined="held" in form,
        expected=marks,
        now=desk.now(),
    )


def _reject(desk: Desk, ids: Sequence[str], form: Form, marks: Marks) -> list[Decision]:
    why = form.get("why", "").strip() or NOT_USEFUL
    return reject(desk.config, ids, why=why, expected=marks, now=desk.now())


def _edit(desk: Desk, ids: Sequence[str], form: Form, marks: Marks) -> list[Decision]:
    return edit(
        desk.config,
        ids[0],
        fact=form.get("fact"),
        situation=form.get("situation"),
        remedy=form.get("remedy"),
        expected=marks,
        now=desk.now(),
    )


def _rescope(
    desk: Desk, ids: Sequence[str], form: Form, marks: Marks
) -> list[Decision]:
    where = form.get("where", "")
    return rescope(
        desk.config,
        ids,
        repo=form.get("repo", "") if where == "repo" else "",
        agent=form.get("agent", "") if where == "agent" else "",
        everywhere=where == "everywhere",
        expected=marks,
        now=desk.now(),
    )


# Verdict -> what does it, what is said of it, whether the item has left the queue then.
VERDICTS: dict[str, tuple[Callable[..., list[Decision]], str, bool]] = {
    "approve": (_approve, "Approved", True),
    "reject": (_reject, "Rejected", True),
    "edit": (_edit, "The words were changed", False),
    "scope": (_rescope, "Where it holds was changed", False),
}


def decide(request: Request, form: Form) -> Response:
    """What is marked, or the one that is shown, with those like it that were ticked."""
    verdict = form.get("verdict", "")
    ids = list(dict.fromkeys(form.getlist("id")))
    if verdict not in VERDICTS:
        raise UsageError(f"say what to do: {', '.join(VERDICTS)}")
    if not ids:
        raise UsageError("nothing is marked: x marks the item that is shown")
    act, words, is_leaving = VERDICTS[verdict]
    marks = dict(mark.split(" ", 1) for mark in form.getlist("mark") if " " in mark)
    place = _place(request.query_params)
    desk = desk_of(request)
    followers = _followers(request, place, ids) if is_leaving else ids
    taken = act(desk, ids, form, marks)
    waiting = still_waiting(desk.config, followers)
    id = waiting[0].item.id if waiting else ""
    changed = [decision for decision in taken if decision.changed]
    if not changed:
        return _answer(request, place, id, "It was so already.")
    sentence = f"{words}: {_named(changed)}"
    return _answer(request, place, id, sentence, undo=str(changed[0].number))


def _named(taken: Sequence[Decision]) -> str:
    if len(taken) > 1:
        return f"{len(taken)} items."
    return f"“{taken[0].before.fact}”"


def _followers(
    request: Request, place: dict[str, str], ids: Sequence[str]
) -> list[str]:
    """What comes behind those that leave the list, then what stands before them, the nearest first."""
    listed = [waiting.item.id for waiting in _queue(request, place).items]
    leaving = [at for at, id in enumerate(listed) if id in ids]
    last = max(leaving, default=-1)
    before = [id for id in listed[:last] if id not in ids]
    return [*listed[last + 1 :], *reversed(before)]


def _answer(
    request: Request, place: dict[str, str], id: str, words: str, undo: str = ""
) -> Response:
    """Behind a change: the same place in the queue, with the item that comes next."""
    address = query("/review", **place, item=id)
    if "hx-request" not in request.headers:
        return back(request, address, words, undo=undo)
    notice = Notice(words, undo)
    values = _waiting(request, place, id)
    response = part(request, "review.html", "work", notice=notice, **values)
    response.headers["HX-Replace-Url"] = address
    return response


def take_back(request: Request, form: Form) -> Response:
    """Undo of the decision that is named, or of the last one; for every page."""
    number = form.get("decision", "")
    if number and not number.isdigit():
        raise UsageError("no such decision; `Decided lately` lists them")
    desk = desk_of(request)
    (undone,) = undo(desk.config, int(number or 0), now=desk.now())
    verb = "Done again" if undone.decision.undoes else "Undone"
    words = f"{verb}: {undone.decision.what}."
    id = undone.items[0].id if undone.items else ""
    if "hx-request" in request.headers:
        place = _place(request.query_params)
        return _answer(request, place, id, words, str(undone.number))
    return back(request, _came_from(request), words, undo=str(undone.number))


def _came_from(request: Request) -> str:
    """The page of ours that the form stood on."""
    parts = urlsplit(request.headers.get("referer", ""))
    if parts.netloc != request.headers.get("host", "") or not parts.path:
        return "/review"
    pairs = [pair for pair in parts.query.split("&") if not pair.startswith("notice=")]
    text = "&".join(filter(None, pairs))
    return f"{parts.path}?{text}" if text else parts.path


def exported(config: Config) -> list[str]:
    return ["/review", "/review?tab=held", "/review?tab=decided"]


ROUTES = [
    get("/review", review),
    get("/review/items/{id}", one),
    post("/review/decide", decide),
    post("/review/undo", take_back),
]
