"""Knowledge: what is kept, by words, by what items are told apart by, a page at a time."""

from __future__ import annotations

from typing import cast, get_args

from starlette.requests import Request
from starlette.responses import Response

from afterglow.config import Config
from afterglow.flows.knowledge import ItemFilter, ItemOrder, browse
from afterglow.records.knowledge import STATUSES
from afterglow.web.desk import desk_of
from afterglow.web.rendering import addressed, page, query
from afterglow.web.routing import get

ANY = "any"  # of a status: without it, what holds is listed
EVERYWHERE = "-"  # in an address, of a repository or agent: what holds in all of them
ORDERS = {
    "strongest": "the surest",
    "latest": "confirmed last",
    "changed": "changed last",
    "sessions": "most sessions",
}
# What can be chosen beside the status, and what it is called.
CHOICES = {
    "repo": "Repository",
    "agent": "Agent",
    "category": "Category",
    "trust": "Said by",
    "miner": "Read by",
    "risky": "Risky",
}
MAX_OPTIONS = 300  # of a choice, those of most items: a page is under 200 KB
MAX_EXPORTED_PAGES = 5  # of a copy, of each status


def knowledge(request: Request) -> Response:
    values = dict(request.query_params)
    order = _order(values.get("order", ""))
    number = _page_number(values.get("page", ""))
    listed = browse(desk_of(request).config, _filter(values), order=order, page=number)
    address = {
        name: values[name]
        for name in ("search", "status", "order", *CHOICES)
        if values.get(name)
    }
    response = page(
        request,
        "knowledge.html",
        block="found",
        listed=listed,
        address=address,
        search=values.get("search", ""),
        tab=values.get("status") or "active",
        statuses=[*STATUSES, ANY],
        order=order,
        orders=ORDERS,
        choices=CHOICES,
        everywhere=EVERYWHERE,
        max_options=MAX_OPTIONS,
    )
    return addressed(response, query("/knowledge", **address))


def exported(config: Config) -> list[str]:
    """The first pages of what holds and of what waits; items have pages of their own."""
    paths = ["/knowledge"]
    for status in STATUSES:
        pages = browse(config, ItemFilter(status=status)).pages
        last = min(pages, MAX_EXPORTED_PAGES)
        asked_status = "" if status == "active" else status
        paths += [
            query("/knowledge", status=asked_status, page=number if number > 1 else "")
            for number in range(1, last + 1)
        ]
    return paths


def _filter(values: dict[str, str]) -> ItemFilter:
    status = values.get("status") or "active"
    return ItemFilter(
        words=values.get("search", ""),
        status=None if status == ANY else status,
        category=values.get("category") or None,
        repo=_place(values.get("repo", "")),
        agent=_place(values.get("agent", "")),
        trust=values.get("trust") or None,
        miner=values.get("miner") or None,
        risky={"yes": True, "no": False}.get(values.get("risky", "")),
    )


def _place(value: str) -> str | None:
    return "" if value == EVERYWHERE else value or None


def _order(value: str) -> ItemOrder:
    return cast(ItemOrder, value) if value in get_args(ItemOrder) else "strongest"


def _page_number(value: str) -> int:
    return int(value) if value.isascii() and value.isdigit() and len(value) < 7 else 1


ROUTES = [get("/knowledge", knowledge)]
