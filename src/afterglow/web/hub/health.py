"""For those who run a hub: is it alive, can it work, and what does it count. The first two say nothing about anybody."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from afterglow.errors import AfterglowError, Refused
from afterglow.flows.hub import (
    check_hub,
    connection_numbers,
    hub_numbers,
    member,
)
from afterglow.web.hub.desks import MemberDesk
from afterglow.web.hub.hub import Hub, hub_of
from afterglow.web.hub.identity import place_of
from afterglow.web.hub.metrics import CONTENT_TYPE, Labels, Metric

POOL_WORDS = {
    "pool_size": "Connections to the database.",
    "pool_available": "Connections that nobody uses.",
    "requests_waiting": "Requests that wait for a connection.",
}


async def alive(request: Request) -> Response:
    """Not in a thread: they may all wait for a database that is away."""
    return PlainTextResponse("ok\n")


def ready(request: Request) -> Response:
    """Whether the database answers and has the layout we know. Why not, the log and an admin's page say."""
    hub = hub_of(request)
    try:
        check_hub(hub.place(""))
    except AfterglowError:
        return PlainTextResponse("the database is away\n", 503)
    return PlainTextResponse("ok\n")


def metrics(request: Request) -> Response:
    """For an admin's token; what is counted in the stores is of their organisation."""
    place, hub = place_of(request), hub_of(request)
    person = member(place)
    if not person.is_admin:
        raise Refused("the numbers of a hub are for its admins")
    desk = hub.desk(place.token, person)
    pool = [
        _number(f"database_{name}", POOL_WORDS[name], many)
        for name, many in connection_numbers(place).items()
    ]
    gathered = [*_of_the_merger(hub), *_of_the_stores(desk), *pool]
    text = hub.metrics.text(gathered)
    return Response(text, media_type=CONTENT_TYPE)


def _of_the_merger(hub: Hub) -> list[Metric]:
    merger = hub.merger
    return [
        _number("start_seconds", "When this process began.", hub.started),
        _number("merge_last_seconds", "When nothing was left to merge.", merger.last),
        _number("merged_total", "What was worked off.", merger.merged, "counter"),
        _number(
            "merge_failures_total",
            "Steps that failed and are tried again.",
            merger.failures,
            "counter",
        ),
    ]


def _of_the_stores(desk: MemberDesk) -> list[Metric]:
    numbers = hub_numbers(desk.place)
    statuses: dict[Labels, float] = {
        (("status", name),): many for name, many in desk.item_counts.items()
    }
    return [
        _number("pending", "What waits to be merged.", numbers.pending),
        _number("people", "Members.", numbers.people),
        Metric("afterglow_items", "Items by status.", "gauge", statuses),
    ]


def _number(name: str, help: str, value: float, type: str = "gauge") -> Metric:
    values: dict[Labels, float] = {(): value}
    return Metric(f"afterglow_{name}", help, type, values)


ROUTES = [
    Route("/healthz", alive),
    Route("/readyz", ready),
    Route("/metrics", metrics),
]
