"""For those who run a hub: is it alive, can it work, and what does it count. The first two say nothing about anybody."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from afterglow.errors import AfterglowError, Refused
from afterglow.flows.hub import HubNumbers, check_hub, hub_numbers, member
from afterglow.web.hub.hub import hub_of
from afterglow.web.hub.identity import place_of
from afterglow.web.hub.metrics import CONTENT_TYPE


def alive(request: Request) -> Response:
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
    place = place_of(request)
    if not member(place).is_admin:
        raise Refused("the numbers of a hub are for its admins")
    hub = hub_of(request)
    numbers = hub_numbers(place)
    text = hub.metrics.text([*_of_the_merger(hub), *_of_the_stores(numbers)])
    return Response(text, media_type=CONTENT_TYPE)


def _of_the_merger(hub: Hub) -> list[Metric]:
    merger = hub.merger
    return [
        _gauge("start_seconds", "When this process began.", hub.started),
        _gauge("merge_last_seconds", "When nothing was left to merge.", merger.last),
        Metric(
            "afterglow_merged_total",
            "What the merger worked off.",
            "counter",
            {(): merger.merged},
        ),
        Metric(
            "afterglow_merge_failures_total",
            "Steps of the merger that failed and are tried again.",
            "counter",
            {(): merger.failures},
        ),
    ]


def _of_the_stores(numbers: HubNumbers) -> list[Metric]:
    statuses = {(("status", name),): many for name, many in numbers.items.items()}
    return [
        _gauge("pending", "What waits to be merged.", numbers.pending),
        _gauge("people", "Members.", numbers.people),
        Metric("afterglow_items", "Items by status.", "gauge", statuses),
    ]


def _gauge(name: str, help: str, value: float) -> Metric:
    return Metric(f"afterglow_{name}", help, "gauge", {(): value})


ROUTES = [
    Route("/healthz", alive),
    Route("/readyz", ready),
    Route("/metrics", metrics),
]
